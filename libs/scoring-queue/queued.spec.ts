import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { modelFile } from '#matching';
import { POPULATIONS, type SimulatedScan, simulateStone } from '#simulator';
import { testedModel } from './conformance.js';
import { InProcessScoring } from './in-process.js';
import type { ClaimScoring, Upload } from './port.js';
import { QueuedScoring } from './queued.js';

const directory = mkdtempSync(join(tmpdir(), 'mvs-queued-'));
const model = testedModel();
const file = join(directory, 'model.safetensors');
const pool = () =>
  new InProcessScoring({ modelFile: file, model: model.digest, engine: 'simd', threads: 1, maxWaiting: 10 });
let direct: ClaimScoring;
let queued: ClaimScoring;
beforeAll(() => {
  writeFileSync(file, modelFile(model));
  direct = pool();
  queued = new QueuedScoring(pool(), pool(), model.digest);
});
afterAll(async () => {
  await Promise.all([direct.close(), queued.close()]);
  rmSync(directory, { recursive: true });
});

const stone = simulateStone(POPULATIONS.calibration, 1, 1);
const side = (scans: SimulatedScan[]) => ({
  wavenumbers: [...scans[0].wavenumbers],
  spectra: scans.map(({ absorbance }) => [...absorbance]),
});
const upload = (text = JSON.stringify({ rough: side(stone.rough), polish: side(stone.polish) })): Upload => ({
  kind: 'json',
  body: new TextEncoder().encode(text),
});
const soon = { timeoutMs: 20_000 };

it('checks here and scores elsewhere to the same bits as in one place', async () => {
  const [here, there] = await Promise.all([direct.take(upload(), soon), queued.take(upload(), soon)]);
  expect(there.checked).toEqual(here.checked);
  expect(there.checked).toMatchObject({ rejectTarget: 0.98, rough: { count: 6 }, polish: { count: 1 } });
  const [a, b] = await Promise.all([here.scored, there.scored]);
  expect(b.rough.map((vector) => [...vector])).toEqual(a.rough.map((vector) => [...vector]));
  expect(b.polish.map((vector) => [...vector])).toEqual(a.polish.map((vector) => [...vector]));
});

it('takes the body away and refuses it alike', async () => {
  for (const scoring of [direct, queued]) {
    const sent = upload('{"rough": [1.5]');
    await expect(scoring.take(sent, soon)).rejects.toMatchObject({ name: 'UploadRefused', kind: 'invalid_json' });
    expect(sent.kind === 'json' && sent.body.length).toBe(0);
  }
});
