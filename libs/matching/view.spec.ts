import { describe, expect, it } from '@jest/globals';
import { REFERENCE_POINTS, referenceAxis } from '#spectra';
import { fitView, viewOf } from './view.js';

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
  const out = new Float32Array(REFERENCE_POINTS);
  const path = viewOf(views[kind], spectrum, 0, out, 0);
  return { out, path };
};
const views = { 1: fitView(1, training, 60), 2: fitView(2, training, 60) };
const farthest = (a: Float32Array, b: Float32Array) =>
  a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);

describe.each([1, 2] as const)('view of derivative %s', (kind) => {
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

  it('gives edge fill no shape, and what was measured the same shape', () => {
    const whole = diamond(1, 0.1);
    const short = Float32Array.from(whole, (a, i) => a + 0.1 * Math.sin(i / 9));
    const [from, to] = [0, Math.floor((4000 - axis[0]) / (axis[1] - axis[0]))];
    const full = see(kind, short).out;
    short.fill(short[to], to);
    const cut = see(kind, short).out;
    const half = kind === 1 ? 3 : 4;
    expect([...cut.subarray(from, to - half + 1)]).toEqual([...full.subarray(from, to - half + 1)]);
    expect(cut.subarray(to - half + 1).every((value) => value === 0)).toBe(true);
  });

  it('tells a blank scan', () => {
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
