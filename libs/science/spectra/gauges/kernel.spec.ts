import fc from 'fast-check';
import { gaugeKernel } from './kernel.js';
import { bestFit } from './noise-models.js';
import { WindowTransform } from './window-transform.js';

/** The same sums in plain arithmetic, each in the order of a plain loop. */
function plainPowers(samples: Float64Array, start: number, points: number, harmonics: number[]): number[] {
  const half = points / 2;
  const fromCentre = Float64Array.from({ length: half }, (_, j) => half - 0.5 - j);
  const unit = (v: Float64Array) => v.map((x) => x / Math.sqrt(v.reduce((sum, y) => sum + y * y, 0)));
  const hann = fromCentre.map((x) => 0.5 + 0.5 * Math.cos((2 * Math.PI * x) / (points + 1)));
  const energy = Math.sqrt(2 * hann.reduce((sum, v) => sum + v * v, 0));
  const slope = unit(fromCentre);
  const curve = unit(fromCentre.map((x) => x * x - (points * points - 1) / 12));
  const of = (j: number, sign: number) => samples[start + j] + sign * samples[start + points - 1 - j];
  let [total, bend, rise] = [0, 0, 0];
  for (let j = 0; j < half; j++) {
    total += of(j, 1);
    bend += of(j, 1) * curve[j];
    rise += of(j, -1) * slope[j];
  }
  const taper = hann.map((v) => v / energy);
  const sum = (j: number) => (of(j, 1) - total / half - bend * curve[j]) * taper[j];
  const difference = (j: number) => (of(j, -1) - rise * slope[j]) * taper[j];
  return harmonics.map((harmonic) => {
    const sign = harmonic % 2 === 0 ? 1 : -1;
    let [cosines, sines] = [0, 0];
    for (let j = 0; j < points / 4; j++) {
      const angle = (2 * Math.PI * harmonic * (points / 2 - 0.5 - j)) / points;
      const mirror = half - 1 - j;
      cosines += (sum(j) + sign * sum(mirror)) * Math.cos(angle);
      sines += (difference(j) - sign * difference(mirror)) * Math.sin(angle);
    }
    return cosines * cosines + sines * sines;
  });
}

describe('the kernel gives the bits of plain arithmetic', () => {
  it('for periodograms of windows of any length, at any start', () => {
    const finite = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    const windows = fc.record({
      quarter: fc.integer({ min: 2, max: 20 }),
      samples: fc.array(finite, { minLength: 100, maxLength: 140 }),
      count: fc.integer({ min: 0, max: 5 }),
    });
    fc.assert(
      fc.property(windows, ({ quarter, samples, count }) => {
        const points = 4 * quarter;
        const harmonics = [0, 1, 2, 3, 5, 8, 13].filter((h) => h <= points / 2);
        const values = Float64Array.from(samples);
        const starts = Array.from({ length: count }, (_, i) => (i * (samples.length - points)) >> 2);
        const all = new WindowTransform(points, harmonics).powers(values, starts);
        const plain = starts.flatMap((start) => plainPowers(values, start, points, harmonics));
        expect([...all]).toEqual(plain);
      }),
      { numRuns: 60 },
    );
  });

  it('for the best fit among models that fill no whole block', () => {
    const [models, bins] = [11, 21];
    const value = (i: number) => 0.1 + ((i * 7919) % 1000) / 300;
    const rows = new Float64Array(16 * bins).fill(Number.POSITIVE_INFINITY);
    const spectrum = Float64Array.from({ length: bins }, (_, k) => value(3 * k + 1));
    let best = Number.POSITIVE_INFINITY;
    for (let m = 0; m < models; m++) {
      let sum = 0;
      for (let k = 0; k < bins; k++) {
        rows[(m >> 3) * 8 * bins + k * 8 + (m & 7)] = value(m * bins + k);
        sum += value(m * bins + k) * spectrum[k];
      }
      best = Math.min(best, sum);
    }
    expect(bestFit({ rows: gaugeKernel().place(rows), blocks: 2 }, spectrum)).toBe(best / bins);
  });

  it('and leaves no sample in its memory', () => {
    const secret = Float64Array.from({ length: 64 }, (_, i) => Math.PI * 1e3 + i);
    new WindowTransform(16, [1, 2]).powers(secret, [0, 20]);
    const { exports } = gaugeKernel();
    const inside = Buffer.from(exports.memory.buffer);
    expect(inside.includes(Buffer.from(secret.buffer, 8 * 30, 16))).toBe(false);
  });
});
