/**
 * Pairs of stones, scored block by block by the float32 kernel on threads and counted by bin; the pairs near a quantile
 * are kept and settled in float64 (docs/concepts/calibration-method.md, section 9).
 */

import { Transferred } from '#kit/threads/protocol';
import { SimdKernel } from '#science/compute/simd-kernel';
import { scoreOf } from './evidence.js';

/** Bins per unit of score, a power of two, so that edges are exact. */
export const BINS_A_UNIT = 32768;
/** The float32 kernel lies no further from the float64 score than this: a bin. */
export const FAST_ERROR = 1 / BINS_A_UNIT;
/** Scores from -2 to 2. */
export const BINS = 4 * BINS_A_UNIT;

/**
 * A bin's level is the number of thresholds that its pairs surely exceed, or this: its pairs are kept, or settled exactly.
 */
export const NEAR = 255;

/** Stones of both sides: tables of scan sets, and the rows of them that stand for the stones. */
export interface StoneTables {
  width: number;
  encoders: number;
  polish: Float32Array;
  polishStones: Int32Array;
  rough: Float32Array;
  roughStones: Int32Array;
}

/** From the first to before the second. */
export type Range = [number, number];

export interface PairTask extends StoneTables {
  /** Polish stones. */
  rows: Range;
  /** Rough stones. */
  columns: Range;
  /** By bin. */
  zones: Uint8Array;
  levels: number;
  /** Pairs that all tasks together may still keep: one number that they share. */
  room: Int32Array<SharedArrayBuffer>;
}

export interface PairCounts {
  /** Pairs by bin. */
  counts: Uint32Array;
  /** By polish stone and by rough stone, times levels: how many of its pairs exceed exactly that many thresholds. */
  rows: Uint32Array;
  columns: Uint32Array;
  /** Polish stone, rough stone and bin of each pair kept, in memory that threads share. */
  near: Int32Array<SharedArrayBuffer>;
}

const ROWS = 128;
const COLUMNS = 1024;
let kernel: SimdKernel | undefined;

const binOf = (fast: number, encoders: number): number => ((fast / encoders + 2) * BINS_A_UNIT) | 0;

/** Vectors of stones from..to, one after the other. */
function gathered(table: Float32Array, stones: Int32Array, width: number, [from, to]: Range): Float32Array {
  const out = new Float32Array((to - from) * width);
  for (let stone = from; stone < to; stone++) {
    const at = stones[stone] * width;
    out.set(table.subarray(at, at + width), (stone - from) * width);
  }
  return out;
}

/** Counts the pairs of rows and columns, and keeps those near a threshold. Runs on a thread. */
export function countPairs(task: PairTask): Transferred<PairCounts> {
  const { width, encoders, rows, columns, zones, levels, room } = task;
  kernel ??= SimdKernel.create();
  const counts = new Uint32Array(BINS);
  const rowLevels = new Uint32Array((rows[1] - rows[0]) * levels);
  const columnLevels = new Uint32Array((columns[1] - columns[0]) * levels);
  const table = new Float32Array(ROWS * COLUMNS);
  let near = new Int32Array(3 * 4096);
  let kept = 0;
  // A panel of columns stays in the second-level cache while all rows pass by.
  for (let column = columns[0]; column < columns[1]; column += COLUMNS) {
    const wide = Math.min(COLUMNS, columns[1] - column);
    const panel = kernel.packTransposed(
      gathered(task.rough, task.roughStones, width, [column, column + wide]),
      width,
      wide,
    );
    for (let row = rows[0]; row < rows[1]; row += ROWS) {
      const tall = Math.min(ROWS, rows[1] - row);
      const left = gathered(task.polish, task.polishStones, width, [row, row + tall]);
      kernel.product(left, panel, tall, width, wide, table);
      const before = kept;
      if (near.length < 3 * (kept + tall * wide)) near = enlarged(near, 3 * (kept + tall * wide));
      for (let p = row, i = 0; p < row + tall; p++) {
        const ofRow = (p - rows[0]) * levels;
        for (let q = column; q < column + wide; q++, i++) {
          const bin = binOf(table[i], encoders);
          counts[bin]++;
          const zone = zones[bin];
          if (zone === 0) continue;
          if (zone === NEAR) {
            near[3 * kept] = p;
            near[3 * kept + 1] = q;
            near[3 * kept++ + 2] = bin;
            continue;
          }
          rowLevels[ofRow + zone]++;
          columnLevels[(q - columns[0]) * levels + zone]++;
        }
      }
      // Without room for all of them none is of use.
      if (Atomics.sub(room, 0, kept - before) < kept - before) kept = 0;
    }
    panel.release();
  }
  const shared = new Int32Array(new SharedArrayBuffer(12 * kept));
  shared.set(near.subarray(0, 3 * kept));
  return new Transferred({ counts, rows: rowLevels, columns: columnLevels, near: shared }, [
    counts.buffer,
    rowLevels.buffer,
    columnLevels.buffer,
  ]);
}

