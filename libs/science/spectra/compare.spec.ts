import { describe, expect, it } from '@jest/globals';
import { referenceAxis } from './axis.js';
import { compareSides, onReferenceAxis } from './compare.js';
import { sampled } from './scan-set.js';

const AXIS = referenceAxis();
const peak = (w: number, at: number, width: number) => Math.exp(-(((w - at) / width) ** 2));
/** Scans of a stone with so long a path: two-phonon bands, a sloping baseline, and a line of its own. */
const scanOf = (wavenumbers: Float64Array, path: number, line: number, slope: number) => ({
  wavenumbers,
  absorbance: wavenumbers.map((w) => 0.1 + slope * (4000 - w) + path * (peak(w, 2100, 300) + line * peak(w, 1282, 20))),
});
const side = (...stone: [path: number, line: number, slope: number]) => [
  scanOf(AXIS, ...stone),
  scanOf(AXIS, ...stone),
];
const axis = (from: number, to: number, step: number) =>
  Float64Array.from({ length: Math.floor((to - from) / step) }, (_, i) => from + i * step);

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
    const nothing = [scanOf(axis(6500, 7000, 2), 0.8, 0.1, 0)];
    expect(compareSides(nothing, side(0.8, 0.1, 0)).differences).toEqual([]);
    expect(compareSides(dark, dark).differences).toEqual([]);
  });
});

describe('onReferenceAxis', () => {
  it.each([
    ['a finer axis', axis(400, 6000, 1.93)],
    ['a coarser one', axis(400, 6000, 11)],
    ['one that stops short', axis(700, 3900, 4)],
    ['one with a hole', Float64Array.from([...axis(400, 1500, 4), ...axis(2000, 6000, 4)])],
  ])('gives what the kernel gives: %s', (_, wavenumbers) => {
    const scan = scanOf(wavenumbers, 0.8, 0.5, 1e-6);
    const kernel = sampled([scan], 'masked');
    const values = onReferenceAxis(scan);
    expect(Array.from(values, Number.isNaN)).toEqual(Array.from(kernel, Number.isNaN));
    for (const [j, value] of values.entries()) if (!Number.isNaN(value)) expect(value).toBeCloseTo(kernel[j], 5);
  });
});
