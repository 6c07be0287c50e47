import { REFERENCE_POINTS, referenceAxis } from '#science/spectra/axis';
import { fitPreprocessing } from '../../../lab/training/fit-preprocessing.js';
import { firstBlank, type Preprocessing, pathOf, preprocess, preprocessAll } from './preprocess.js';

const axis = referenceAxis();
const noise = (i: number) => 1e-4 * Math.sin(1.7 * i * i);
const band = (x: number, centre: number, width: number) => Math.exp(-(((x - centre) / width) ** 2) / 2);

/** Absorbance of `path` mm of an invented diamond: lattice bands, a nitrogen band of the given height, a baseline. */
function diamond(path: number, nitrogen: number, baseline = 0): Float32Array {
  return Float32Array.from(axis, (x, i) => {
    const lattice = 0.5 * band(x, 2030, 60) + 0.5 * band(x, 2160, 50) + 0.2 * band(x, 2500, 60);
    return baseline + path * (noise(i) + lattice + nitrogen * band(x, 1282, 15) + 0.02 * band(x, 3107, 8));
  });
}
const training = new Float32Array(60 * REFERENCE_POINTS);
for (let s = 0; s < 60; s++) training.set(diamond(0.5 + (s % 7) / 4, 0.05 * (1 + (s % 5))), s * REFERENCE_POINTS);

const see = (kind: 1 | 2, spectrum: Float32Array) => {
  const out = new Float32Array(fitted[kind].scale.length);
  const path = preprocess(fitted[kind], spectrum, 0, out, 0);
  return { out, path };
};
const fitted = { 1: fitPreprocessing(1, training, 60), 2: fitPreprocessing(2, training, 60) };
const farthest = (a: Float32Array, b: Float32Array) =>
  a.reduce((max, value, i) => Math.max(max, Math.abs(value - b[i])), 0);

describe.each([1, 2] as const)('preprocessing of derivative %s', (kind) => {
  it('does not depend on the path length nor on a level baseline', () => {
    const one = see(kind, diamond(0.8, 0.1));
    const two = see(kind, diamond(1.6, 0.1, 0.2));
    expect(two.path / one.path).toBeCloseTo(2, 2);
    expect(farthest(one.out, two.out)).toBeLessThan(0.01);
    expect(farthest(one.out, see(kind, diamond(0.8, 0.2)).out)).toBeGreaterThan(0.2);
  });

  it('sees a saturated band weakly, and CO2 and hydrocarbons not at all', () => {
    const bin = (x: number) => Math.round((x - axis[0]) / (axis[1] - axis[0]));
    const deep = see(kind, diamond(1, 5));
    expect(Math.abs(deep.out[bin(1282)])).toBeLessThan(0.01);
    const film = Float32Array.from(
      diamond(1, 0.1),
      (a, i) => a + 0.3 * band(axis[i], 2350, 10) + 0.3 * band(axis[i], 2900, 15),
    );
    const [clean, filmed] = [see(kind, diamond(1, 0.1)).out, see(kind, film).out];
    for (const x of [2310, 2350, 2380, 2860, 2900, 2960]) expect(filmed[bin(x)]).toBe(0);
    expect(Math.abs(filmed[bin(1282)] - clean[bin(1282)])).toBeLessThan(0.02);
  });

  const half = kind === 1 ? 3 : 4;
  const wavy = Float32Array.from(diamond(1, 0.1), (a, i) => a + 0.1 * Math.sin(i / 9));

  it('of the whole axis gives edge fill no shape, and what was measured the same shape', () => {
    const preprocessing = fitPreprocessing(kind, training, 60, REFERENCE_POINTS);
    const seen = (spectrum: Float32Array) => {
      const out = new Float32Array(REFERENCE_POINTS);
      preprocess(preprocessing, spectrum, 0, out, 0);
      return out;
    };
    const to = Math.floor((4000 - axis[0]) / (axis[1] - axis[0]));
    const cut = seen(wavy.slice().fill(wavy[to], to));
    expect([...cut.subarray(0, to - half + 1)]).toEqual([...seen(wavy).subarray(0, to - half + 1)]);
    expect(cut.subarray(to - half + 1).every((value) => value === 0)).toBe(true);
  });

  it('ends at 4000 cm^-1: what lies beyond changes nothing, measured or not', () => {
    const { out } = see(kind, wavy);
    expect(out).toHaveLength(axis.filter((x) => x <= 4000).length);
    const above = axis.findIndex((x) => x > 4000);
    for (const beyond of [9, Number.NaN]) expect(see(kind, wavy.slice().fill(beyond, above)).out).toEqual(out);
  });

  it('is nought where nothing was measured and within the reach of the derivative, and as it was elsewhere', () => {
    const [from, end] = [1000, 1500].map((x) => axis.findIndex((w) => w >= x));
    const { out, path } = see(kind, wavy);
    for (const spans of [
      [[from, end]],
      [[0, 20]],
      [
        [from, end],
        [340, 341],
        [310, 330],
      ],
    ]) {
      const holed = wavy.slice();
      for (const [a, b] of spans) holed.fill(Number.NaN, a, b);
      const masked = see(kind, holed);
      expect(masked.path).toBe(path);
      const hidden = (i: number) => spans.some(([a, b]) => i >= a - half && i < b + half);
      masked.out.forEach((value, i) => {
        expect(value).toBe(hidden(i) ? 0 : out[i]);
      });
    }
  });

  it('measures the path from what is left of its bands, and none from nothing', () => {
    const spectrum = diamond(1, 0.1);
    const whole = see(kind, spectrum).path;
    const bin = (x: number) => axis.findIndex((w) => w >= x);
    const left = see(kind, spectrum.slice().fill(Number.NaN, bin(2100), bin(2700))).path;
    expect(Math.abs(left / whole - 1)).toBeLessThan(0.05);
    expect(see(kind, spectrum.slice().fill(Number.NaN, bin(1600), bin(2750))).path).toBe(0);
    expect(see(kind, new Float32Array(REFERENCE_POINTS).fill(Number.NaN)).path).toBe(0);
  });

  it('recognises a blank scan', () => {
    for (const level of [0, 0.7, -3, 1e30]) {
      expect(see(kind, new Float32Array(REFERENCE_POINTS).fill(level)).path).toBe(0);
    }
    const elsewhere = Float32Array.from(axis, (x) => band(x, 4500, 100));
    const { out, path } = see(kind, elsewhere);
    expect(path).toBe(0);
    expect(out.every((value) => value === 0)).toBe(true);
  });

  it('stays finite on extreme values', () => {
    for (const size of [1e-30, 30, 1e10, 3e38]) {
      const { out } = see(
        kind,
        Float32Array.from(diamond(1, 0.1), (a, i) => (i % 2 ? a : -a) * size),
      );
      expect(out.every(Number.isFinite)).toBe(true);
    }
  });
});

