const UNEVEN = 0.02;
const DECIMALS = [2, 3, 4, 5];
const TOLERANCE = 1e-6;
const MOST_LATTICE_SAMPLED = 512;

/** A scan on its own submitted axis: ascending wavenumbers in cm^-1 and absorbance, all finite. */
export interface GaugedScan {
  readonly wavenumbers: Float64Array;
  readonly absorbance: Float64Array;
}

/** One side: its scans as submitted, and the same on the reference axis (count x 671). */
export interface GaugedSide {
  readonly scans: readonly GaugedScan[];
  readonly spectra: Float32Array;
  readonly count: number;
}

/** The step of an evenly spaced ascending axis, cm^-1; null where the spacing is uneven by more than 2%. */
export function evenStep(wavenumbers: Float64Array): number | null {
  const gaps = wavenumbers.length - 1;
  const step = (wavenumbers[gaps] - wavenumbers[0]) / gaps;
  for (let i = 0; i < gaps; i++) {
    if (Math.abs(wavenumbers[i + 1] - wavenumbers[i] - step) > UNEVEN * step) return null;
  }
  return step;
}

/** Index of the first value that is not below `value`. */
export function lowerBound(ascending: Float64Array, value: number): number {
  let from = 0;
  let to = ascending.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (ascending[middle] < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Noise variance that rounding to 2, 3, 4 or 5 decimals gives, where all values are so rounded; 0 where they are not. */
export function latticeVariance(values: Float64Array): number {
  const stride = Math.ceil(values.length / MOST_LATTICE_SAMPLED);
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
