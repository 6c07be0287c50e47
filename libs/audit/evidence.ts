/** The evidence behind approvals, as it is gathered from the log. */

import type { Verdict } from '#claims/events';
import type { Expected } from '#labels/events';

export interface SideOfClaim {
  digest: string;
  references: string[];
}

/** A counted claim as far as it is needed to write it down. */
export interface Counted {
  claim_id: string;
  rough: SideOfClaim;
  polish: SideOfClaim;
  /** By the model whose evidence it is. */
  score: number;
  /** As it was answered: by the model that was live then. */
  verdict: Verdict;
  rung: number;
  /** Its labels, the newest last, with their places in the log. */
  labels: { expected: Expected; position: bigint }[];
}

/** The evidence behind approvals under one model. */
export interface ModelEvidence {
  model: string;
  encoders: string[];
  /** The most claims that an approval under it rests on. */
  claims: number;
  counted: Counted[];
  /** Scores of claims after these, the first of them, as far as the last decision. */
  later: number[];
  /** Sets of the counted claims, in the order in which they were banked: their rows. */
  rows: Map<string, number>;
  /** Vectors of the first claims' sets. */
  sample: Map<string, Float32Array>;
}
