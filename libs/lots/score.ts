/** How much better one stone explains two vectors than two stones do; bars; all in float64. */
import { type Bars, type Line, LOT_VECTOR, type LotModel } from './model.js';

/** Within-stone variance that scores are made with. The fitted one is 1; real scatter has heavier tails. */
const TAILS = 4;
/** Cohort stones that a stone is held against. */
const NEAREST = 10;
/** Weights of the cohort and of the member's own look-alikes in the bar. */
const COHORT_WEIGHT = 0.35;
const CROWDING_WEIGHT = 0.1;

/**
 * Log-likelihood ratio of "the same stone" against "two stones", vectors being normal with between-stone variance
 * lambda and within-stone variance TAILS (fitted: 1; the rest stands for heavy tails).
 */
export function likelihoodRatio(between: Float32Array) {
  const square = new Float64Array(LOT_VECTOR);
  const cross = new Float64Array(LOT_VECTOR);
  let constant = 0;
  for (let j = 0; j < LOT_VECTOR; j++) {
    const lambda = between[j];
    const t = lambda + TAILS;
    const d = t * t - lambda * lambda;
    square[j] = (t / d - 1 / t) / 2;
    cross[j] = lambda / d;
    constant += Math.log((t * t) / d) / 2;
  }
  /** @param a vectors; the stone's begins at `atA` */
  return (a: Float32Array, atA: number, b: Float32Array, atB: number): number => {
    let sum = constant;
    for (let j = 0; j < LOT_VECTOR; j++) {
      const x = a[atA + j];
      const y = b[atB + j];
      sum += cross[j] * x * y - square[j] * (x * x + y * y);
    }
    return sum;
  };
}

/** What the vectors of a lot (rows of LOT_VECTOR) are to each other and to the cohort. */
export interface Placed {
  vectors: Float32Array;
  /** Mean of the largest ratios to the cohort, one a stone. */
  cohort: Float64Array;
}

export const stonesIn = (vectors: Float32Array): number => vectors.length / LOT_VECTOR;

/** @param vectors rows of LOT_VECTOR; none of them may stand in the cohort */
export const place = (model: Pick<LotModel, 'between' | 'cohort'>, vectors: Float32Array): Placed =>
  placeBut(model, vectors, () => -1);

/**
 * Stones of the model's own cohort as substitutes, each held against the others; they are easier to tell than stones of
 * the same parcel.
 * @param count of them, taken evenly
 */
export function cohortPlaced(model: Pick<LotModel, 'between' | 'cohort'>, count: number): Placed {
  const all = stonesIn(model.cohort);
  const taken = Array.from({ length: Math.min(count, all) }, (_, i) => Math.floor((i * all) / Math.min(count, all)));
  const vectors = new Float32Array(taken.length * LOT_VECTOR);
  for (const [i, k] of taken.entries())
    vectors.set(model.cohort.subarray(k * LOT_VECTOR, (k + 1) * LOT_VECTOR), i * LOT_VECTOR);
  return placeBut(model, vectors, (stone) => taken[stone]);
}

/** @param self the cohort stone that a vector is, or -1: no stone is held against itself */
function placeBut(
  model: Pick<LotModel, 'between' | 'cohort'>,
  vectors: Float32Array,
  self: (stone: number) => number,
): Placed {
  const ratio = likelihoodRatio(model.between);
  const others = stonesIn(model.cohort);
  const ratios = new Float64Array(others);
  const cohort = Float64Array.from({ length: stonesIn(vectors) }, (_, stone) => {
    for (let k = 0; k < others; k++) ratios[k] = ratio(vectors, stone * LOT_VECTOR, model.cohort, k * LOT_VECTOR);
    if (self(stone) >= 0) ratios[self(stone)] = Number.NEGATIVE_INFINITY;
    const largest = ratios.slice().sort().subarray(-NEAREST);
    return largest.reduce((sum, value) => sum + value, 0) / largest.length;
  });
  return { vectors, cohort };
}

/** For each member its largest ratio to another member, at least 0: how crowded its place is. */
export function crowding({ between }: Pick<LotModel, 'between'>, { vectors }: Placed): Float64Array {
  const ratio = likelihoodRatio(between);
  const members = stonesIn(vectors);
  return Float64Array.from({ length: members }, (_, m) => {
    let largest = 0;
    for (let o = 0; o < members; o++) {
      if (o !== m) largest = Math.max(largest, ratio(vectors, m * LOT_VECTOR, vectors, o * LOT_VECTOR));
    }
    return largest;
  });
}

/**
 * Scores of returning stones against members: returned x members. The larger, the more alike for two stones of such
 * looks; comparable with the bar.
 */
export function scoreTable(
  model: Pick<LotModel, 'between'>,
  members: Placed,
  crowded: Float64Array,
  returned: Placed,
): Float64Array {
  const ratio = likelihoodRatio(model.between);
  const columns = stonesIn(members.vectors);
  const rows = stonesIn(returned.vectors);
  const table = new Float64Array(rows * columns);
  for (let v = 0; v < rows; v++) {
    for (let m = 0; m < columns; m++) {
      const looks = COHORT_WEIGHT * (members.cohort[m] + returned.cohort[v]) + CROWDING_WEIGHT * crowded[m];
      table[v * columns + m] = ratio(returned.vectors, v * LOT_VECTOR, members.vectors, m * LOT_VECTOR) - looks;
    }
  }
  return table;
}

const on = ({ at, slope }: Line, size: number) => at + slope * Math.log(size);

/** The bar of a lot of `size` members, and whether the promise to genuine members set it below the label. */
export function barOf({ falseAccept, genuine }: Bars, size: number): { bar: number; floorBinds: boolean } {
  const [a, g] = [on(falseAccept, size), on(genuine, size)];
  return { bar: Math.min(a, g), floorBinds: g < a };
}
