/** What every scan must be, however it was sent: values of an absorbance over wavenumbers. */

import { extremes } from '#science/numerics/quantile';
import { perAxis } from './axes.js';

/** Why numbers are no absorbance over wavenumbers, and what to do; no submitted value. */
export interface Fault {
  reason: string;
  fix: string;
}

export const TO_ABSORBANCE = 'convert the spectrum to absorbance and export it again';
export const TO_WAVENUMBERS = 'export the spectrum over wavenumbers in cm^-1';

/** No absorbance spectrum lies beyond, cm^-1: 100,000 is the far ultraviolet. */
const LAST_WAVENUMBER = 100_000;
/** An axis that ends below is one of wavelengths in um: 25 um are 400 cm^-1. */
const LAST_MICROMETRE = 60;
/**
 * Least and largest absorbance. Measured: noise where a detector has no light left reaches -1.2, a thousand times the light of
 * the empty beam is none that a stone lets through; real files reach 4.5 in stones and 17.4 in others.
 */
const LEAST = -3;
const LARGEST = 20;
/** Largest value of a per cent scale, with its noise. */
const PER_CENT = [-5, 125] as const;
/** Median difference of neighbours, as a share of the range, above which values are noisier than any absorbance on such a scale. */
const SMOOTH = 0.02;
/** An axis is uneven where the steps at its ends differ by this factor, and even where all lie so near their mean. */
const UNEVEN = 1.25;
const EVEN = 0.05;
/** Where diamond absorbs by its lattice and where it hardly does, cm^-1, and how much higher the former is at least. */
const BANDS = [1950, 2200] as const;
const CLEAR = [3800, 3990] as const;
const HIGHER = 1.2;

/**
 * The first fault of numbers that are to be an absorbance over wavenumbers; undefined where there is none.
 * @param x wavenumbers, cm^-1, and @param y as many values, both finite, in the order of the file
 */
export function faultOf(x: Float64Array, y: Float64Array): Fault | undefined {
  return faultOfAxis(x) ?? faultOfValues(x, y);
}

const axis = (reason: string, fix = TO_WAVENUMBERS): Fault => ({ reason, fix });

export const faultOfAxis = perAxis((x: Float64Array): Fault | undefined => {
  const rising = x[1] > x[0];
  let counts = x[0] === 0;
  for (let i = 1; i < x.length; i++) {
    if (x[i] === x[i - 1]) return axis(`a wavenumber repeats at data row ${i + 1}`);
    if (x[i] > x[i - 1] !== rising) return axis(`the wavenumbers turn round at data row ${i + 1}`);
    counts &&= x[i] === i;
  }
  if (counts)
    return axis(
      'the first column counts points from 0 where wavenumbers are needed, as in an interferogram',
      'process the measurement to an absorbance spectrum and export that over wavenumbers in cm^-1',
    );
  const [first, last] = rising ? [x[0], x[x.length - 1]] : [x[x.length - 1], x[0]];
  const ends = `the axis from ${short(first)} to ${short(last)}`;
  if (first < 0) return axis(`${ends} goes below 0 cm^-1, where there is no infrared light`);
  if (last > LAST_WAVENUMBER) return axis(`${ends} goes beyond ${LAST_WAVENUMBER} cm^-1`);
  if (last < LAST_MICROMETRE) return axis(`${ends} looks like wavelengths in um`);
  return isOfWavelengths(x)
    ? axis(`${ends} looks like wavelengths in nm: its reciprocals are evenly spaced`)
    : undefined;
});

/** True of an axis that is uneven and evenly spaced once it is turned into wavenumbers. */
function isOfWavelengths(x: Float64Array): boolean {
  const n = x.length;
  if (x[0] === 0 || x[n - 1] === 0) return false;
  const ratio = (x[1] - x[0]) / (x[n - 1] - x[n - 2]);
  if (Math.max(ratio, 1 / ratio) < UNEVEN) return false;
  const mean = (1 / x[n - 1] - 1 / x[0]) / (n - 1);
  for (let i = 1; i < n; i++) if (Math.abs((1 / x[i] - 1 / x[i - 1]) / mean - 1) > EVEN) return false;
  return true;
}

export function faultOfValues(x: Float64Array, y: Float64Array): Fault | undefined {
  const [min, max] = extremes(y);
  if (min >= LEAST && max <= LARGEST) return undefined;
  const beyond = y.reduce((count, value) => count + Number(value < LEAST || value > LARGEST), 0);
  const like = likeOf(x, y, min, max);
  return {
    reason: `${beyond} of ${y.length} values lie beyond ${LEAST} to ${LARGEST}, the bounds of an absorbance: they look like ${like}`,
    fix: like === COUNTS ? 'send an infrared absorbance spectrum' : TO_ABSORBANCE,
  };
}

const COUNTS = 'counts (Raman, emission or a single beam)';

/** What values outside the bounds of an absorbance most look like. */
function likeOf(x: Float64Array, y: Float64Array, min: number, max: number): string {
  if (min < PER_CENT[0] || max <= LARGEST || roughness(y) > SMOOTH * (max - min)) return COUNTS;
  const [inBands, clear] = [BANDS, CLEAR].map(([from, to]) => mean(y.filter((_, i) => x[i] >= from && x[i] <= to)));
  const absorbs = inBands > HIGHER * clear;
  if (max > PER_CENT[1]) return absorbs ? 'milli-absorbance' : COUNTS;
  if (absorbs) return 'absorption in per cent';
  const median = y.slice().sort()[y.length >> 1];
  return median > 0.4 * max ? 'per-cent transmittance' : COUNTS;
}

const mean = (y: Float64Array): number => y.reduce((sum, value) => sum + value, 0) / y.length;

/** Median difference of neighbours. */
function roughness(y: Float64Array): number {
  const steps = Float64Array.from({ length: y.length - 1 }, (_, i) => Math.abs(y[i + 1] - y[i])).sort();
  return steps[steps.length >> 1];
}

const short = (value: number): string => String(Number(value.toPrecision(4)));
