/** Scan sets of one side grouped into stones, each of which weighs one (docs/calibration-method.md, section 3). */
import { SimdKernel } from '#compute';
import { NEARLY_IDENTICAL } from './cross-scores.js';
import { type Appearance, scoreOf } from './evidence.js';
import { FAST_ERROR } from './pair-scores.js';

/** `AB12.1` is a part of `AB12`. */
export const baseReference = (reference: string): string => reference.replace(/\.\d+$/, '');

export interface SideOfSets {
  /** Rows of `width`, one a set. */
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
  /** Who holds a base reference. */
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

/** The stones again, from what was found; no vector is looked at. */
export const regroup = (appearances: Appearance[], stoneOf: Int32Array): Stones =>
  group(appearances, stoneOf, () => {
    throw new RangeError('a set without a stone');
  });

const BLOCK = 128;
let kernel: SimdKernel | undefined;

/** Runs on a thread. */
export function stonesOf({ vectors, width, encoders, appearances, known = new Int32Array() }: SideOfSets): Int32Array {
  kernel ??= SimdKernel.create();
  const dense = kernel;
  const row = (set: number) => vectors.subarray(set * width, (set + 1) * width);
  const sets = appearances.reduce((most, { set }) => Math.max(most, set + 1), 0);
  /** First sets of the stones, gathered. */
  let gathered = new Float32Array(BLOCK * width);
  let stones = 0;
  const gather = (first: number[]) => {
    for (; stones < first.length; stones++) {
      if ((stones + 1) * width > gathered.length) {
        const larger = new Float32Array(gathered.length * 2);
        larger.set(gathered);
        gathered = larger;
      }
      gathered.set(row(first[stones]), stones * width);
    }
  };
  const near = (fast: number, a: number, b: number) => {
    const score = fast / encoders;
    if (score <= NEARLY_IDENTICAL - FAST_ERROR) return false;
    return score > NEARLY_IDENTICAL + FAST_ERROR || scoreOf(row(a), row(b), encoders) > NEARLY_IDENTICAL;
  };
  /** A block of sets against the stones before it, and against itself. */
  let begin = 0;
  let end = 0;
  let before = 0;
  let withStones = new Float32Array();
  const among = new Float32Array(BLOCK * BLOCK);
  const { stoneOf } = group(appearances, known, (set, first) => {
    if (set >= end) {
      gather(first);
      [begin, end, before] = [set, Math.min(set + BLOCK, sets), stones];
      const block = vectors.subarray(begin * width, end * width);
      if (withStones.length < BLOCK * before) withStones = new Float32Array(2 * BLOCK * before);
      if (before > 0) dense.productRightTransposed(block, gathered, end - begin, width, before, withStones);
      dense.productRightTransposed(block, block, end - begin, width, end - begin, among);
    }
    const line = (set - begin) * before;
    for (let stone = 0; stone < before; stone++) if (near(withStones[line + stone], set, first[stone])) return stone;
    for (let stone = before; stone < first.length; stone++)
      if (near(among[(set - begin) * (end - begin) + first[stone] - begin], set, first[stone])) return stone;
    return -1;
  });
  return stoneOf;
}
