/** Fits a workspace's own lot scorer on vectors of its enrolments and returns, in closed form and without labels. */
import { addSquare, generalisedEigen } from '#science/numerics/eigen';
import { interpolatedQuantile } from '#science/numerics/quantile';
import { enrol } from '../check.js';
import { type Line, LOT_VECTOR, type LotModel } from '../model.js';
import { centreOf, scoreTable, stonesIn } from '../score.js';
import { type BelievedPair, believed, type Pair, pairsOfReturn } from './pairs.js';
import { type CohortLot, type LotScorer, type LotScorerParts, mapped, ScoringModels } from './scorer.js';

/** A lot with what came back of it: rows of LOT_VECTOR as the encoder gave them. */
export interface HistoryLot extends CohortLot {
  returned: Float32Array;
}

/** A fitted scorer; for each lot one whose map, variances and cohort are of the others, with the bar of all. */
export interface FittedLotScorer {
  scorer: LotScorer;
  /** Folds of lots: lot i is judged by the scorer without fold i mod FOLDS. */
  without: readonly LotScorer[];
}

const ROUNDS = 4;
export const FOLDS = 5;
/** Pairs' worth of the target that the scatter within stones is shrunk to, and stones' worth of the shipped scatter between. */
const WITHIN_WEIGHT = 150;
const BETWEEN_WEIGHT = 40;
/** Least share of the whole scatter that lies between stones. */
const LEAST_BETWEEN = 0.1;
const LEAST_VARIANCE = 0.02;
/** Believed pairs that a lot needs to say anything of scatter. */
const PAIRS_OF_A_LOT = 3;
/** Quantile and least slope of the bar's dependence on the lot's size. */
const SLOPE_QUANTILE = 0.7;
const LEAST_SLOPE = 0.1;

/** @param lots at least as many as folds */
export function fitLotScorer(model: LotModel, lots: readonly HistoryLot[]): FittedLotScorer {
  const whole = lots.map(({ members }) => scatterOf(members));
  let within = withinLots(
    lots,
    lots.map(({ members, returned }) => pairsOfReturn(model, members, returned)),
  );
  const all = lots.map((_, i) => i);
  const scorerOf = (some: readonly number[]): LotScorer => ({
    ...mapOf(model, sumOf(some.map((i) => within[i])), sumOf(some.map((i) => whole[i]))),
    bar: NO_BAR,
    lots: some.map((i) => ({ lot_id: lots[i].lot_id, members: lots[i].members })),
  });
  for (let round = 1; round < ROUNDS; round++) {
    const scorer = scorerOf(all);
    const models = new ScoringModels(model, scorer);
    within = withinLots(
      lots,
      lots.map(({ lot_id, members, returned }) =>
        pairsOfReturn(models.of(lot_id), mapped(scorer.map, members), mapped(scorer.map, returned)),
      ),
    );
  }
  const without = Array.from({ length: FOLDS }, (_, fold) => scorerOf(all.filter((i) => i % FOLDS !== fold)));
  const models = without.map((scorer) => ({ scorer, models: new ScoringModels(model, scorer) }));
  const bar = barOfMembers(lots.map((lot, i) => ({ lot, scores: scoresAmong(models[i % FOLDS], lot) })));
  return { scorer: { ...scorerOf(all), bar }, without: without.map((one) => ({ ...one, bar })) };
}

const NO_BAR: Line = { at: 0, slope: 0 };

/** Of each lot the scatter of the pairs that are believed, where there are enough. */
function withinLots(lots: readonly HistoryLot[], paired: readonly (readonly Pair[])[]): Scatter[] {
  return believed(paired).map((pairs, i) => {
    const { members, returned } = lots[i];
    return pairs.length < PAIRS_OF_A_LOT ? NO_SCATTER : scatterOf(differences(members, returned, pairs));
  });
}

/** Return less member, a row of LOT_VECTOR each. */
function differences(members: Float32Array, returned: Float32Array, pairs: readonly BelievedPair[]): Float64Array {
  const rows = new Float64Array(pairs.length * LOT_VECTOR);
  for (const [k, pair] of pairs.entries())
    for (let j = 0; j < LOT_VECTOR; j++)
      rows[k * LOT_VECTOR + j] = returned[pair.returned * LOT_VECTOR + j] - members[pair.member * LOT_VECTOR + j];
  return rows;
}

/** Sums of squares and products about the mean of each lot, in a square table of which the lower triangle counts. */
interface Scatter {
  sums: Float64Array;
  /** Rows less one a lot. */
  count: number;
}

const NO_SCATTER: Scatter = { sums: new Float64Array(LOT_VECTOR * LOT_VECTOR), count: 0 };

function scatterOf(rows: Float32Array | Float64Array): Scatter {
  const mean = centreOf(rows);
  const sums = new Float64Array(LOT_VECTOR * LOT_VECTOR);
  const row = new Float64Array(LOT_VECTOR);
  for (let from = 0; from < rows.length; from += LOT_VECTOR) {
    for (let j = 0; j < LOT_VECTOR; j++) row[j] = rows[from + j] - mean[j];
    addSquare(sums, row, 1);
  }
  return { sums, count: rows.length / LOT_VECTOR - 1 };
}

