import { INPUT, inputPoints } from '#science/matching/input';
import { type Preprocessing, preprocess } from '#science/matching/preprocess';
import { upperMedian } from '#science/numerics/quantile';
import { REFERENCE_POINTS } from '#science/spectra/axis';

/**
 * Yardstick and scale from training spectra: the mean derivative per path (which is that of the lattice, common to
 * all stones), then 1.5 median |D_j| + 0.3 of the median of those over all bins.
 * @param spectra count x 671
 * @param points as many as the encoder sees
 */
export function fitPreprocessing(
  derivative: 1 | 2,
  spectra: Float32Array,
  count: number,
  points = inputPoints(INPUT),
): Preprocessing {
  const table = new Float32Array(count * points);
  let yardstick = new Float32Array(points).fill(1);
  // The first pass knows no lattice yet; the last only fills the table with the yardstick found.
  for (let pass = 0; pass < 3; pass++) {
    const mean = new Float64Array(points);
    for (let s = 0; s < count; s++) {
      const at = s * points;
      preprocess({ derivative, yardstick, scale: yardstick }, spectra, s * REFERENCE_POINTS, table, at, false);
      for (let i = 0; i < points; i++) mean[i] += table[at + i] / count;
    }
    if (pass < 2) yardstick = Float32Array.from(mean);
  }
  const column = new Float64Array(count);
  const medians = Float64Array.from({ length: points }, (_, i) => {
    for (let s = 0; s < count; s++) column[s] = Math.abs(table[s * points + i]);
    return upperMedian(column);
  });
  const floor = 0.3 * upperMedian(medians);
  return { derivative, yardstick, scale: Float32Array.from(medians, (median) => 1.5 * median + floor + 1e-6) };
}
