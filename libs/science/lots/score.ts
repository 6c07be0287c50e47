/** Log-likelihood ratio of one stone against two for a pair of vectors; bars; all in float64. */
import { productsOfRows } from '#science/compute/products';
import { type Bars, type Line, LOT_VECTOR, type LotModel } from './model.js';

/** Within-stone variance that scores are made with. The fitted one is 1; real scatter has heavier tails. */
const TAILS = 4;
/** Cohort stones that a stone is compared with, where the model does not say. */
const NEAREST = 10;
/** Weights of the cohort and of the member's own look-alikes in the bar. */
const COHORT_WEIGHT = 0.35;
const CROWDING_WEIGHT = 0.1;

/**
 * Log-likelihood ratios of "the same stone" against "two stones", vectors being normal with between-stone variance lambda
 * and within-stone variance TAILS (fitted: 1; the rest stands for heavy tails): constant + x.y weighted - own(x) - own(y).
 */
class LikelihoodRatios {
  private readonly square = new Float64Array(LOT_VECTOR);
  private readonly cross = new Float64Array(LOT_VECTOR);
  readonly constant: number;

  constructor(between: Float32Array) {
    let constant = 0;
    for (let j = 0; j < LOT_VECTOR; j++) {
      const lambda = between[j];
      const t = lambda + TAILS;
      const d = t * t - lambda * lambda;
      this.square[j] = (t / d - 1 / t) / 2;
      this.cross[j] = lambda / d;
      constant += Math.log((t * t) / d) / 2;
    }
    this.constant = constant;
  }

  /** The part of a vector that is taken off every ratio, one per row of LOT_VECTOR. */
  own(vectors: Float32Array): Float64Array {
    const own = new Float64Array(stonesIn(vectors));
    for (let stone = 0, at = 0; stone < own.length; stone++) {
      let sum = 0;
      for (let j = 0; j < LOT_VECTOR; j++, at++) sum += this.square[j] * vectors[at] * vectors[at];
      own[stone] = sum;
    }
    return own;
  }

  /** Weighted products of each of `vectors` with each of `others`. */
  products(vectors: Float32Array | Float64Array, others: Float32Array): Float64Array {
    const weighted = new Float64Array(vectors.length);
    for (let at = 0; at < vectors.length; at++) weighted[at] = this.cross[at % LOT_VECTOR] * vectors[at];
    const out = new Float64Array((vectors.length / LOT_VECTOR) * stonesIn(others));
    productsOfRows(weighted, others, LOT_VECTOR, out);
    return out;
  }

  /** Ratios of each of `vectors` to each of `others`. */
  table(vectors: Float32Array, own: Float64Array, others: Float32Array, othersOwn: Float64Array): Float64Array {
    const table = this.products(vectors, others);
    for (let v = 0, at = 0; v < own.length; v++)
      for (let k = 0; k < othersOwn.length; k++, at++) table[at] += this.constant - own[v] - othersOwn[k];
    return table;
  }
}

export const stonesIn = (vectors: Float32Array): number => vectors.length / LOT_VECTOR;

/** The distance of two vectors. */
export function apart(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let squares = 0;
  for (let j = 0; j < LOT_VECTOR; j++) squares += (a[j] - b[j]) ** 2;
  return Math.sqrt(squares);
}

/**
 * The middle of a lot's members. Their common part is no evidence, because a substitute may share it: it is taken off
 * members and returning stones alike. Stones of another kind than the encoder knows share most.
 */
export function centreOf(members: Float32Array | Float64Array): Float64Array {
  const centre = new Float64Array(LOT_VECTOR);
  const stones = members.length / LOT_VECTOR;
  for (let at = 0; at < members.length; at++) centre[at % LOT_VECTOR] += members[at] / stones;
  return centre;
}

/** Vectors less a lot's centre. */
export const lessCentre = (vectors: Float32Array, centre: Float64Array): Float32Array =>
  vectors.map((value, at) => value - centre[at % LOT_VECTOR]);

/** Stones of a lot (rows of LOT_VECTOR, less the lot's centre) and what they are to the cohort. */
export interface Placed {
  vectors: Float32Array;
  /** Mean of the largest ratios to the cohort, one per stone. */
  cohort: Float64Array;
}

type Known = Pick<LotModel, 'between' | 'cohort' | 'nearest'>;

/**
 * @param vectors rows of LOT_VECTOR as the encoder gives them; none of them may stand in the cohort
 * @param centre of the members
 */
export function place(model: Known, vectors: Float32Array, centre: Float64Array): Placed {
  return new Stones(model, vectors).place(
    Array.from({ length: stonesIn(vectors) }, (_, stone) => stone),
    centre,
  );
}

/** Stones that are placed in many lots: what they and the cohort have in common is worked out once. */
export class Stones {
  private readonly ratios: LikelihoodRatios;
  private readonly cohortOwn: Float64Array;
  /** Weighted products with the cohort's stones, less what those take off; stones x cohort. */
  private readonly products: Float64Array;

