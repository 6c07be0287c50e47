/**
 * Weight of each claim in a map. A group weighs one, shared evenly by its claims. Where other keys bring as many groups as
 * a scorer needs, no key brings more than half of the whole: its claims weigh less.
 * @param groups by claim
 * @param keys by claim
 * @param least groups that a scorer needs
 */
export function weightsOf(groups: Int32Array, keys: readonly string[], least: number): Float64Array {
  const sizes = new Map<number, number>();
  for (const group of groups) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  const weights = Float64Array.from(groups, (group) => 1 / sizes.get(group)!);
  const byKey = sharesOf(weights, keys);
  const whole = [...byKey.values()].reduce((sum, weight) => sum + weight, 0);
  for (const [key, weight] of byKey) {
    const others = whole - weight;
    if (weight <= others || others < least) continue;
    for (let claim = 0; claim < weights.length; claim++) if (keys[claim] === key) weights[claim] *= others / weight;
  }
  return weights;
}

/** Total weight of each key's claims. */
export function sharesOf(weights: ArrayLike<number>, keys: readonly string[]): Map<string, number> {
  const byKey = new Map<string, number>();
  for (const [claim, key] of keys.entries()) byKey.set(key, (byKey.get(key) ?? 0) + weights[claim]);
  return byKey;
}