/** The definition in double precision. */
function plainPreprocess({ derivative, yardstick, scale }: Preprocessing, spectrum: Float32Array): Float64Array {
  const kernel = {
    1: [-3, -2, -1, 0, 1, 2, 3].map((c) => c / 28),
    2: [28, 7, -8, -17, -20, -17, -8, 7, 28].map((c) => c / 462),
  }[derivative];
  const half = kernel.length >> 1;
  const clear = spectrum.filter((_, i) => axis[i] >= 3610 && axis[i] <= 3990).sort();
  const middle = clear[Math.floor(0.2 * clear.length)] + 2.6;
  const weights = Float64Array.from(spectrum, (a) => 1 / (1 + Math.exp((a - middle) / 0.15)));
  const slopes = Float64Array.from(scale, (_, i) =>
    i < half || i >= scale.length - half
      ? 0
      : weights[i] * kernel.reduce((sum, c, k) => sum + c * spectrum[i + k - half], 0),
  );
  const inBand = (x: number) => (x >= 1680 && x <= 2300) || (x >= 2400 && x <= 2680);
  const sum = (values: ArrayLike<number>) =>
    axis.reduce((total, x, i) => total + (inBand(x) ? Math.abs(values[i]) : 0), 0);
  const path = sum(slopes) / sum(weights.map((w, i) => w * yardstick[i]));
  const hidden = (x: number) => (x >= 2300 && x <= 2390) || (x >= 2840 && x <= 2970);
  return slopes.map((s, i) => (hidden(axis[i]) ? 0 : Math.max(-20, Math.min(20, Math.asinh(s / path / scale[i])))));
}

it.each([1, 2] as const)('agrees with its definition in double precision, derivative %s', (kind) => {
  for (const spectrum of [diamond(0.8, 0.1), diamond(1.6, 0.1, 0.2), diamond(1, 5), diamond(3, 0.2), diamond(12, 9)]) {
    const spiked = spectrum.with(400, 50);
    for (const one of [spectrum, spiked]) {
      const plain = plainPreprocess(fitted[kind], one);
      plain.forEach((value, i) => {
        expect(Math.abs(see(kind, one).out[i] - value)).toBeLessThan(1e-4);
      });
    }
  }
});

it('sees the same in a table as alone, and the same path by itself', () => {
  const table = new Float32Array(3 * REFERENCE_POINTS);
  const spectra = [diamond(1, 0.1), diamond(2, 0.3), diamond(0.5, 0.2)];
  spectra.forEach((spectrum, i) => {
    table.set(spectrum, i * REFERENCE_POINTS);
  });
  for (const kind of [1, 2] as const) {
    const points = fitted[kind].scale.length;
    const out = new Float32Array(3 * points);
    spectra.forEach((spectrum, i) => {
      const path = preprocess(fitted[kind], table, i * REFERENCE_POINTS, out, i * points);
      const alone = see(kind, spectrum);
      expect(path).toBe(alone.path);
      expect(pathOf(fitted[kind], table, i * REFERENCE_POINTS)).toBe(path);
      expect(out.subarray(i * points, (i + 1) * points)).toEqual(alone.out);
    });
  }
});

it('shows several encoders what each of them sees alone, holes and blank scans included', () => {
  for (const points of [fitted[1].scale.length, REFERENCE_POINTS]) {
    const both = ([1, 2, 1] as const).map((kind) => fitPreprocessing(kind, training, 60, points));
    both[2].scale.fill(0.5);
    const spectra = new Float32Array(4 * REFERENCE_POINTS);
    const holed = diamond(2, 0.3).fill(Number.NaN, 60, 90);
    for (const [i, spectrum] of [diamond(1, 0.1), holed, diamond(1, 0).fill(0.2), diamond(0.5, 0.2)].entries())
      spectra.set(spectrum, i * REFERENCE_POINTS);
    const tables = preprocessAll(both, spectra, 1, 3).map((table) => table.slice());
    for (const [e, preprocessing] of both.entries())
      for (let row = 0; row < 3; row++) {
        const alone = new Float32Array(points);
        const path = preprocess(preprocessing, spectra, (row + 1) * REFERENCE_POINTS, alone, 0);
        expect(path === 0).toBe(row === 1);
        expect(tables[e].subarray(row * points, (row + 1) * points)).toEqual(alone);
      }
    expect(firstBlank(both, spectra, 4)).toBe(2);
  }
});
