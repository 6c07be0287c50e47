import { FIRST_INPUT } from '#science/matching/input';
import { type Encoder, modelOf } from '#science/matching/model';
import { shippedModel } from '#science/matching/shipped';
import { invented } from '#science/matching/test/model';
import { zip } from '#science/spectra/test/zip';
import { POPULATIONS, type SimulatedScan, simulateStone } from '#simulator';
import type { Scoring } from './port.js';
import { QueueScoring } from './queue-scoring.js';
import { ThreadScoring } from './thread-scoring.js';
import { placesOf } from './transfer.js';
import type { Upload } from './upload.js';

/** Invented, with the real lattice: simulated scans are of diamond for them. */
const withLattice = (encoder: Encoder): Encoder => {
  const { yardstick } = shippedModel().encoders.find(
    ({ preprocessing }) => preprocessing.derivative === encoder.preprocessing.derivative,
  )!.preprocessing;
  const longer = encoder.preprocessing.yardstick.slice().fill(0);
  longer.set(yardstick);
  return { ...encoder, preprocessing: { ...encoder.preprocessing, yardstick: longer } };
};
const model = modelOf('tested', [invented('first', 1, 64), invented('second', 2, 64)].map(withLattice));
// A model of the first input, which wants the spectra sampled in another way.
const other = modelOf('other', [withLattice(invented('third', 2, 32, FIRST_INPUT))], FIRST_INPUT);
const pool = () => new ThreadScoring({ models: [model, other], engine: 'simd', threads: 1, maxWaiting: 10 });
let direct: Scoring;
let queued: Scoring;
beforeAll(() => {
  direct = pool();
  queued = new QueueScoring(pool(), new Map([model, other].map(({ digest }) => [digest, pool()])));
});
afterAll(() => Promise.all([direct.close(), queued.close()]));

// On an axis finer than the reference.
const stone = simulateStone(POPULATIONS['low-noise-4'], 1, 1);
const side = (scans: SimulatedScan[]) => ({
  wavenumbers: [...scans[0].wavenumbers],
  spectra: scans.map(({ absorbance }) => [...absorbance]),
});
const upload = (text = JSON.stringify({ rough: side(stone.rough), polish: side(stone.polish) })): Upload => ({
  kind: 'json',
  body: new TextEncoder().encode(text),
});
const soon = { timeoutMs: 20_000, model: model.digest };

it('checks here and scores elsewhere to the same bits as in one place', async () => {
  const [here, there] = await Promise.all([direct.readAndScore(upload(), soon), queued.readAndScore(upload(), soon)]);
  expect(there.checked).toEqual(here.checked);
  expect(there.checked).toMatchObject({ rejectTarget: 0.98, rough: { count: 6 }, polish: { count: 1 } });
  const [a, b] = await Promise.all([here.scored, there.scored]);
  expect(b.rough.map((vector) => [...vector])).toEqual(a.rough.map((vector) => [...vector]));
  expect(b.polish.map((vector) => [...vector])).toEqual(a.polish.map((vector) => [...vector]));
});

it('takes the body away and refuses it alike', async () => {
  for (const scoring of [direct, queued]) {
    const sent = upload('{"rough": [1.5]');
    await expect(scoring.readAndScore(sent, soon)).rejects.toMatchObject({
      name: 'UploadRefused',
      kind: 'invalid_json',
    });
    expect(sent.kind === 'json' && sent.body.length).toBe(0);
  }
});

it('scores a claim by a shadow model too, after its own and to the same bits as alone', async () => {
  const plain = (vectors: Float32Array[]) => vectors.map((vector) => [...vector]);
  for (const scoring of [direct, queued]) {
    const alone = await scoring.readAndScore(upload(), { ...soon, model: other.digest });
    expect(alone).not.toHaveProperty('shadow');
    const expected = await alone.scored;
    const { scored, shadow } = await scoring.readAndScore(upload(), { ...soon, shadow: other.digest });
    const order: string[] = [];
    const [own, second] = await Promise.all([
      scored.finally(() => order.push('own')),
      shadow!.finally(() => order.push('other')),
    ]);
    expect(order).toEqual(['own', 'other']);
    expect([own.model, second.model]).toEqual([model.digest, other.digest]);
    expect([plain(second.rough), plain(second.polish)]).toEqual([plain(expected.rough), plain(expected.polish)]);
  }
});

it('answers a claim whose other model nobody holds', async () => {
  for (const scoring of [direct, queued]) {
    const { scored, shadow } = await scoring.readAndScore(upload(), { ...soon, shadow: 'f'.repeat(64) });
    await expect(shadow).rejects.toMatchObject({ reason: 'other_model' });
    expect((await scored).rough).toHaveLength(2);
  }
});

it('takes a place among the claims in work for each mebibyte that an upload unpacks to', () => {
  const places = (bytes: number) => placesOf({ kind: 'json', body: new Uint8Array(bytes) });
  expect([0, 55_000, 2 ** 20, 2 ** 20 + 1, 4_000_000].map(places)).toEqual([1, 1, 1, 2, 4]);
  const content = new Uint8Array(5 * 2 ** 20);
  const data = zip([
    { name: 'a.csv', content },
    { name: 'b.csv', content },
  ]);
  expect(data.length).toBeLessThan(2 ** 15);
  expect(
    placesOf({
      kind: 'files',
      rejectTarget: undefined,
      rough: [{ name: 'a.zip', data }],
      polish: [],
      stoneIds: {},
      unused: [],
    }),
  ).toBe(11);
});
