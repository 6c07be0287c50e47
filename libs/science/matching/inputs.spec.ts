import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspectScanFile, readScanFiles } from '#science/spectra/files';
import { readJsonClaim } from '#science/spectra/json';
import type { FileReading } from '#science/spectra/reading';
import { Refusal } from '#science/spectra/refusal';
import { prepareSide, type ScanSet } from '#science/spectra/scan-set';
import { modelIn, shippedModelFolder } from './shipped.js';
import { examineSide } from './verdict.js';

/** Small inputs and what must become of them, beside the checkout. */
interface Input {
  file: string;
  mode: 'inspect' | 'verify-pair' | 'json';
  expect: string;
  kind: string;
  /** Of a pair the other side. */
  other?: string;
  points?: number;
  max?: number;
  file_has?: string;
  reason_has?: string;
  reason_not?: string;
}

let root = dirname(fileURLToPath(import.meta.url));
while (!existsSync(join(root, 'package.json'))) root = dirname(root);
const folder = join(process.env.MVS_SHARED_DATA ?? join(root, '../shared/data'), 'inputs');
const present = existsSync(join(folder, 'manifest.json'));
const inputs: Input[] = present ? JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) : [];
const bytesOf = (file: string) => new Uint8Array(readFileSync(join(folder, file)));
const model = modelIn(shippedModelFolder());
const judged = (set: ScanSet) => examineSide(prepareSide(set, model.input.sampling), model);

/** What a judge of the inputs sees: readings, and the refusals of files or of the claim. */
async function outcomeOf({ file, mode, other }: Input) {
  if (mode === 'inspect') return inspectScanFile(file, bytesOf(file));
  try {
    if (mode === 'json') {
      const claim = readJsonClaim(bytesOf(file));
      for (const side of ['rough', 'polish'] as const) judged(claim.side(side));
    } else {
      judged(await readScanFiles('rough', [{ name: file, data: bytesOf(file) }]));
      judged(await readScanFiles('polish', [{ name: other!, data: bytesOf(other!) }]));
    }
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [error];
  }
}

describe('small inputs of all kinds', () => {
  (present ? it : it.skip)('(the data folder is there and lists them)', () => expect(inputs.length).toBeGreaterThan(0));

  for (const input of inputs)
    it(`${input.file}: ${input.expect} (${input.kind})`, async () => {
      const found = await outcomeOf(input);
      const refused = found.filter((one) => one instanceof Refusal);
      const readings = found.filter((one): one is FileReading => !(one instanceof Refusal));
      const accepts = input.expect.startsWith('accept');
      if (accepts) expect(refused.map(({ detail }) => detail)).toEqual([]);
      if (input.expect === 'refuse' || refused.length > 0) {
        expect(refused).not.toEqual([]);
        const reasons = refused.map(({ detail }) => detail.toLowerCase()).join('\n');
        if (input.reason_has) expect(reasons).toContain(input.reason_has);
        if (input.reason_not) expect(reasons).not.toContain(input.reason_not);
        return;
      }
      expect(readings).not.toEqual([]);
      for (const { points, max, file } of readings) {
        if (input.points) expect(points).toBe(input.points);
        if (input.max) expect(max).toBeCloseTo(input.max, 5);
        if (input.file_has) expect(file).toContain(input.file_has);
      }
    });
});