function sumOf(parts: readonly Scatter[]): Scatter {
  const sums = new Float64Array(LOT_VECTOR * LOT_VECTOR);
  for (const part of parts) for (let at = 0; at < sums.length; at++) sums[at] += part.sums[at];
  return { sums, count: parts.reduce((sum, { count }) => sum + count, 0) };
}

const trace = (table: Float64Array): number => {
  let sum = 0;
  for (let j = 0; j < LOT_VECTOR; j++) sum += table[j * (LOT_VECTOR + 1)];
  return sum;
};

/** The axes on which the scatter within stones is 1, and that between them falls. */
function mapOf(
  { between: shipped }: Pick<LotModel, 'between'>,
  pairs: Scatter,
  members: Scatter,
): Pick<LotScorerParts, 'map' | 'between'> {
  const [pairsCount, membersCount] = [Math.max(1, pairs.count), Math.max(1, members.count)];
  // A difference of two visits has twice the scatter of one.
  const within = pairs.sums.map((sum) => sum / (2 * pairsCount));
  const whole = members.sums.map((sum) => sum / membersCount);
  const target = geometricMean(within) / 2;
  const rest = whole.map((value, at) => value - within[at]);
  const known = shipped.reduce((sum, value) => sum + value, 0);
  const scale = Math.max(trace(rest), LEAST_BETWEEN * trace(whole)) / known;
  const w = new Float64Array(LOT_VECTOR * LOT_VECTOR);
  const b = new Float64Array(LOT_VECTOR * LOT_VECTOR);
  for (let i = 0; i < LOT_VECTOR; i++) {
    for (let j = 0, at = i * LOT_VECTOR; j <= i; j++, at++) {
      const other = j * LOT_VECTOR + i;
      const prior = i === j ? WITHIN_WEIGHT * (within[at] / 2 + target) : 0;
      w[at] = w[other] = (pairs.count * within[at] + prior) / (pairs.count + WITHIN_WEIGHT);
      const like = i === j ? BETWEEN_WEIGHT * shipped[i] * scale : 0;
      b[at] = b[other] = (members.count * rest[at] + like) / (members.count + BETWEEN_WEIGHT);
    }
  }
  const { values, vectors } = generalisedEigen(b, w, LOT_VECTOR);
  const map = new Float32Array(LOT_VECTOR * LOT_VECTOR);
  const between = new Float32Array(LOT_VECTOR);
  for (let i = 0; i < LOT_VECTOR; i++) {
    const place = LOT_VECTOR - 1 - i;
    const axis = map.subarray(i * LOT_VECTOR, (i + 1) * LOT_VECTOR);
    between[i] = Math.max(LEAST_VARIANCE, values[place]);
    axis.set(vectors.subarray(place * LOT_VECTOR, (place + 1) * LOT_VECTOR));
    turnUp(axis);
  }
  return { map, between };
}

/**
 * Makes the number of the largest size positive. A session's offset is an upper median, which the other sign would make the lower
 * one: without a rule for the sign each eigen routine would give another scorer.
 */
function turnUp(axis: Float32Array): void {
  const largest = axis.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
  if (largest < 0) for (const [j, value] of axis.entries()) axis[j] = -value;
}

/** Of a table's diagonal. */
function geometricMean(table: Float64Array): number {
  let logs = 0;
  for (let j = 0; j < LOT_VECTOR; j++) logs += Math.log(Math.max(1e-6, table[j * (LOT_VECTOR + 1)]));
  return settled(Math.exp(logs / LOT_VECTOR));
}

/** Six decimals: the same on every machine, whatever the last bits of its logarithms. */
const settled = (value: number): number => Math.round(value * 1e6) / 1e6;

/** Scores of a lot's members against one another. */
function scoresAmong(
  { scorer, models }: { scorer: LotScorer; models: ScoringModels },
  { lot_id, members }: CohortLot,
): Float64Array {
  const by = models.of(lot_id);
  const { placed, crowded } = enrol(by, mapped(scorer.map, members));
  return scoreTable(by, placed, crowded, placed);
}

/** Half of the members resemble another one of their lot as much: there the bar lies, higher in larger lots. */
function barOfMembers(judged: readonly { lot: CohortLot; scores: Float64Array }[]): Line {
  const best: number[] = [];
  const halved: number[] = [];
  const sizes: number[] = [];
  for (const { lot, scores } of judged) {
    const size = stonesIn(lot.members);
    for (let m = 0; m < size; m++) {
      const others = (like: (other: number) => boolean) => {
        let most = Number.NEGATIVE_INFINITY;
        for (let k = 0; k < size; k++) if (k !== m && like(k)) most = Math.max(most, scores[m * size + k]);
        return most;
      };
      best.push(others(() => true));
      halved.push(others((other) => other % 2 === m % 2));
      sizes.push(size);
    }
  }
  const at = (values: readonly number[], share: number) => interpolatedQuantile(Float64Array.from(values), share);
  const rise = (at(best, SLOPE_QUANTILE) - at(halved, SLOPE_QUANTILE)) / Math.LN2;
  const slope = settled(Math.max(LEAST_SLOPE, rise));
  const lots = judged.map(({ lot }) => Math.log(stonesIn(lot.members)));
  const mean = lots.reduce((sum, value) => sum + value, 0) / lots.length;
  const level = at(
    best.map((value, i) => value - slope * Math.log(sizes[i] - 1)),
    0.5,
  );
  return { at: settled(level + (slope * mean) / 2), slope: settled(slope / 2) };
}
