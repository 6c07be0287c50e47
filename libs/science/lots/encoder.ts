/** Scans to the 96 numbers of a stone. A stone's length carries evidence: nothing is normalised. */
import { preprocess } from '#science/matching/preprocess';
import { REFERENCE_FIRST, REFERENCE_POINTS, REFERENCE_STEP } from '#science/spectra/axis';
import { LOT_VECTOR, LOT_VIEW_FROM, type LotModel } from './model.js';

/** The first bin that the encoder sees: those below it the microscope's detector does not reach. */
export const FIRST_SEEN = Math.ceil((LOT_VIEW_FROM - REFERENCE_FIRST) / REFERENCE_STEP);

/**
 * Both derivatives of one scan, preprocessed, one after the other.
 * @param spectra absorbances on the reference axis, 671 a scan; NaN where nothing was measured
 * @param out receives 2 x points values
 */
export function preprocessLotScan(
  { preprocessing }: Pick<LotModel, 'preprocessing'>,
  spectra: Float32Array,
  scan: number,
  out: Float32Array,
): void {
  const points = preprocessing[0].scale.length;
  preprocessing.forEach((one, i) => {
    preprocess(one, spectra, scan * REFERENCE_POINTS, out, i * points);
    out.fill(0, i * points, i * points + FIRST_SEEN);
  });
}

/**
 * A stone's vector: the mean over its preprocessed scans of (scan - mean) . projection, summed in float64 in scan order.
 * @param spectra count x 671
 */
export function encodeStone(
  model: Pick<LotModel, 'preprocessing' | 'mean' | 'projection'>,
  spectra: Float32Array,
  count: number,
): Float32Array {
  const { mean, projection } = model;
  const input = new Float32Array(mean.length);
  const sums = new Float64Array(mean.length);
  for (let scan = 0; scan < count; scan++) {
    preprocessLotScan(model, spectra, scan, input);
    for (let i = 0; i < input.length; i++) sums[i] += input[i] - mean[i];
  }
  const vector = new Float64Array(LOT_VECTOR);
  for (let i = 0; i < sums.length; i++) {
    const value = sums[i] / count;
    if (value !== 0) for (let j = 0; j < LOT_VECTOR; j++) vector[j] += value * projection[i * LOT_VECTOR + j];
  }
  return Float32Array.from(vector);
}
