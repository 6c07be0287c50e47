/** Populations' own scorers in the contract. */
import { IsIn, IsOptional } from 'class-validator';
import { Flag, Named, Numeric, nullable, Of, OneOf, optional, Text, Time, Whole } from '../http/dto.js';
import { RUNGS, VERDICTS } from '../verify-match/verify-match.dto.js';
import { AwaitedApproval, HEX, Population, ReasonBody } from './calibration.dto.js';

export class ScorerWithdrawal extends ReasonBody {}

export class ScorerTrial {
  @IsOptional()
  @IsIn(RUNGS)
  @OneOf(RUNGS, 'by default 0.98', optional)
  reject_target?: number;
}

const Share = (description: string) => Numeric(description, { minimum: 0, maximum: 1, ...nullable });

/** What a scorer brings at a rung, cross-fitted on the population's own claims. */
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
  @Whole('approvals and withdrawals of the population before it') decisions!: number;
  @Whole('counted claims') claims!: number;
  @Whole('groups of claims on distinct stones') groups!: number;
  @Whole('claims left out of the fit, as they score like wrong ones') trimmed!: number;
  @OneOf(['own', 'shipped'], 'where p_match_5050 comes from') curve!: string;
  @Of(() => [ScorerRung]) rungs!: ScorerRung[];
}

export class ScorerToApprove extends ScorerEvidence {
  @Text('its digest, under the name that an approval gives it', HEX) proposal_digest!: string;
  @Named(undefined, 'all that was measured: shares by key, stability, laboratories; members may be added')
  figures!: object;
}

/** A scorer as it was approved. */
export class ApprovedScorer {
  @Text('digest of the scorer', HEX) scorer!: string;
  @Text('digest of the model', HEX) model!: string;
  @Whole('counted claims') claims!: number;
  @Whole('groups of claims on distinct stones') groups!: number;
  @Text('operator') approved_by!: string;
  @Text('the first of two operators, where two are needed', nullable) requested_by!: string | null;
  @Time('when') approved_at!: string;
  @Text('as the operator gave it') reason!: string;
  @Of(() => ScorerEvidence, 'what the approval rests on') evidence!: ScorerEvidence;
}

export class ScorerEnd {
  @OneOf(['superseded', 'withdrawn']) how!: string;
  @Text('operator') by!: string;
  @Time('when') at!: string;
}

export class ListedScorer extends ApprovedScorer {
  @Flag('it scores now, under the live model') in_force!: boolean;
  @Of(() => ScorerEnd, undefined, nullable) ended!: ScorerEnd | null;
}

export class ScorerRecord {
  @Population() population!: string;
  @Text('digest of the live model') model!: string;
  @OneOf(['raw', 'population'], 'what answers say') scorer!: string;
  @Of(() => ApprovedScorer, undefined, nullable) in_force!: ApprovedScorer | null;
  @Whole('counted claims of the population under the model') claims_held!: number;
  @Whole('groups that the next proposal needs; null: there is none', nullable) groups_needed!: number | null;
  @Of(() => AwaitedApproval, undefined, nullable) awaiting_second_operator!: AwaitedApproval | null;
  @Of(() => ScorerToApprove, undefined, nullable) proposal!: ScorerToApprove | null;
  @Text('why there is none', nullable) no_proposal!: string | null;
  @Of(() => [ListedScorer], 'every approval, of all models, oldest first') approvals!: ListedScorer[];
}

export class RescoredClaim {
  @Text('the claim') claim_id!: string;
  @Time('when it was scored') at!: string;
  @Text('match or no_match', nullable) label!: string | null;
  @Numeric('its score by what decides now') score_before!: number;
  @Numeric('by the proposed scorer') score_after!: number;
  @OneOf(VERDICTS) before!: string;
  @OneOf(VERDICTS) after!: string;
}

export class RescoredClaims {
  @Whole('claims') total!: number;
  @Whole('of these, labelled match') labelled_match!: number;
  @Whole('labelled no_match') labelled_no_match!: number;
  @Whole('not labelled') unlabelled!: number;
  @Of(() => [RescoredClaim], undefined, { maxItems: 1000 }) claims!: RescoredClaim[];
}

export class ScorerDryRun {
  @Population() population!: string;
  @Text('digest of the live model') model!: string;
  @Text('digest of the proposed scorer', HEX) scorer!: string;
  @Text('the proposal', HEX) proposal_digest!: string;
  @OneOf(RUNGS) reject_target!: number;
  @Whole('counted claims') claims!: number;
  @Numeric('what decides now') threshold!: number;
  @Text('where it comes from') threshold_source!: string;
  @Numeric('what would decide') tried_threshold!: number;
  @Text('where it would come from') tried_threshold_source!: string;
  @Of(() => RescoredClaims) to_match!: RescoredClaims;
  @Of(() => RescoredClaims) to_no_match!: RescoredClaims;
}
