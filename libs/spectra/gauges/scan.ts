const UNEVEN = 0.02;
const MOST_GAPS_SAMPLED = 4096;
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

/** The typical step of an ascending axis; linear in its length, the median taken over at most 4,096 gaps. */
export function typicalStep(wavenumbers: Float64Array): number {
  const gaps = wavenumbers.length - 1;
  const mean = (wavenumbers[gaps] - wavenumbers[0]) / gaps;
  let even = true;
  for (let i = 0; i < gaps && even; i++) {
    even = Math.abs(wavenumbers[i + 1] - wavenumbers[i] - mean) <= UNEVEN * mean;
  }
  if (even) return mean;
  const stride = Math.ceil(gaps / MOST_GAPS_SAMPLED);
  const sampled = Float64Array.from({ length: Math.ceil(gaps / stride) }, (_, i) => {
    return wavenumbers[i * stride + 1] - wavenumbers[i * stride];
  }).sort();
  return sampled[sampled.length >> 1];
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
