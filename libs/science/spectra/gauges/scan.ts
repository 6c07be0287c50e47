import type { Sampling } from '../sampling.js';

const UNEVEN = 0.02;
const DECIMALS = [2, 3, 4, 5];
const TOLERANCE = 1e-6;
const MAX_LATTICE_SAMPLED = 512;

/** A scan on its own submitted axis: ascending wavenumbers in cm^-1 and absorbance, all finite. */
export interface GaugedScan {
  readonly wavenumbers: Float64Array;
  readonly absorbance: Float64Array;
}

/** One side: its scans as submitted, and the same on the reference axis (count x 671, NaN where nothing was measured). */
export interface GaugedSide {
  readonly scans: readonly GaugedScan[];
  readonly spectra: Float32Array;
  readonly count: number;
  readonly sampling: Sampling;
}

/**
 * The step of an ascending axis that is evenly spaced but for missing rows, cm^-1; null where the spacing is uneven by
 * more than 2%, or more than a tenth of the steps skip rows.
 */
export function evenStep(wavenumbers: Float64Array): number | null {
  const count = wavenumbers.length - 1;
  const mean = (wavenumbers[count] - wavenumbers[0]) / count;
  const isEven = (step: number, i: number) => Math.abs(wavenumbers[i + 1] - wavenumbers[i] - step) <= UNEVEN * step;
  let even = true;
  for (let i = 0; i < count && even; i++) even = isEven(mean, i);
  if (even) return mean;
  const steps = Float64Array.from({ length: count }, (_, i) => wavenumbers[i + 1] - wavenumbers[i]).sort();
  const step = steps[count >> 1];
  const skipped = breaksOf(wavenumbers, step);
  if (skipped.length > count / 10) return null;
  for (let i = 0, s = 0; i < count; i++) {
    if (skipped[s] === i) s++;
    else if (!isEven(step, i)) return null;
  }
  return step;
}

/** Points behind which rows are missing: the next one is over one and a half steps away. Ascending. */
export function breaksOf(wavenumbers: Float64Array, step: number): number[] {
  const breaks: number[] = [];
  for (let i = 0; i + 1 < wavenumbers.length; i++) if (wavenumbers[i + 1] - wavenumbers[i] > 1.5 * step) breaks.push(i);
  return breaks;
}

/** True if no break lies among the points [from, end). */
export const isWhole = (breaks: readonly number[], from: number, end: number): boolean =>
  !breaks.some((at) => at >= from && at < end - 1);

/** Noise variance that rounding to 2, 3, 4 or 5 decimals gives, where all values are so rounded; 0 where they are not. */
export function latticeVariance(values: Float64Array): number {
  const stride = Math.ceil(values.length / MAX_LATTICE_SAMPLED);
  for (const decimals of DECIMALS) {
    const scale = 10 ** decimals;
    if (onLattice(values, stride, scale)) return 1 / (12 * scale * scale);
  }
  return 0;
}

function onLattice(values: Float64Array, stride: number, scale: number): boolean {
  for (let i = 0; i < values.length; i += stride) {
    const scaled = values[i] * scale;
    if (!(Math.abs(scaled - Math.round(scaled)) <= TOLERANCE * Math.max(1, Math.abs(scaled)))) return false;
  }
  return true;
}
