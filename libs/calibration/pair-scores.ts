/**
 * All pairs of two sets of stones, streamed block by block through the float32 kernel on threads: counted by bin first,
 * then the few around each quantile settled in float64 (docs/calibration-method.md, section 9).
 */
import { type PackedMatrix, SimdKernel, Transferred } from '#compute';
import { scoreOf } from './evidence.js';

/** Bins a unit of score, as a power of two, so that edges are exact. */
export const BINS_A_UNIT = 32768;
/** The float32 kernel lies no further from the float64 score than this: a bin. */
export const FAST_ERROR = 1 / BINS_A_UNIT;
/** Scores from -2 to 2; bin 0 takes the pairs left out. */
export const BINS = 4 * BINS_A_UNIT;
const LEFT_OUT = -2;

/** What a bin's pairs are to the second pass: a count of thresholds that they surely exceed, or to be settled. */
export const SETTLE = 255;

export interface PairTask {
  /** Names the two matrices: the same name, the same bytes. */
  name: string;
  width: number;
  encoders: number;
  /** Tables of scan sets, and the rows of them that stand for the stones. */
  polish: Float32Array;
  polishStones: Int32Array;
  rough: Float32Array;
  roughStones: Int32Array;
  /** Polish stones from..to. */
  from: number;
  to: number;
  /** Rough stones left out for polish stone p: columns[offsets[p]] to columns[offsets[p + 1] - 1]. */
  offsets: Int32Array;
  columns: Int32Array;
}

export interface Settled {
  /** Pairs (from..to) x levels and Q x levels: how many of a stone's pairs exceed exactly that many thresholds. */
  rows: Uint32Array;
  columns: Uint32Array;
  /** The pairs to be settled: polish stone, rough stone, bin; and their scores. */
  pairs: Int32Array;
  scores: Float64Array;
}

const BLOCK_VALUES = 1 << 20;
const BLOCK_ROWS = 128;
let kernel: SimdKernel | undefined;
let packed: { name: string; matrix: PackedMatrix } | undefined;

/** The rough stones as right operand, kept for the next task on this thread. */
function packRough(dense: SimdKernel, { name, width, rough, roughStones }: PairTask): PackedMatrix {
  if (packed?.name === name) return packed.matrix;
  packed?.matrix.release();
  packed = undefined;
  const stones = roughStones.length;
  const lines = new Float32Array(width * stones);
  for (let q = 0; q < stones; q++) {
    const at = roughStones[q] * width;
    for (let i = 0; i < width; i++) lines[i * stones + q] = rough[at + i];
  }
  packed = { name, matrix: dense.pack(lines, width, stones) };
  return packed.matrix;
}

/** Products of blocks of polish stones with all rough stones; pairs left out are told as such. */
function stream(task: PairTask, visit: (first: number, rows: number, table: Float32Array) => void): void {
  const { width, encoders, polish, polishStones, from, to, offsets, columns } = task;
  const stones = task.roughStones.length;
  kernel ??= SimdKernel.create();
  const matrix = packRough(kernel, task);
  const block = Math.max(2, Math.min(BLOCK_ROWS, Math.floor(BLOCK_VALUES / stones)));
  const left = new Float32Array(block * width);
  const table = new Float32Array(block * stones);
  for (let first = from; first < to; first += block) {
    const rows = Math.min(block, to - first);
    for (let row = 0; row < rows; row++) {
      const at = polishStones[first + row] * width;
      left.set(polish.subarray(at, at + width), row * width);
    }
    kernel.product(left, matrix, rows, width, stones, table);
    for (let row = 0; row < rows; row++)
      for (let i = offsets[first + row]; i < offsets[first + row + 1]; i++)
        table[row * stones + columns[i]] = LEFT_OUT * encoders;
    visit(first, rows, table);
  }
}

/** How many pairs fall into each bin. Runs on a thread. */
export function countPairs(task: PairTask): Transferred<Uint32Array> {
  const { encoders } = task;
  const stones = task.roughStones.length;
  const counts = new Uint32Array(BINS);
  stream(task, (_, rows, table) => {
    const end = rows * stones;
    for (let i = 0; i < end; i++) counts[((table[i] / encoders + 2) * BINS_A_UNIT) | 0]++;
  });
  return new Transferred(counts, [counts.buffer]);
}

/** Counts the pairs of each stone by level, and settles those in bins that ask for it. Runs on a thread. */
export function settlePairs(task: PairTask, zones: Uint8Array, levels: number): Transferred<Settled> {
  const { width, encoders, polish, polishStones, rough, roughStones, from, to } = task;
  const stones = roughStones.length;
  const rowLevels = new Uint32Array((to - from) * levels);
  const columnLevels = new Uint32Array(stones * levels);
  const pairs: number[] = [];
  const scores: number[] = [];
  stream(task, (first, rows, table) => {
    for (let row = 0, i = 0; row < rows; row++) {
      const p = first + row;
      const at = (p - from) * levels;
      for (let q = 0; q < stones; q++, i++) {
        const bin = ((table[i] / encoders + 2) * BINS_A_UNIT) | 0;
        const zone = zones[bin];
        if (zone === 0) continue;
        if (zone !== SETTLE) {
          rowLevels[at + zone]++;
          columnLevels[q * levels + zone]++;
          continue;
        }
        const a = polishStones[p] * width;
        const b = roughStones[q] * width;
        pairs.push(p, q, bin);
        scores.push(scoreOf(polish.subarray(a, a + width), rough.subarray(b, b + width), encoders));
      }
    }
  });
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
