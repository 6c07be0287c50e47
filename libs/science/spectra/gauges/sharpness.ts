import { interpolatedQuantile } from '#science/numerics/quantile';
import { perAxis } from '../axes.js';
import { lowerBound, REFERENCE_POINTS, REFERENCE_STEP, referenceAxis } from '../axis.js';
import { FITTED } from './fitted.js';
import { evenStep, type GaugedSide } from './scan.js';

/** Runs [first, end) of the reference axis's bins in the two-phonon bands, where a diamond's own sharp detail lies. */
const AXIS = referenceAxis();
const BANDS = runs([
  [1700, 2290],
  [2400, 2670],
]);
/** The bins of both, with one more at either end. */
const BINS = Int32Array.from(
  BANDS.flatMap(([first, end]) => Array.from({ length: end - first + 2 }, (_, i) => first - 1 + i)),
);
/** Every third bin above 3600 cm^-1: their 20th percentile is the baseline; 2.6 absorbance above it is saturated. */
const BASE_FROM = AXIS.findIndex((v) => v > 3600);
const BASE_EVERY = 3;
const BASE_BINS = Math.ceil((REFERENCE_POINTS - BASE_FROM) / BASE_EVERY);
const SATURATED_ABOVE = 2.6;
const MIN_BINS = 30;

/** Room for `sharpness`, kept from call to call: the scans' mean, by bin and at the bins of the baseline. */
const mean = new Float64Array(REFERENCE_POINTS);
const base = new Float64Array(BASE_BINS);

/**
 * Sharpness of a side's detail: rms second difference over rms central first difference of the scan mean, on unsaturated
 * two-phonon bins of the reference axis, scaled so that unprocessed polish sides lie in SHARPNESS_BAND. Noise raises it,
 * smoothing lowers it. 0 where the bands hold no slope to compare with, as nothing of them was submitted.
 */
export function sharpness({ scans, spectra, count, sampling }: GaugedSide): number {
  mean.fill(0);
  base.fill(0);
  for (let scan = 0; scan < count; scan++) {
    const row = scan * REFERENCE_POINTS;
    const { wavenumbers, absorbance } = scans[scan];
    const taps = sampling === 'masked' ? tapsOf(wavenumbers) : undefined;
    for (let b = 0; b < BINS.length; b++) {
      const sampled = spectra[row + BINS[b]];
      mean[BINS[b]] += (taps && !Number.isNaN(sampled) ? between(absorbance, taps, b, sampled) : sampled) / count;
    }
    for (let i = 0; i < BASE_BINS; i++) base[i] += spectra[row + BASE_FROM + BASE_EVERY * i] / count;
  }
  // Bins that a scan lacks are NaN, and count for nothing.
  let known = 0;
  for (let i = 0; i < BASE_BINS; i++) if (!Number.isNaN(base[i])) base[known++] = base[i];
  const limit =
    known > 0 ? interpolatedQuantile(base.subarray(0, known), 0.2) + SATURATED_ABOVE : Number.POSITIVE_INFINITY;
  const unsaturated = detail(limit);
  const { bins, slope, bend } = unsaturated.bins >= MIN_BINS ? unsaturated : detail(Number.POSITIVE_INFINITY);
  // No spectrum stays behind.
  mean.fill(0);
  base.fill(0);
  const ratio = Math.sqrt(bend / bins) / Math.sqrt(slope / bins);
  return Number.isFinite(ratio) ? FITTED[sampling].sharpnessScale * ratio : 0;
}

function detail(limit: number): { bins: number; slope: number; bend: number } {
  let bins = 0;
  let slope = 0;
  let bend = 0;
  for (const [first, end] of BANDS) {
    for (let i = first; i < end; i++) {
      if (mean[i] >= limit) continue;
      const d1 = (mean[i + 1] - mean[i - 1]) / 2;
      const d2 = mean[i + 1] - 2 * mean[i] + mean[i - 1];
      if (Number.isNaN(d2)) continue;
      bins++;
      slope += d1 * d1;
      bend += d2 * d2;
    }
  }
  return { bins, slope, bend };
}

/**
 * True if a scan's own step is about the reference one. Such a scan reaches the encoders averaged, or interpolated between
 * two points, and so reads up to a fifth less sharp than it is; a finer scan is always averaged.
 */
const isNearReference = (step: number | null): step is number =>
  step !== null && step > 0.5 * REFERENCE_STEP && step < 1.5 * REFERENCE_STEP;

/** Points to either side that a value between points is made of. */
const LOBES = 6;
/** Steps within which a point of a scan counts as one of the reference axis. */
const ON_A_POINT = 0.01;

/**
 * Weights by which a scan's points give values between them. The i-th of the bins, in order, is the sum of y[first[i] + k]
 * times the k-th of the weights begin[i] to begin[i + 1]; it has none where a point of the scan lies on it.
 */
interface Taps {
  first: Int32Array;
  begin: Int32Array;
  weights: Float64Array;
}

/** The value of a bin; the sampled one where there are no taps. */
function between(absorbance: Float64Array, { first, begin, weights }: Taps, bin: number, sampled: number): number {
  const end = begin[bin + 1];
  let k = begin[bin];
  if (k === end) return sampled;
  let value = 0;
  for (let at = first[bin]; k < end; k++, at++) value += weights[k] * absorbance[at];
  return value;
}

const tapsOf = perAxis((wavenumbers): Taps | undefined => {
  const step = evenStep(wavenumbers);
  return isNearReference(step) ? tapsBetween(wavenumbers, step) : undefined;
});

/**
 * A Fourier spectrometer's points are samples of a band-limited curve, which a sinc goes through (here with Lanczos's
 * window).
 */
function tapsBetween(wavenumbers: Float64Array, step: number): Taps {
  const first = new Int32Array(BINS.length);
  const begin = new Int32Array(BINS.length + 1);
  const all: number[] = [];
  for (const [b, bin] of BINS.entries()) {
    const right = lowerBound(wavenumbers, AXIS[bin]);
    if (![right - 1, right].some((i) => Math.abs(AXIS[bin] - wavenumbers[i]) < ON_A_POINT * step)) {
      first[b] = Math.max(0, right - LOBES);
      const near = wavenumbers.subarray(first[b], right + LOBES);
      const weights = Float64Array.from(near, (w) => lanczos((AXIS[bin] - w) / step));
      const sum = weights.reduce((total, weight) => total + weight, 0);
      all.push(...weights.map((weight) => weight / sum));
    }
    begin[b + 1] = all.length;
  }
  return { first, begin, weights: Float64Array.from(all) };
}

const sinc = (x: number) => (Math.abs(x) < 1e-9 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));
const lanczos = (x: number) => (Math.abs(x) < LOBES ? sinc(x) * sinc(x / LOBES) : 0);

function runs(bands: [number, number][]): [number, number][] {
  return bands.map(([from, to]) => [AXIS.findIndex((v) => v > from), AXIS.findIndex((v) => v >= to)]);
}