function enlarged(values: Int32Array<ArrayBuffer>, minLength: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(minLength, 1.5 * values.length));
  larger.set(values);
  return larger;
}

/** Bins of single pairs (polish stone, rough stone). Runs on a thread. */
export function binsOf({ width, encoders, ...tables }: StoneTables, pairs: Int32Array): Int32Array {
  kernel ??= SimdKernel.create();
  const bins = new Int32Array(pairs.length / 2);
  const vector = (table: Float32Array, set: number) => table.subarray(set * width, (set + 1) * width);
  const fast = new Float32Array(1);
  for (let i = 0; i < bins.length; i++) {
    const a = vector(tables.polish, tables.polishStones[pairs[2 * i]]);
    const b = vector(tables.rough, tables.roughStones[pairs[2 * i + 1]]);
    kernel.product(a, b, 1, width, 1, fast);
    bins[i] = binOf(fast[0], encoders);
  }
  return bins;
}

export interface Settled {
  /** Polish stones x levels and rough stones x levels, as in PairCounts. */
  rows: Uint32Array;
  columns: Uint32Array;
  /** The pairs settled: polish stone, rough stone, bin; and their scores. */
  pairs: Int32Array;
  scores: Float64Array;
}

/** Pairs that do not count: columns[offsets[p]] to columns[offsets[p + 1] - 1] for polish stone p. */
export interface LeftOut {
  offsets: Int32Array;
  columns: Int32Array;
}

/** Counts pairs kept before by level outside the NEAR zones, and settles the others. Runs on a thread. */
export function settlePairs(
  { width, encoders, polish, polishStones, rough, roughStones }: StoneTables,
  near: Int32Array[],
  { offsets, columns }: LeftOut,
  zones: Uint8Array,
  levels: number,
): Transferred<Settled> {
  const rowLevels = new Uint32Array(polishStones.length * levels);
  const columnLevels = new Uint32Array(roughStones.length * levels);
  const pairs: number[] = [];
  const scores: number[] = [];
  const isLeftOut = (p: number, q: number) => {
    for (let i = offsets[p]; i < offsets[p + 1]; i++) if (columns[i] === q) return true;
    return false;
  };
  for (const part of near)
    for (let i = 0; i < part.length; i += 3) {
      const p = part[i];
      const q = part[i + 1];
      const zone = zones[part[i + 2]];
      if (zone === 0 || isLeftOut(p, q)) continue;
      if (zone === NEAR) {
        const a = polishStones[p] * width;
        const b = roughStones[q] * width;
        pairs.push(p, q, part[i + 2]);
        scores.push(scoreOf(polish.subarray(a, a + width), rough.subarray(b, b + width), encoders));
        continue;
      }
      rowLevels[p * levels + zone]++;
      columnLevels[q * levels + zone]++;
    }
  const settled = {
    rows: rowLevels,
    columns: columnLevels,
    pairs: Int32Array.from(pairs),
    scores: Float64Array.from(scores),
  };
  return new Transferred(
    settled,
    Object.values(settled).map(({ buffer }) => buffer as ArrayBuffer),
  );
}
