/** The first shipped model's vectors and scores, to the bit: claims and approvals under it must stay as they were. */
import { createHash } from 'node:crypto';
import { simdCompute } from '#science/compute/cpu-engines';
import { referenceAxis } from '#science/spectra/axis';
import { prepareSide, sampled } from '#science/spectra/scan-set';
import { placeModel } from './encoder.js';
import { preprocessAll } from './preprocess.js';
import { modelIn, shippedModelFolders } from './shipped.js';

const LINES = [
  [1175, 20, 0.8],
  [1282, 15, 1.1],
  [1365, 6, 0.7],
  [2030, 90, 1.2],
  [2160, 60, 1.1],
  [2500, 60, 0.5],
  [3107, 5, 0.6],
];
const curve = (x: number, more: number) => {
  let sum = 0.2 + 0.001 * Math.sin(0.37 * x);
  for (const [at, width, height] of LINES) {
    const size = at === 1282 ? height + 0.2 * more : height;
    sum += size / (1 + ((x - at) / width) ** 2);
  }
  return Math.round(sum * 1e6) / 1e6;
};
const even = (from: number, step: number, length: number) => Float64Array.from({ length }, (_, i) => from + step * i);
const digest = (...arrays: Float32Array[]) => {
  const hash = createHash('sha256');
  for (const { buffer, byteOffset, byteLength } of arrays) hash.update(new Uint8Array(buffer, byteOffset, byteLength));
  return hash.digest('hex').slice(0, 16);
};

it('is the same as when it was shipped: finer axes interpolated, holes bridged, ends filled', async () => {
  // The reference axis, a finer one, one to 4000, one without 1000 to 1500, and a coarse one.
  const axes = [
    referenceAxis(),
    even(400, 2, 2801),
    even(400, 2, 1801),
    even(400, 2, 2801).filter((x) => x < 1000 || x > 1500),
    even(480, 15.5, 360),
  ];
  const scans = axes.map((wavenumbers, k) => ({ wavenumbers, absorbance: wavenumbers.map((x) => curve(x, k)) }));
  const model = modelIn(shippedModelFolders().at(-1)!);
  expect(model.digest.slice(0, 16)).toBe('c2f8f6c2dc144a06');
  // A side with that hole is refused by now; claims that are stored had it.
  const spectra = sampled(scans, model.input.sampling);
  const side = { side: 'rough' as const, scans: scans.toSpliced(3, 1), references: [] };
  const prepared = prepareSide(side, model.input.sampling);
  const placed = await placeModel(model, simdCompute());
  const preprocessings = model.encoders.map(({ preprocessing }) => preprocessing);
  const preprocessed = preprocessAll(preprocessings, spectra, 0, scans.length);
  const vectors = await Promise.all(placed.encoders.map((encoder, e) => encoder.apply(preprocessed[e], scans.length)));
  placed.release();
  expect([prepared.digest.slice(0, 16), digest(spectra), digest(...vectors)]).toEqual([
    'd5706ee7a76198e8',
    'd78254cc3c9118d3',
    '16a091caee55807c',
  ]);
});
