/** One lot of a workspace under the workspace's own scorer. */
import { type Enrolment, enrol, twinsOf } from '../check.js';
import type { LotModel, SessionType } from '../model.js';
import { type LotScorer, mapped, ScoringModels } from './scorer.js';

/** The scorer in force, as its approval describes it. */
export interface OwnScorerFacts {
  digest: string;
  /** ISO 8601. */
  approved_at: string;
  /** Lots that it was fitted on. */
  lots: number;
  /** Share of substitutes caught, and of single ones confirmed, as rehearsed on these lots. */
  caught: number;
  one_stone_false_accept: number;
}

/** @param vectors the lot's members as the encoder gave them, rows of LOT_VECTOR */
export interface OwnScoring {
  scorer: LotScorer;
  facts: OwnScorerFacts;
  lot_id: string;
  vectors: Float32Array;
}

/** What scores a lot under a scorer of its workspace's own. */
export interface ScoredLot {
  model: LotModel;
  enrolment: Enrolment;
  /** Members too alike to be distinguished, by place. */
  twins: [number, number][];
  /** Brings vectors under the map. */
  map(vectors: Float32Array): Float32Array;
}

export function scoredLot(shipped: LotModel, { scorer, lot_id, vectors }: OwnScoring, session: SessionType): ScoredLot {
  const model = new ScoringModels(shipped, scorer).of(lot_id);
  const map = (rows: Float32Array) => mapped(scorer.map, rows);
  const enrolment = enrol(model, map(vectors));
  return { model, enrolment, twins: twinsOf(model, enrolment, session), map };
}
