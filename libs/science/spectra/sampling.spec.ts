import { REFERENCE_POINTS, REFERENCE_STEP, referenceAxis } from './axis.js';
import { planAxis, type Sampling } from './sampling.js';
import { scanKernel } from './scan-kernel.js';

const axis = referenceAxis();
const even = (from: number, to: number, step: number) =>
  Float64Array.from({ length: Math.floor((to - from) / step + 1e-9) + 1 }, (_, i) => from + i * step);
const sample = (x: Float64Array, curve: (x: number) => number, sampling: Sampling = 'masked') => {
  const out = new Float32Array(REFERENCE_POINTS);
  const kernel = scanKernel();
  kernel.hold(x.map(curve));
  kernel.sample(planAxis(x), sampling, out, 0);
  kernel.forget();
  return out;
};
const bin = (x: number) => Math.round((x - axis[0]) / REFERENCE_STEP);
const bend = (x: number) => Math.sin(x / 90) + x / 3000;
const missing = (x: Float64Array) => planAxis(x).missing.map((range) => range.map(Math.round));
const masked = (x: Float64Array) => [...sample(x, bend)].flatMap((y, j) => (Number.isNaN(y) ? [axis[j]] : []));

describe('on the reference axis', () => {
  it('both samplings keep every bit, with the axis as printed too', () => {
    for (const x of [axis, axis.map((w) => Math.round(w * 1e4) / 1e4), axis.map((w) => Math.round(w * 100) / 100)]) {
      const [one, other] = [sample(x, bend), sample(x, bend, 'bridged')];
      expect([...one]).toEqual([...other]);
    }
    expect([...sample(axis, bend)]).toEqual([...axis].map((w) => Math.fround(bend(w))));
  });
});

describe('a finer axis', () => {
  it('is averaged over one reference step, whatever its own step, even or not', () => {
    const jittered = even(480, 6000, 1.3).map((x, i) => x + 0.5 * Math.sin(i * i));
    for (const x of [even(400, 7000, 0.5), even(480.3, 6000, 1.93), even(470, 6000, 4.1), jittered]) {
      const out = sample(x, bend);
      // Its mean over a step h is sin times sinc(h / 180) but for the averaging of the cells themselves.
      for (const j of [1, 300, 669]) expect(Math.abs(out[j] - bend(axis[j]))).toBeLessThan(1e-3);
      expect(out.every(Number.isFinite)).toBe(true);
      expect(planAxis(x).missing).toEqual([]);
    }
  });

  it('takes a line narrower than the reference step by its area, wherever it falls between reference points', () => {
    const line = (centre: number) => (x: number) => Math.exp(-(((x - centre) / 0.8) ** 2));
    const area = 0.8 * Math.sqrt(Math.PI);
    const x = even(480, 6000, 0.25);
    for (const shift of [0, 2, 3, 3.9]) {
      const centre = axis[400] + shift;
      const sum = (sampling: Sampling) =>
        sample(x, line(centre), sampling).reduce((total, value) => total + value, 0) * REFERENCE_STEP;
      expect(Math.abs(sum('masked') / area - 1)).toBeLessThan(0.01);
      // Interpolation sees from five times as much of it to nothing.
      expect(Math.abs(sum('bridged') / area - 1)).toBeGreaterThan(0.5);
    }
  });

  it('leaves of a ripple of the period of one step next to nothing', () => {
    const ripple = (x: number) => Math.cos((2 * Math.PI * x) / REFERENCE_STEP);
    const size = (values: Float32Array) => Math.max(...values.map(Math.abs));
    const x = even(480, 6000, 0.5);
    expect(size(sample(x, ripple))).toBeLessThan(0.02);
    expect(size(sample(x, ripple, 'bridged'))).toBeGreaterThan(0.9);
  });

  it('does not shift at an end, where less than a step is there', () => {
    const slope = (x: number) => x;
    const out = sample(even(axis[10], axis[600], 0.5), slope);
    for (const j of [10, 11, 599, 600]) expect(Math.abs(out[j] - axis[j])).toBeLessThan(0.3);
    expect([out[9], out[601]]).toEqual([Number.NaN, Number.NaN]);
  });
});

describe('a hole', () => {
  it.each<[string, Float64Array, number[][]]>([
    ['between 1000 and 1500', even(480, 6000, 2).filter((x) => x < 1000 || x > 1500), [[998, 1502]]],
    ['in the reference axis', axis.filter((x) => x < 1000 || x > 1020), [[993, 1025]]],
    ['of one reference step in a finer axis', even(480, 6000, 1).filter((x) => x < 2000 || x > 2007), [[1999, 2008]]],
    ['before 600', even(600, 6000, 2), [[492, 600]]],
    ['above 4000', even(480, 4000, 2), [[4000, 5989]]],
    [
      'but for 1680 to 2700',
      even(1680, 2700, 2),
      [
        [492, 1680],
        [2700, 5989],
      ],
    ],
    ['everywhere: steps of 20', even(480, 6000, 20), [[492, 5989]]],
    ['outside the reference axis', even(200, 7000, 2).filter((x) => x > 450 || x < 300), []],
  ])('%s is missing', (_, x, expected) => {
    expect(missing(x)).toEqual(expected);
  });

  it.each<[string, Float64Array]>([
    ['a coarse axis of 16', even(480, 6000, 16)],
    [
      'an axis even in wavelength',
      even(1.6, 21, 0.004)
        .map((um) => 10_000 / um)
        .sort(),
    ],
    [
      'a fine axis that goes over into a coarse one',
      Float64Array.of(...even(480, 1999.5, 0.5), ...even(2000, 6000, 8)),
    ],
    ['half a reference step in a fine axis', even(480, 6000, 0.5).filter((x) => x < 2000 || x > 2003)],
  ])('%s is none', (_, x) => {
    expect(missing(x)).toEqual([]);
    expect(masked(x)).toEqual([]);
  });

  it('is masked where its points are missing and nowhere else, and bridged by a straight line before', () => {
    const x = even(480, 6000, 2).filter((w) => w < 1000 || w > 1500);
    expect(masked(x)).toEqual([...axis].filter((w) => w > 998.4 && w < 1501.6));
    const [whole, holed] = [sample(even(480, 6000, 2), bend), sample(x, bend)];
    for (const j of [0, bin(980), bin(1520), 600]) expect(holed[j]).toBe(whole[j]);
    const bridged = sample(x, bend, 'bridged');
    const [a, b] = [bend(998), bend(1502)];
    expect(bridged[bin(1250)]).toBeCloseTo(a + ((axis[bin(1250)] - 998) / 504) * (b - a), 5);
  });

  it('does not lend its edge what lies beyond it', () => {
    const x = even(480, 6000, 2).filter((w) => w < 1000 || w > 1500);
    const step = (w: number) => (w < 1250 ? 1 : 1000);
    expect([...sample(x, step)].filter((y) => y !== 1 && y !== 1000 && !Number.isNaN(y))).toEqual([]);
  });
});
