import { interpolatedQuantile } from '#numerics';
import { REFERENCE_POINTS, referenceAxis } from '../axis.js';
import { FITTED } from './fitted.js';
import type { GaugedSide } from './scan.js';

/** Runs [first, end) of the reference axis's bins in the two-phonon bands, where a diamond's own sharp detail lies. */
const BANDS = runs([
  [1700, 2290],
  [2400, 2670],
]);
/** Every third bin above 3600 cm^-1: their 20th percentile is the baseline; 2.6 absorbance above it is saturated. */
const BASE_FROM = referenceAxis().findIndex((v) => v > 3600);
const BASE_EVERY = 3;
const BASE_BINS = Math.ceil((REFERENCE_POINTS - BASE_FROM) / BASE_EVERY);
const SATURATED_ABOVE = 2.6;
const MIN_BINS = 30;

/**
 * How sharp a side's detail is: rms second difference over rms central first difference of the scan mean, on unsaturated
 * two-phonon bins of the reference axis, scaled so that honest polish sides lie in SHARPNESS_BAND. Noise raises it,
 * smoothing lowers it. 0 where the bands hold no slope to compare with (nothing of them was submitted).
 */
export function sharpness({ spectra, count, sampling }: Omit<GaugedSide, 'scans'>): number {
  const mean = new Float64Array(REFERENCE_POINTS);
  const base = new Float64Array(BASE_BINS);
  for (let scan = 0; scan < count; scan++) {
    const row = scan * REFERENCE_POINTS;
    for (const [first, end] of BANDS) {
      for (let i = first - 1; i <= end; i++) mean[i] += spectra[row + i] / count;
    }
    for (let i = 0; i < BASE_BINS; i++) base[i] += spectra[row + BASE_FROM + BASE_EVERY * i] / count;
  }
  // Bins that a scan lacks are NaN, and count for nothing.
  const known = base.filter((value) => !Number.isNaN(value));
  const limit = known.length > 0 ? interpolatedQuantile(known, 0.2) + SATURATED_ABOVE : Number.POSITIVE_INFINITY;
  const unsaturated = detail(mean, limit);
  const { bins, slope, bend } = unsaturated.bins >= MIN_BINS ? unsaturated : detail(mean, Number.POSITIVE_INFINITY);
  const ratio = Math.sqrt(bend / bins) / Math.sqrt(slope / bins);
  return Number.isFinite(ratio) ? FITTED[sampling].sharpnessScale * ratio : 0;
}

function detail(mean: Float64Array, limit: number): { bins: number; slope: number; bend: number } {
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

function runs(bands: [number, number][]): [number, number][] {
  const axis = referenceAxis();
  return bands.map(([from, to]) => [axis.findIndex((v) => v > from), axis.findIndex((v) => v >= to)]);
}
