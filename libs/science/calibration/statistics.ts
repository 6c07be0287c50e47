/** A two-sided 95% interval of a share or a score. */
export type Interval = [low: number, high: number];

/** Half-width of a 95% interval in standard errors. */
export const Z95 = 1.959963984540054;

/** Number of the ascending values at or below `value`. */
export function countAtMost(sorted: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The share of the ascending values above `value`: 0 to 1, NaN of nothing. */
export function shareAbove(sorted: ArrayLike<number>, value: number): number {
  return 1 - countAtMost(sorted, value) / sorted.length;
}

/** Wilson's score interval of `successes` out of `trials`; [0, 1] of no trial. */
export function wilson(successes: number, trials: number): Interval {
  if (trials === 0) return [0, 1];
  const share = successes / trials;
  const shrink = 1 + (Z95 * Z95) / trials;
  const centre = (share + (Z95 * Z95) / (2 * trials)) / shrink;
  const half = (Z95 / shrink) * Math.sqrt((share * (1 - share)) / trials + (Z95 * Z95) / (4 * trials * trials));
  return [successes === 0 ? 0 : centre - half, successes === trials ? 1 : centre + half];
}
