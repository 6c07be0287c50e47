/** The mean of a side's preprocessed scans. */

/**
 * @param rows count x points
 * @param out receives the mean of the rows, summed in float64 in their order
 */
export function poolScans(rows: Float32Array, count: number, points: number, out: Float32Array): void {
  for (let i = 0; i < points; i++) {
    let sum = 0;
    for (let at = i; at < count * points; at += points) sum += rows[at];
    out[i] = sum / count;
  }
}
