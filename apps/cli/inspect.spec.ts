import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { limits } from '#config/limits';
import { prepareUpload } from '#kit/queue/prepare';
import { shippedModel } from '#science/matching/shipped';
import { isScanName } from '#science/spectra/names';
import { Refusal } from '#science/spectra/refusal';
import { spa } from '#science/spectra/test/binary';
import { populationNamed, simulateStone } from '#simulator';
import { program } from '../../test/programs.js';

const here = dirname(fileURLToPath(import.meta.url));
let root = here;
while (!existsSync(join(root, 'package.json'))) root = dirname(root);
const data = join(root, '..', 'shared', 'data');

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : isScanName(entry.name) ? [path] : [];
  });

const model = shippedModel();
const { polish } = simulateStone(populationNamed('calibration'), 5, 1);
const unprocessed = Array.from(polish[0].wavenumbers, (w, i) => `${w},${polish[0].absorbance[i]}`).join('\n');
const bytes = (text: string) => Uint8Array.from(Buffer.from(text));

/**
 * The service's refusal of a claim with the file as its rough, without the side's name; undefined if it accepts the file.
 */
async function refusedByService(path: string): Promise<string | undefined> {
  const rough = [{ name: path, data: Uint8Array.from(readFileSync(path)) }];
  const upload = {
    kind: 'files' as const,
    rejectTarget: undefined,
    rough,
    polish: [{ name: 'P_1.csv', data: bytes(unprocessed) }],
    stoneIds: {},
    unused: [],
  };
  try {
    await prepareUpload(upload, model, limits);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.detail.replace(/^rough: /, '');
  }
}

const inspected = (paths: string[]) =>
  new Promise<{ file: string; accepted: boolean; reason?: string }[]>((resolve) => {
    const options = { maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [program('mvs'), 'inspect', '--json', ...paths], options, (_, out) =>
      resolve(JSON.parse(out)),
    );
  });

const printed = (paths: string[]) =>
  new Promise<string>((resolve) => {
    execFile(process.execPath, [program('mvs'), 'inspect', ...paths], (_, out) => resolve(out));
  });

const scanOf = (text: string) => {
  const rows = text.split('\n').map((row) => row.split(',').map(Number));
  return { values: rows.map(([, y]) => y), first: rows[0][0], last: rows[rows.length - 1][0] };
};

const described = existsSync(data) ? describe : describe.skip;

described('mvs inspect, over all public files', () => {
  const files = existsSync(data) ? filesBelow(data) : [];

  it('refuses what the service refuses, for the same reason', async () => {
    const results = await inspected(files);
    const table = new Map(results.map(({ file, reason }) => [file, reason]));
    expect(files.length).toBeGreaterThan(30);
    for (const file of files) expect([file, table.get(file)]).toEqual([file, await refusedByService(file)]);
    const refused = results.filter(({ accepted }) => !accepted);
    expect(refused.length).toBeGreaterThan(0);
    for (const { file, reason } of refused) expect(reason).toContain(file.slice(-100));
  });
});

describe('mvs inspect', () => {
  it('says of a folder without scans that it holds none, and gives gauges with their bands', async () => {
    // A name of more than 120 characters is shortened in what is refused.
    const folder = mkdtempSync(join(tmpdir(), `mvs-inspect-${'x'.repeat(120)}-`));
    try {
      mkdirSync(join(folder, 'empty'));
      writeFileSync(join(folder, 'empty', 'notes.md'), '');
      writeFileSync(join(folder, 'P_1.csv'), unprocessed);
      writeFileSync(join(folder, 'S1_rough_1.spa'), spa({ ...scanOf(unprocessed), history: 'Resolution: 8.0' }));
      writeFileSync(join(folder, 'photo.jpg'), 'x');
      writeFileSync(join(folder, 'words.csv'), 'words');
      const table = await printed([folder]);
      expect(table).toMatch(/^P_1\.csv +P +text +671 +492\.23 +5988\.79 +8\.204 .*used$/m);
      expect(table).toMatch(/^S1_rough_1\.spa +S1 +spa +671 .* 8 +S1 rough +2026-11-28 09:05 +used$/m);
      expect(table).toMatch(/^words\.csv +words +refused: no parseable spectra: it holds no numeric row/m);
      expect(table).toMatch(/^photo\.jpg +not used: a \.jpg file holds no scan$/m);
      expect(table).toContain('files: 2 used (1 text, 1 spa), 1 refused, 2 not used');
      const [none, scan] = await inspected([join(folder, 'empty'), join(folder, 'P_1.csv')]);
      expect(none).toMatchObject({
        accepted: false,
        reason: expect.stringContaining('the folder holds no scan files'),
      });
      expect(scan).toMatchObject({
        accepted: true,
        step: expect.closeTo(8.2038, 4),
        missing: [],
        gauges: {
          sharpness: { value: expect.any(Number), band: [0.04, 0.065] },
          detail_residual: { value: expect.any(Number), band: [-0.23, 0.31] },
          locally_polynomial: { value: expect.any(Number), band: [null, 0.05] },
        },
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
