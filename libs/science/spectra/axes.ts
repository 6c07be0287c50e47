/**
 * A laboratory has one instrument, so the same axes come again and again: everything that follows from an axis alone is
 * worked out once. An axis is no spectrum and says nothing about a stone.
 */

import { sameNumbers } from './axis.js';

/** So many are kept, the latest first, if no longer than that: 1 MiB at most. */
const KEPT = 8;
const LONGEST = 16_384;

const kept: Float64Array[] = [];
const own = new WeakSet<Float64Array>();

/** The kept axis of exactly these numbers, as a copy that is not changed. An axis that is too long is given back itself. */
export function keptAxis(axis: Float64Array): Float64Array {
  if (own.has(axis) || axis.length > LONGEST) return axis;
  const at = kept.findIndex((other) => sameNumbers(other, axis));
  const found = at < 0 ? axis.slice() : kept[at];
  if (at !== 0) {
    own.add(found);
    kept.splice(at < 0 ? KEPT - 1 : at, 1);
    kept.unshift(found);
  }
  return found;
}

/** Does its work once for each kept axis, and each time for any other. */
export function perAxis<T>(work: (axis: Float64Array) => T): (axis: Float64Array) => T {
  const known = new WeakMap<Float64Array, { result: T }>();
  return (axis) => {
    if (!own.has(axis)) return work(axis);
    let found = known.get(axis);
    if (!found) {
      found = { result: work(axis) };
      known.set(axis, found);
    }
    return found.result;
  };
}
