import { referenceAxis } from './axis.js';
import { faultOf } from './physical.js';

const axis = referenceAxis();
const band = (w: number, at: number, width: number) => Math.exp(-(((w - at) / width) ** 2));
/** A diamond's lattice and a nitrogen band over a baseline. */
const diamond = axis.map((w) => 0.1 + 0.6 * band(w, 2030, 150) + 0.3 * band(w, 2500, 90) + 0.8 * band(w, 1282, 60));
const reasonOf = (absorbance: Float64Array, wavenumbers = axis) => faultOf(wavenumbers, absorbance)?.reason ?? 'none';
/** Sharp lines over a floor with shot noise. */
const counts = (scale: number, floor: number) =>
  axis.map((w, i) => floor + scale * band(w, 1332, 12) + (((i * 7919) % 101) / 101 - 0.5) * Math.sqrt(scale + 100));

describe('an absorbance over wavenumbers', () => {
  it('may be noisy, negative, thick or clipped, up or down', () => {
    for (const change of [
      (a: number) => a,
      (a: number) => 6 * a,
      (a: number) => Math.min(a, 6),
      (a: number) => a - 0.5,
    ])
      expect(reasonOf(diamond.map(change))).toBe('none');
    expect(reasonOf(diamond.toReversed(), axis.toReversed())).toBe('none');
    expect(reasonOf(diamond.with(3, -1.2).with(9, 17.4))).toBe('none');
  });

  it.each([
    ['per-cent transmittance', diamond.map((a) => 100 * 10 ** -a)],
    ['absorption in per cent', diamond.map((a) => 100 * (1 - 10 ** -a))],
    ['milli-absorbance', diamond.map((a) => 1000 * a)],
    ['counts', counts(700, 0)],
    ['counts', counts(80_000, 12_000)],
    ['counts', counts(90, 3).map((v) => v - 8)],
  ])('is not %s', (like, values) => {
    const reason = reasonOf(values);
    expect(reason).toContain(`they look like ${like}`);
    expect(reason).toMatch(/^\d+ of 671 values lie beyond -3 to 20/);
  });

  it.each([
    ['below 0 cm^-1', axis.map((w) => w - 800)],
    ['wavelengths in um', axis.map((w) => 1e4 / w)],
    ['wavelengths in nm', axis.map((w) => 1e7 / w)],
    ['beyond 100000 cm^-1', axis.map((w) => 100 * w)],
    ['repeats at data row 5', axis.with(4, axis[3])],
    ['turn round at data row 5', axis.with(4, axis[1])],
    ['counts points from 0', axis.map((_, i) => i)],
  ])('is not over an axis that is or goes %s', (words, wavenumbers) => {
    expect(reasonOf(diamond, wavenumbers)).toContain(words);
  });
});