  constructor(
    private readonly model: Known,
    private readonly vectors: Float32Array,
  ) {
    this.ratios = new LikelihoodRatios(model.between);
    this.cohortOwn = this.ratios.own(model.cohort);
    this.products = this.ratios.products(vectors, model.cohort);
  }

  place(stones: readonly number[], centre: Float64Array): Placed {
    const { ratios, cohortOwn } = this;
    const others = cohortOwn.length;
    const shared = ratios.products(centre, this.model.cohort);
    for (let k = 0; k < others; k++) shared[k] += cohortOwn[k] - ratios.constant;
    const vectors = new Float32Array(stones.length * LOT_VECTOR);
    for (const [i, stone] of stones.entries())
      vectors.set(this.vectors.subarray(stone * LOT_VECTOR, (stone + 1) * LOT_VECTOR), i * LOT_VECTOR);
    const placed = lessCentre(vectors, centre);
    const own = ratios.own(placed);
    const cohort = new Float64Array(stones.length);
    for (const [i, stone] of stones.entries())
      cohort[i] = meanOfLargest(this.products, stone * others, shared, own[i], this.model.nearest);
    return { vectors: placed, cohort };
  }
}

/**
 * Stones of the model's own cohort as substitutes, each compared with the others: as far from a lot's centre as they are
 * from their own parcel's. They are easier to distinguish than stones of the same parcel.
 * @param count of them, taken evenly
 */
export function cohortPlaced(model: Known, count: number): Placed {
  const all = stonesIn(model.cohort);
  const taken = Array.from({ length: Math.min(count, all) }, (_, i) => Math.floor((i * all) / Math.min(count, all)));
  const ratios = new LikelihoodRatios(model.between);
  const own = ratios.own(model.cohort);
  const vectors = new Float32Array(taken.length * LOT_VECTOR);
  for (const [i, stone] of taken.entries())
    vectors.set(model.cohort.subarray(stone * LOT_VECTOR, (stone + 1) * LOT_VECTOR), i * LOT_VECTOR);
  const takenOwn = Float64Array.from(taken, (stone) => own[stone]);
  const table = ratios.table(vectors, takenOwn, model.cohort, own);
  const nothing = new Float64Array(all);
  const cohort = Float64Array.from(taken, (stone, i) => {
    table[i * all + stone] = Number.NEGATIVE_INFINITY;
    return meanOfLargest(table, i * all, nothing, 0, model.nearest);
  });
  return { vectors, cohort };
}

/** Of the values from a place on, as many as `others`, less these and what is taken off all. */
function meanOfLargest(
  values: Float64Array,
  from: number,
  others: Float64Array,
  taken: number,
  wanted = NEAREST,
): number {
  const count = Math.min(wanted, others.length);
  const largest = new Float64Array(count);
  for (let k = 0; k < count; k++) largest[k] = values[from + k] - others[k] - taken;
  largest.sort();
  let least = largest[0];
  for (let k = count; k < others.length; k++) {
    const value = values[from + k] - others[k] - taken;
    if (value <= least) continue;
    let at = 0;
    for (; at + 1 < count && largest[at + 1] < value; at++) largest[at] = largest[at + 1];
    largest[at] = value;
    least = largest[0];
  }
  let sum = 0;
  for (let k = 0; k < count; k++) sum += largest[k];
  return sum / count;
}

/** For each member its largest ratio to another member, at least 0: how crowded its place is. */
export function crowding({ between }: Pick<LotModel, 'between'>, { vectors }: Placed): Float64Array {
  const ratios = new LikelihoodRatios(between);
  const own = ratios.own(vectors);
  const table = ratios.table(vectors, own, vectors, own);
  return own.map((_, m) => {
    const each = table.subarray(m * own.length, (m + 1) * own.length);
    each[m] = 0;
    return each.reduce((largest, value) => Math.max(largest, value), 0);
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
  const ratios = new LikelihoodRatios(model.between);
  const [own, others] = [ratios.own(returned.vectors), ratios.own(members.vectors)];
  const columns = others.length;
  const table = ratios.table(returned.vectors, own, members.vectors, others);
  for (let v = 0, at = 0; v < own.length; v++) {
    for (let m = 0; m < columns; m++, at++)
      table[at] -= COHORT_WEIGHT * (members.cohort[m] + returned.cohort[v]) + CROWDING_WEIGHT * crowded[m];
  }
  return table;
}

const on = ({ at, slope }: Line, size: number) => at + slope * Math.log(size);

/** The bar of a lot of `size` members, and whether the promise to genuine members set it below the label. */
export function barOf({ falseAccept, genuine }: Bars, size: number): { bar: number; floorBinds: boolean } {
  const [a, g] = [on(falseAccept, size), on(genuine, size)];
  return { bar: Math.min(a, g), floorBinds: g < a };
}
