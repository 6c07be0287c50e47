import { interpolatedQuantile } from '#science/numerics/quantile';
import { lowerBound } from '../axis.js';
import { SATURATION } from './constants.js';
import type { GaugedScan } from './scan.js';

/**
 * Absorbance above which a scan's transmission is so small that its noise is none to judge by: a detector that is not quite
 * linear lays a plateau there, the logarithm stretches the noise, and where the transmission comes out negative a program
 * writes one number again and again.
 */
export function saturationOf({ wavenumbers, absorbance }: GaugedScan): number {
  const from = lowerBound(wavenumbers, SATURATION.clearFrom);
  const clear = from < wavenumbers.length ? absorbance.slice(from) : absorbance.slice();
  return interpolatedQuantile(clear, SATURATION.clearShare) + SATURATION.above;
}

/** True if none of the points [from, end) is saturated. */
export function isClear(absorbance: Float64Array, saturation: number, from: number, end: number): boolean {
  for (let i = from; i < end; i++) if (absorbance[i] > saturation) return false;
  return true;
}
