/** The least and the largest number, NaN left out; Infinity and -Infinity where there is none. */
export function extremes(values: ArrayLike<number>): [least: number, largest: number] {
  let [least, largest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < values.length; i++) {
    if (values[i] < least) least = values[i];
    if (values[i] > largest) largest = values[i];
  }
  return [least, largest];
}

/**
 * The smallest value with at least `share` of the sorted values at or below it, so that no more than `1 - share`
 * of them exceed it. `sorted` ascending and not empty; `share` in (0, 1].
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  // The guard keeps 0.98 x 50 at rank 49 although the product is 49.000000000000004 in doubles.
  const rank = Math.ceil(share * sorted.length - 1e-9);
  return sorted[Math.min(Math.max(rank, 1), sorted.length) - 1];
}

/** Linearly interpolated between the two values around it, `share` in 0..1; reorders `values`. NaN of nothing. */
export function interpolatedQuantile(values: Float64Array, share: number): number {
  if (values.length === 0) return Number.NaN;
  const position = share * (values.length - 1);
  const rank = Math.floor(position);
  const below = ranked(values, rank);
  let above = rank + 1 < values.length ? values[rank + 1] : below;
  for (let i = rank + 2; i < values.length; i++) if (values[i] < above) above = values[i];
  return below + (position - rank) * (above - below);
}

/**
 * The value that sorting would bring to a place (Hoare 1961, Find). Reorders `values`: smaller ones then stand before the
 * place, larger ones behind it. Takes no NaN.
 */
export function ranked(values: Float64Array, rank: number): number {
  let from = 0;
  let to = values.length - 1;
  while (from < to) {
    const pivot = values[(from + to) >> 1];
    let i = from;
    let j = to;
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      const value = values[i];
      values[i++] = values[j];
      values[j--] = value;
    }
    if (rank <= j) to = j;
    else if (rank >= i) from = i;
    else break;
  }
  return values[rank];
}

/** The middle value, of an even number the upper one of the two. */
export const upperMedian = (values: ArrayLike<number>): number => Float64Array.from(values).sort()[values.length >> 1];
