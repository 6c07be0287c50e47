/** Populations' own scorers in the contract. */

import { IsIn, IsOptional } from 'class-validator';
import { VERDICTS } from '#domain';
import { Dictionary, Flag, Integer, Nested, Numeric, nullable, OneOf, optional, Text, Time } from '../http/dto.js';
import { RUNGS } from '../verify-match/verify-match.dto.js';
import { AwaitedApproval, HEX, Population, ReasonBody } from './calibration.dto.js';

export class ScorerWithdrawal extends ReasonBody {}

export class ScorerTrial {
  @IsOptional()
  @IsIn(RUNGS)
  @OneOf(RUNGS, 'by default 0.98', optional)
  reject_target?: number;
}

const Share = (description: string) => Numeric(description, { minimum: 0, maximum: 1, ...nullable });

/** A scorer's gain at a rung, cross-fitted on the population's own claims. */
export class ScorerRung {
  @OneOf(RUNGS) reject_target!: number;
  @Share('share of genuine claims confirmed with raw scores') confirmed_raw!: number | null;
  @Share('the same under the scorer') confirmed_mapped!: number | null;
  @Share('share of wrong claims accepted at the threshold that came with the model') wrong_raw!: number | null;
  @Share('the same under the scorer') wrong_mapped!: number | null;
}

export class ScorerEvidence {
  @Text('what an approval names: over the evidence and the decisions before it', HEX) digest!: string;
  @Text('digest of the scorer', HEX) scorer!: string;
  @Text('over the counted claims and their vectors', HEX) evidence_digest!: string;
  @Text('version of the method') method!: string;
  @Text('digest of the model', HEX) model!: string;
  @Text('place in the log of the last claim behind it') position!: string;
  @Integer('approvals and withdrawals of the population before it') decisions!: number;
  @Integer('counted claims') claims!: number;
  @Integer('groups of claims on distinct stones') groups!: number;
  @Integer('claims left out of the fit, because they score like wrong ones') trimmed!: number;
  @OneOf(['own', 'shipped'], 'where p_match_5050 comes from') curve!: string;
  @Nested(() => [ScorerRung]) rungs!: ScorerRung[];
}

export class ScorerToApprove extends ScorerEvidence {
  @Text('its digest, under the name that an approval gives it', HEX) proposal_digest!: string;
  @Dictionary(undefined, 'all that was measured: shares by key, stability, laboratories; members may be added')
  figures!: object;
}

/** A scorer as it was approved. */
export class ApprovedScorer {
  @Text('digest of the scorer', HEX) scorer!: string;
  @Text('digest of the model', HEX) model!: string;
  @Integer('counted claims') claims!: number;
  @Integer('groups of claims on distinct stones') groups!: number;
  @Text('operator') approved_by!: string;
  @Text('the first of two operators, where two are needed', nullable) requested_by!: string | null;
  @Time('when') approved_at!: string;
  @Text('as the operator gave it') reason!: string;
  @Nested(() => ScorerEvidence, 'what the approval rests on') evidence!: ScorerEvidence;
}

export class ScorerEnd {
  @OneOf(['superseded', 'withdrawn']) how!: string;
  @Text('operator') by!: string;
  @Time('when') at!: string;
}

export class ListedScorer extends ApprovedScorer {
  @Flag('whether it scores now, under the live model') in_force!: boolean;
  @Nested(() => ScorerEnd, undefined, nullable) ended!: ScorerEnd | null;
}

export class ScorerRecord {
  @Population() population!: string;
  @Text('digest of the live model') model!: string;
  @OneOf(['raw', 'population'], 'scorer that answers name') scorer!: string;
  @Nested(() => ApprovedScorer, undefined, nullable) in_force!: ApprovedScorer | null;
  @Integer('counted claims of the population under the model') claims_held!: number;
  @Integer('groups that the next proposal needs; null: there is none', nullable) groups_needed!: number | null;
  @Nested(() => AwaitedApproval, undefined, nullable) awaiting_second_operator!: AwaitedApproval | null;
  @Nested(() => ScorerToApprove, undefined, nullable) proposal!: ScorerToApprove | null;
  @Text('why there is no proposal', nullable) no_proposal!: string | null;
  @Nested(() => [ListedScorer], 'every approval, of all models, oldest first') approvals!: ListedScorer[];
}

export class RescoredClaim {
  @Text('the claim') claim_id!: string;
  @Time('when it was scored') at!: string;
  @Text('match or no_match', nullable) label!: string | null;
  @Numeric('score by the scorer in force') score_before!: number;
  @Numeric('by the proposed scorer') score_after!: number;
  @OneOf(VERDICTS) before!: string;
  @OneOf(VERDICTS) after!: string;
}

export class RescoredClaims {
  @Integer('claims') total!: number;
  @Integer('of these, labelled match') labelled_match!: number;
  @Integer('labelled no_match') labelled_no_match!: number;
  @Integer('not labelled') unlabelled!: number;
  @Nested(() => [RescoredClaim], undefined, { maxItems: 1000 }) claims!: RescoredClaim[];
}

export class ScorerDryRun {
  @Population() population!: string;
  @Text('digest of the live model') model!: string;
  @Text('digest of the proposed scorer', HEX) scorer!: string;
  @Text('the proposal', HEX) proposal_digest!: string;
  @OneOf(RUNGS) reject_target!: number;
  @Integer('counted claims') claims!: number;
  @Numeric('threshold in force') threshold!: number;
  @Text('source of the threshold') threshold_source!: string;
  @Numeric('threshold that would decide') tried_threshold!: number;
  @Text('source of that threshold') tried_threshold_source!: string;
  @Nested(() => RescoredClaims) to_match!: RescoredClaims;
  @Nested(() => RescoredClaims) to_no_match!: RescoredClaims;
}
