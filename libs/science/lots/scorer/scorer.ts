/**
 * A workspace's own lot scorer: a linear map of the stones' vectors, the variances in it, a bar, and the workspace's own stones
 * as cohort. Under the map everything is scored as the shipped model scores. Made by `fitLotScorer`; its formulas stand in
 * docs/concepts/lot-scorer-method.md.
 */
import { createHash } from 'node:crypto';
import { productsOfRows } from '#science/compute/products';
import { littleEndian } from '#science/numerics/little-endian';
import { type Line, LOT_VECTOR, type LotModel, SESSION_TYPES } from '../model.js';
import { centreOf, lessCentre, stonesIn } from '../score.js';

/** Name of the method; a scorer scores by the method that it was made with. */
export const LOT_SCORER_METHOD = 'lot-scorer/1';
/** Stones of the cohort, at most; of more, as many are taken evenly. They bound the time of a check. */
const COHORT = 1200;
/** Of so many cohort stones one counts as near. */
const ONE_IN = 30;

/** The parts of a scorer that are stored. */
export interface LotScorerParts {
  /** LOT_VECTOR rows of LOT_VECTOR: each number of a mapped vector is the product of a row with the vector. */
  map: Float32Array;
  /** Between-stone variance of each mapped number, the within-stone variance being 1; falling. */
  between: Float32Array;
  /** By ln of the lot's size. */
  bar: Line;
}

/** Members of a lot that the scorer was fitted on: rows of LOT_VECTOR as the encoder gave them. */
export interface CohortLot {
  lot_id: string;
  members: Float32Array;
}

export interface LotScorer extends LotScorerParts {
  /** In the order of the fit. */
  lots: readonly CohortLot[];
}

/** SHA-256 (64 hex) of the parts, the model's digest and the names of the cohort's lots. */
export function lotScorerDigest(model: string, { map, between, bar, lots }: LotScorer): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([LOT_SCORER_METHOD, model, bar.at, bar.slope, lots.map(({ lot_id }) => lot_id)]));
  for (const values of [map, between, ...lots.map(({ members }) => members)]) hash.update(littleEndian(values));
  return hash.digest('hex');
}

/**
 * SHA-256 (64 hex) of the vectors that a scorer is fitted on: the model's digest with the names of the lots and checks, as JSON, then
 * of each lot the members and what came back, 96 float32 a stone, little-endian.
 */
export function lotEvidenceDigest(
  model: string,
  lots: readonly { lot_id: string; check_id: string; members: Float32Array; returned: Float32Array }[],
): string {
  const hash = createHash('sha256');
  const of = lots.map(({ lot_id, check_id }) => [lot_id, check_id]);
  hash.update(JSON.stringify(['mvs-lot-evidence/1', model, of]));
  for (const { members, returned } of lots) hash.update(littleEndian(members)).update(littleEndian(returned));
  return hash.digest('hex');
}

/** Vectors under the map, rows of LOT_VECTOR; summed in float64 in the order of the numbers. */
export function mapped(map: Float32Array, vectors: Float32Array): Float32Array {
  const out = new Float32Array(vectors.length);
  productsOfRows(Float64Array.from(vectors), map, LOT_VECTOR, out);
  return out;
}

/** Scores mapped vectors, each lot by the stones of the others. */
export class ScoringModels {
  /** By lot, in the fit's order: its members under the map, less their middle. */
  private readonly cohorts: { lot_id: string; rows: Float32Array }[];

  constructor(
    private readonly model: LotModel,
    private readonly scorer: LotScorer,
  ) {
    this.cohorts = scorer.lots.map(({ lot_id, members }) => {
      const rows = mapped(scorer.map, members);
      return { lot_id, rows: lessCentre(rows, centreOf(rows)) };
    });
  }

  /** @param lotId the lot that is scored: its own stones are no cohort for it */
  of(lotId: string): LotModel {
    const { between, bar } = this.scorer;
    const cohort = evenly(
      this.cohorts.filter(({ lot_id }) => lot_id !== lotId).map(({ rows }) => rows),
      COHORT,
    );
    const bars = { falseAccept: bar, genuine: bar };
    return {
      ...this.model,
      between,
      cohort,
      nearest: Math.max(1, Math.round(stonesIn(cohort) / ONE_IN)),
      bars: Object.fromEntries(SESSION_TYPES.map((type) => [type, bars])) as LotModel['bars'],
    };
  }
}

/** So many rows of LOT_VECTOR, taken evenly; all where there are fewer. */
function evenly(parts: readonly Float32Array[], most: number): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  const count = stonesIn(all);
  if (count <= most) return all;
  const some = new Float32Array(most * LOT_VECTOR);
  for (let i = 0; i < most; i++) {
    const from = Math.floor((i * count) / most) * LOT_VECTOR;
    some.set(all.subarray(from, from + LOT_VECTOR), i * LOT_VECTOR);
  }
  return some;
}
