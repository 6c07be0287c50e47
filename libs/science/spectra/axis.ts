/** The reference axis: 671 evenly spaced wavenumbers, 492.23 to 5988.79 cm^-1. */
export const REFERENCE_POINTS = 671;
export const REFERENCE_FIRST = 492.23;
export const REFERENCE_LAST = 5988.79;
/** 8.20382 cm^-1; the contract prints it as 8.2038. */
export const REFERENCE_STEP = (REFERENCE_LAST - REFERENCE_FIRST) / (REFERENCE_POINTS - 1);

/** Open bands in cm^-1 (CO2, hydrocarbons) that the encoders do not see; they see the rest of the reference axis. */
export const ENCODER_BLIND: readonly (readonly [number, number])[] = [
  [2300, 2390],
  [2840, 2970],
];

/** Two-phonon bands, cm^-1, that give the optical path length; CO2 lies between them. */
export const PATH_BANDS: readonly (readonly [number, number])[] = [
  [1680, 2300],
  [2400, 2680],
];

/** True where both have the same values. */
export const sameNumbers = (a: Float64Array, b: Float64Array): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);

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

/** A fresh copy of the reference axis, ascending, in cm^-1. */
export function referenceAxis(): Float64Array {
  const axis = Float64Array.from({ length: REFERENCE_POINTS }, (_, i) => REFERENCE_FIRST + i * REFERENCE_STEP);
  axis[REFERENCE_POINTS - 1] = REFERENCE_LAST;
  return axis;
}
