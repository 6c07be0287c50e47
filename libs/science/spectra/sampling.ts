/**
 * Brings scans onto the reference axis. `bridged` interpolates at every reference point, across missing parts too, and
 * repeats the outermost value beyond the ends. `masked` averages over one reference step where the submitted axis is finer,
 * so that narrow lines do not alias, and gives NaN where nothing was measured. On the reference axis itself both give the
 * same bits. docs/decisions/sampling.md gives the reasons.
 */
import { REFERENCE_FIRST, REFERENCE_LAST, REFERENCE_POINTS, REFERENCE_STEP, referenceAxis } from './axis.js';

export type Sampling = 'bridged' | 'masked';

/** A stretch of the reference axis in cm^-1. */
export type Range = readonly [from: number, to: number];

/** A step above so many reference steps is a hole. */
const LARGEST_STEP = 2 * REFERENCE_STEP;
/** So is one above half a reference step that is so many times the median of the steps around it. */
const MIN_HOLE = REFERENCE_STEP / 2;
const FAR_ABOVE = 5;
const STEPS_AROUND = 8;
/** Share of a reference step from which on an axis is interpolated, not averaged. */
const COARSE = 0.99;
/** Reference steps by which a rounded end may miss a reference point. */
const END_TOLERANCE = 0.05;

const AXIS = referenceAxis();

/** The part of the reference axis that an axis covers, and the way of its scans there. */
export interface AxisPlan {
  /** By reference point: whether it lies within a part of the axis without holes. */
  covered: Uint8Array;
  /** Parts of the reference axis that the axis lacks: more than one reference step, or a hole. */
  missing: Range[];
  /** Bridged value j = y[at[j]] + part[j] (y[at[j] + 1] - y[at[j]]). */
  at: Int32Array;
  part: Float64Array;
  /** Masked value j, where weights begin[j] to begin[j + 1] are not none: the sum of y[first[j] + k] times the k-th of them. */
  first: Int32Array;
  begin: Int32Array;
  weights: Float64Array;
}

/** @param wavenumbers strictly ascending, finite, two or more */
export function planAxis(wavenumbers: Float64Array): AxisPlan {
  const parts = wholeParts(wavenumbers);
  const plan = {
    covered: new Uint8Array(REFERENCE_POINTS),
    missing: missingOf(wavenumbers, parts),
    at: new Int32Array(REFERENCE_POINTS),
    part: new Float64Array(REFERENCE_POINTS),
    first: new Int32Array(REFERENCE_POINTS),
    begin: new Int32Array(REFERENCE_POINTS + 1),
  };
  const weights: number[] = [];
  const last = wavenumbers.length - 1;
  let i = 0;
  let p = 0;
  for (let j = 0; j < REFERENCE_POINTS; j++) {
    const w = AXIS[j];
    while (i < last && wavenumbers[i + 1] <= w) i++;
    plan.at[j] = i;
    if (i < last && w > wavenumbers[i]) plan.part[j] = (w - wavenumbers[i]) / (wavenumbers[i + 1] - wavenumbers[i]);
    const tolerance = END_TOLERANCE * REFERENCE_STEP;
    while (p < parts.length && wavenumbers[parts[p].to] < w - tolerance) p++;
    if (p < parts.length && wavenumbers[parts[p].from] <= w + tolerance) {
      plan.covered[j] = 1;
      plan.first[j] = average(wavenumbers, parts[p], w, i, weights);
    }
    plan.begin[j + 1] = weights.length;
  }
  return { ...plan, weights: Float64Array.from(weights) };
}

interface Part {
  /** First and last point. */
  from: number;
  to: number;
}

/** The parts of an axis between its holes. */
function wholeParts(wavenumbers: Float64Array): Part[] {
  const parts: Part[] = [];
  let from = 0;
  let min = Number.POSITIVE_INFINITY;
  for (let i = 0; i + 1 < wavenumbers.length; i++) min = Math.min(min, wavenumbers[i + 1] - wavenumbers[i]);
  for (let i = 0; i + 1 < wavenumbers.length; i++) {
    if (!isHole(wavenumbers, i, min)) continue;
    parts.push({ from, to: i });
    from = i + 1;
  }
  parts.push({ from, to: wavenumbers.length - 1 });
  return parts;
}

/**
 * True if rows are missing between point i and the next one.
 * @param min the axis's smallest step
 */
function isHole(wavenumbers: Float64Array, i: number, min: number): boolean {
  const step = wavenumbers[i + 1] - wavenumbers[i];
  if (step <= MIN_HOLE || wavenumbers[i + 1] < REFERENCE_FIRST || wavenumbers[i] > REFERENCE_LAST) return false;
  if (step > LARGEST_STEP) return true;
  // No median is below the least step: spares the sorting on even axes.
  if (step <= FAR_ABOVE * min) return false;
  const around: number[] = [];
  for (let k = Math.max(0, i - STEPS_AROUND); k < Math.min(wavenumbers.length - 1, i + STEPS_AROUND + 1); k++)
    if (k !== i) around.push(wavenumbers[k + 1] - wavenumbers[k]);
  around.sort((a, b) => a - b);
  return step > FAR_ABOVE * around[around.length >> 1];
}

/** The gaps before, between and behind the parts; a single point between two holes is no part. */
function missingOf(wavenumbers: Float64Array, parts: Part[]): Range[] {
  const whole = parts.filter(({ from, to }) => to > from);
  if (whole.length === 0) return [[REFERENCE_FIRST, REFERENCE_LAST]];
  const missing: Range[] = [];
  const begin = wavenumbers[whole[0].from];
  const end = wavenumbers[whole[whole.length - 1].to];
  if (begin > REFERENCE_FIRST + REFERENCE_STEP) missing.push([REFERENCE_FIRST, Math.min(begin, REFERENCE_LAST)]);
  for (const [p, part] of whole.slice(1).entries()) {
    const from = Math.max(wavenumbers[whole[p].to], REFERENCE_FIRST);
    const to = Math.min(wavenumbers[part.from], REFERENCE_LAST);
    if (to - from > END_TOLERANCE * REFERENCE_STEP) missing.push([from, to]);
  }
  if (end < REFERENCE_LAST - REFERENCE_STEP) missing.push([Math.max(end, REFERENCE_FIRST), REFERENCE_LAST]);
  return missing;
}

/**
 * Adds the weights of reference point w, at or behind point i, where the part's points stand closer than the reference's.
 * Each point stands for the interval nearest to it, and counts by the share of that interval within half a reference step
 * of w; at an end, within the width left on both sides alike.
 * @returns the first point that has a weight
 */
function average(wavenumbers: Float64Array, { from, to }: Part, w: number, i: number, weights: number[]): number {
  const half = Math.min(REFERENCE_STEP / 2, w - wavenumbers[from], wavenumbers[to] - w);
  if (i + 1 > to || wavenumbers[i + 1] - wavenumbers[i] >= COARSE * REFERENCE_STEP) return i;
  if (half < (wavenumbers[i + 1] - wavenumbers[i]) / 2) return i;
  const begin = (k: number) => (k === from ? wavenumbers[k] : (wavenumbers[k - 1] + wavenumbers[k]) / 2);
  const end = (k: number) => (k === to ? wavenumbers[k] : (wavenumbers[k] + wavenumbers[k + 1]) / 2);
  let first = i;
  while (first > from && begin(first) > w - half) first--;
  for (let k = first; k <= to && begin(k) < w + half; k++)
    weights.push(Math.max(0, Math.min(end(k), w + half) - Math.max(begin(k), w - half)) / (2 * half));
  return first;
}
