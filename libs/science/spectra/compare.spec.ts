import { describe, expect, it } from '@jest/globals';
import { REFERENCE_POINTS, referenceAxis } from './axis.js';
import { compareSides } from './compare.js';

const AXIS = referenceAxis();
const peak = (w: number, at: number, width: number) => Math.exp(-(((w - at) / width) ** 2));
/** Scans of a stone with so long a path: two-phonon bands, a sloping baseline, and a line of its own. */
const side = (path: number, line: number, slope: number, count = 2) => ({
  count,
  spectra: Float32Array.from({ length: count * REFERENCE_POINTS }, (_, i) => {
    const w = AXIS[i % REFERENCE_POINTS];
    return 0.1 + slope * (4000 - w) + path * (peak(w, 2100, 300) + line * peak(w, 1282, 20));
  }),
});

describe('compareSides', () => {
  it('lays sides of any path over each other, and finds where they differ', () => {
    const { rough, polish, differences } = compareSides(side(0.8, 0.5, 0), side(0.2, 0.1, 1e-6));
    expect([rough.length, polish.length]).toEqual([2, 2]);
    const at = AXIS.findIndex((w) => w > 2100);
    expect(polish[0][at]).toBeCloseTo(rough[0][at], 1);
    const [{ range, difference }] = differences;
    expect(range[0]).toBeLessThan(1282);
    expect(range[1]).toBeGreaterThan(1282);
    expect(difference).toBeGreaterThan(0);
  });

  it('compares nothing where nothing was measured, or no light came through', () => {
    const dark = side(0.8, 5, 0);
    expect(compareSides(dark, side(0.8, 0.1, 0)).differences.some(({ range: [a, b] }) => a < 1282 && b > 1282)).toBe(
      false,
    );
    const nothing = { count: 1, spectra: new Float32Array(REFERENCE_POINTS).fill(Number.NaN) };
    expect(compareSides(nothing, side(0.8, 0.1, 0)).differences).toEqual([]);
    expect(compareSides(dark, dark).differences).toEqual([]);
  });
});
