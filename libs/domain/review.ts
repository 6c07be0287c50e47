/** Whether what an operator looked at held up: a claim’s verdict, or a finding. */
export const REVIEW_OUTCOMES = ['confirmed', 'wrong', 'inconclusive'] as const;
export type ReviewOutcome = (typeof REVIEW_OUTCOMES)[number];

/** What an operator says of a claim or of a finding: beside it, and nothing is decided on it. */
export interface Reviewed {
  note: string;
  /** Null where the operator does not say, as in version 1. */
  outcome: ReviewOutcome | null;
  operator: string;
  request_id: string;
  at: string;
}
