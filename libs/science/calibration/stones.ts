/** Scan sets of one side grouped into stones, each of which weighs one (docs/concepts/calibration-method.md, section 3). */
import { SimdKernel } from '#science/compute/simd-kernel';
import { type Appearance, scoreOf } from './evidence.js';
import { FAST_ERROR } from './pair-scores.js';

/** Two vectors of one side as near as this, by the mean cosine, are one scan set sent twice and slightly changed. */
export const NEARLY_IDENTICAL = 0.9995;

/** `AB12.1` is a part of `AB12`. */
export const baseReference = (reference: string): string => reference.replace(/\.\d+$/, '');

export interface SideOfSets {
  /** Rows of `width`, one per set. */
  vectors: Float32Array;
  width: number;
  encoders: number;
  /** Sets in order of first appearance: set i + 1 never comes before set i. */
  appearances: Appearance[];
  /** The stones of the first sets, as found before for a beginning of these appearances. */
  known?: Int32Array;
}

export interface Stones {
  /** By set: its stone. */
  stoneOf: Int32Array;
  /** By stone: the set that stands for it. */
  first: number[];
  /** The stone that holds each base reference. */
  holders: Map<string, number>;
}

/** `nearest(set, first)`: the earliest stone whose first set is nearly identical, or -1. */
function group(
  appearances: Appearance[],
  known: Int32Array,
  nearest: (set: number, first: number[]) => number,
): Stones {
  const stoneOf: number[] = [];
  const first: number[] = [];
  const holders = new Map<string, number>();
  for (const { set, references } of appearances) {
    const bases = references.map(baseReference);
    if (set === stoneOf.length) {
      let stone = set < known.length ? known[set] : -1;
      if (stone < 0)
        for (const base of bases) {
          const holder = holders.get(base);
          if (holder !== undefined && (stone < 0 || holder < stone)) stone = holder;
        }
      if (stone < 0) stone = nearest(set, first);
      if (stone < 0 || stone === first.length) stone = first.push(set) - 1;
      stoneOf.push(stone);
    }
    for (const base of bases) if (!holders.has(base)) holders.set(base, stoneOf[set]);
  }
  return { stoneOf: Int32Array.from(stoneOf), first, holders };
}

/** The stones again, from an earlier grouping; no vector is looked at. */
export const regroup = (appearances: Appearance[], stoneOf: Int32Array): Stones =>
  group(appearances, stoneOf, () => {
    throw new RangeError('a set without a stone');
  });

/** Sets at a time, against stones at a time. */
const SETS = 512;
const STONES = 1024;
/** Below this a fast score is surely no near one. */
const FAR = NEARLY_IDENTICAL - 2 * FAST_ERROR;
let kernel: SimdKernel | undefined;

/** Runs on a thread. */
export function stonesOf({ vectors, width, encoders, appearances, known = new Int32Array() }: SideOfSets): Int32Array {
  kernel ??= SimdKernel.create();
  const dense = kernel;
  const row = (set: number) => vectors.subarray(set * width, (set + 1) * width);
  const sets = appearances.reduce((max, { set }) => Math.max(max, set + 1), 0);
  const near = (fast: number, a: number, b: number) => {
    const score = fast / encoders;
    if (score <= NEARLY_IDENTICAL - FAST_ERROR) return false;
    return score > NEARLY_IDENTICAL + FAST_ERROR || scoreOf(row(a), row(b), encoders) > NEARLY_IDENTICAL;
  };
  const gathered = new Float32Array(STONES * width);
  const table = new Float32Array(SETS * STONES);
  const among = new Float32Array(SETS * SETS);
  /** A block of sets: the earliest near stone of each among the stones before the block, and the block against itself. */
  let begin = 0;
  let end = 0;
  let before = 0;
  const nearestBefore = new Int32Array(SETS);
  const block = (set: number, first: number[]) => {
    [begin, end, before] = [set, Math.min(set + SETS, sets), first.length];
    const tall = end - begin;
    const left = vectors.subarray(begin * width, end * width);
    nearestBefore.fill(-1);
    for (let from = 0; from < before; from += STONES) {
      const wide = Math.min(STONES, before - from);
      for (let i = 0; i < wide; i++) gathered.set(row(first[from + i]), i * width);
      dense.productRightTransposed(left, gathered, tall, width, wide, table);
      for (let i = 0; i < tall * wide; i++) {
        if (table[i] <= FAR * encoders) continue;
        const at = Math.floor(i / wide);
        const stone = from + (i % wide);
        if (nearestBefore[at] < 0 && near(table[i], begin + at, first[stone])) nearestBefore[at] = stone;
      }
    }
    dense.productRightTransposed(left, left, tall, width, tall, among);
  };
  const { stoneOf } = group(appearances, known, (set, first) => {
    if (set >= end) block(set, first);
    const at = set - begin;
    if (nearestBefore[at] >= 0) return nearestBefore[at];
    for (let stone = before; stone < first.length; stone++)
      if (near(among[at * (end - begin) + first[stone] - begin], set, first[stone])) return stone;
    return -1;
  });
  return stoneOf;
}
