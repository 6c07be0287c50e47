/**
 * The smallest value with at least `share` of the sorted values at or below it, so that no more than `1 - share`
 * of them exceed it. `sorted` ascending and not empty; `share` in (0, 1].
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  // The guard keeps 0.98 x 50 at rank 49 although the product is 49.000000000000004 in doubles.
  const rank = Math.ceil(share * sorted.length - 1e-9);
  return sorted[Math.min(Math.max(rank, 1), sorted.length) - 1];
}

/** Linearly interpolated between the two values around it, `share` in 0..1; sorts `values`. NaN of nothing. */
export function interpolatedQuantile(values: Float64Array, share: number): number {
  values.sort();
  const position = share * (values.length - 1);
  const below = Math.floor(position);
  const above = Math.min(below + 1, values.length - 1);
  return values[below] + (position - below) * (values[above] - values[below]);
}

/** The middle value, of an even number the upper one of the two. */
export const upperMedian = (values: ArrayLike<number>): number => Float64Array.from(values).sort()[values.length >> 1];
