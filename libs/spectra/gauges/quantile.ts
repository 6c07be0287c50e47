/** Linearly interpolated quantile, q in 0..1; sorts `values` in place. NaN on an empty array. */
export function quantile(values: Float64Array, q: number): number {
  values.sort();
  const position = q * (values.length - 1);
  const below = Math.floor(position);
  const above = Math.min(below + 1, values.length - 1);
  return values[below] + (position - below) * (values[above] - values[below]);
}
