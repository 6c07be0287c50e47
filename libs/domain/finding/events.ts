import type { Happened } from '../decider.js';
import type { Reviewed } from '../review.js';

/** `probing`: one polish against several claimed roughs by one key. `multi_pass`: several confirmed roughs for it. */
export const FINDINGS = ['probing', 'multi_pass'] as const;
export type Finding = (typeof FINDINGS)[number];

/** An operator has looked at a finding. What comes to it afterwards opens it again. */
export type FindingReviewed = Happened<
  'FindingReviewed',
  2,
  {
    finding_id: string;
    kind: Finding;
    /** Claims behind it as the operator saw it. */
    claims: number;
  } & Reviewed
>;
