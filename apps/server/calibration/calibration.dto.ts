/** Ladders in the contract. */

import { IsNumber, IsOptional, Max, Min } from 'class-validator';
import { VERDICTS } from '#domain';
import { driftSource, driftStatus } from '#service';
import {
  Digest,
  Flag,
  FromSchema,
  Integer,
  Nested,
  Numbers,
  Numeric,
  nullable,
  Objects,
  OneOf,
  OptionalModel,
  OptionalTime,
  optional,
  PageQuery,
  RequiredText,
  Text,
  Texts,
  Time,
} from '../http/dto.js';
import { RUNGS } from '../verify-match/verify-match.dto.js';

export class ListQuery extends PageQuery {
  @OptionalModel()
  model?: string;
}

export class ScoresQuery {
  @OptionalModel()
  model?: string;
}

export class HistoryQuery {
  @OptionalTime('a past time: the thresholds that were live then')
  as_of?: string;

  @OptionalModel()
  model?: string;
}

export class ReasonBody {
  @RequiredText()
  reason!: string;
}

export class Approval extends ReasonBody {
  @Digest('proposal_digest', 'digest of the proposal that the operator saw')
  proposal_digest!: string;
}

export class Withdrawal extends ReasonBody {
  @OptionalModel()
  model?: string;
}

export class Trial {
  @OptionalModel()
  model?: string;

  @IsOptional()
  @IsNumber()
  @Min(-2)
  @Max(2)
  @Numeric('threshold to try in place of the proposal’s', { minimum: -2, maximum: 2, ...optional })
  threshold?: number;
}

export const HEX = { pattern: '^[0-9a-f]{64}$' };

export class Proposal {
  @Text('what an approval names: over the evidence, the rung and the decisions before it', HEX) digest!: string;
  @Text('over the counted claims and their vectors', HEX) evidence_digest!: string;
  @Text('version of the method') method!: string;
  @Text('digest of the model') model!: string;
  @Text('place in the log of the last claim behind it') position!: string;
  @Integer('approvals and withdrawals of the population before it') decisions!: number;
  @Integer('counted claims') claims!: number;
  @Integer('rough stones') roughs!: number;
  @Integer('polish stones') polishes!: number;
  @Integer('pairs of stones that stand for wrong claims') pairs!: number;
  @Numeric('the rung’s quantile of their scores') threshold!: number;
  @Numbers('95% interval of the threshold, over stones', { minItems: 2, maxItems: 2 }) interval!: number[];
  @Numeric('wrong claims in 1,000 that it accepts') wrong_per_1000!: number;
  @Numeric('estimated share of genuine claims confirmed', nullable) expected_genuine_accept!: number | null;
  @Numeric('its standard error', nullable) expected_genuine_accept_error!: number | null;
  @Text('why it is null', nullable) expected_genuine_accept_reason!: string | null;
}

export class MeasuredProposal extends Proposal {
  @Text('its digest, under the name that an approval gives it', HEX) proposal_digest!: string;
  @Numeric('wrong claims in 1,000 that the shipped threshold accepts here', nullable)
  shipped_wrong_per_1000!: number | null;
}

/** A rung as it was decided. */
export class ApprovedRung {
  @OneOf(RUNGS) reject_target!: number;
  @OneOf(['uncalibrated', 'calibrated']) state!: string;
  @Numeric('what decides') threshold!: number;
  @Text('begins shipped-default or population-calibrated') threshold_source!: string;
  @Numeric('the estimate that answers carry', nullable) expected_genuine_accept!: number | null;
  @Text('operator', nullable) approved_by!: string | null;
  @Text('the first of two operators, where two are needed', nullable) requested_by!: string | null;
  @Time('when', nullable) approved_at!: string | null;
  @Text('as the operator gave it', nullable) reason!: string | null;
  @Nested(() => Proposal, 'what the approval rests on', nullable) evidence!: Proposal | null;
}

export class AwaitedApproval {
  @Text('the proposal') digest!: string;
  @Text('operator') requested_by!: string;
  @Time('when') at!: string;
  @Text('as the operator gave it') reason!: string;
}

export class RungDrift {
  @Flag('recent claims differ from the baseline, or the approved threshold no longer fits') alarm!: boolean;
  @Flag('the approved threshold lies outside the interval of the newest proposal')
  threshold_outside_interval!: boolean;
  @Numbers('scores', nullable) interval_now!: number[] | null;
  @Integer('claims counted since the approval', nullable) claims_since!: number | null;
  @FromSchema(driftStatus, nullable) status!: string | null;
  @FromSchema(driftSource, nullable) baseline!: string | null;
  @Texts('measures that differ') measures!: string[];
}

/** A rung as it stands. */
export class Rung extends ApprovedRung {
  @Integer('counted claims of the population under the model') claims_held!: number;
  @Integer('claims that the rung needs; null: it is never calibrated', nullable) claims_needed!: number | null;
  @Nested(() => AwaitedApproval, undefined, nullable) awaiting_second_operator!: AwaitedApproval | null;
  @Nested(() => MeasuredProposal, undefined, nullable) proposal!: MeasuredProposal | null;
  @Text('why there is no proposal', nullable) no_proposal!: string | null;
  @Nested(() => RungDrift, undefined, nullable) drift!: RungDrift | null;
}

export const Population = () => Text('the population');
const LadderModel = () => Text('digest of the model whose ladder it is');

const OwnScorer = () =>
  Text('digest of the population’s own scorer, in whose scores the thresholds are; null for raw scores', {
    ...HEX,
    ...nullable,
  });

export class Calibration {
  @Population() population!: string;
  @LadderModel() model!: string;
  @OwnScorer() scorer!: string | null;
  @Text('why its ladder does not decide, where that is so', optional) detail?: string;
  @Texts('digests of models that approvals name', optional) models_not_installed?: string[];
  @Nested(() => [Rung]) rungs!: Rung[];
}

export class CalibratedRung extends Rung {
  @Population() population!: string;
  @LadderModel() model!: string;
  @OwnScorer() scorer!: string | null;
}

const HISTORY_ITEM = {
  properties: {
    event: { type: 'string', description: 'ApprovalRequested, RungApproved or RungWithdrawn' },
    revision: { type: 'integer', description: 'its place among the population’s decisions, from 0' },
    not_obeyed: { type: 'string', description: 'why it decides nothing; only where it could not have been made so' },
  },
  required: ['event', 'revision'],
};

export class CalibrationHistory {
  @Population() population!: string;
  @LadderModel() model!: string;
  @OwnScorer() scorer!: string | null;
  @Text('says so where the model that was live then is not installed: its rungs are unknown', optional) detail?: string;
  @Time('time that the answer is about') as_of!: string;
  @Nested(() => [ApprovedRung], 'rungs that were live then, under the model of that time') rungs!: ApprovedRung[];
  @Objects('decisions of all models up to then, oldest first', undefined, HISTORY_ITEM) items!: object[];
  @Text('hash over the decisions listed here; a later audit bundle continues it') chain_root!: string;
  @Text('root digest of the audit bundle as it is now; null with as_of, and where there is none', nullable) audit_root!:
    | string
    | null;
}

export class ChangedClaim {
  @Text('the claim') claim_id!: string;
  @Numeric('its score') fused_score!: number;
  @Time('when it was scored') at!: string;
  @Text('match or no_match', nullable) label!: string | null;
  @OneOf(VERDICTS) before!: string;
  @OneOf(VERDICTS) after!: string;
}

export class ChangedClaims {
  @Integer('claims') total!: number;
  @Integer('of these, labelled match') labelled_match!: number;
  @Integer('labelled no_match') labelled_no_match!: number;
  @Integer('not labelled') unlabelled!: number;
  @Nested(() => [ChangedClaim], undefined, { maxItems: 1000 }) claims!: ChangedClaim[];
}

export class DryRun {
  @Population() population!: string;
  @LadderModel() model!: string;
  @OneOf(RUNGS) reject_target!: number;
  @Integer('counted claims') claims!: number;
  @Numeric('threshold in force') threshold!: number;
  @Text('source of the threshold') threshold_source!: string;
  @Numeric('threshold that was tried') tried_threshold!: number;
  @Text('the proposal, where its threshold was tried', nullable) proposal_digest!: string | null;
  @Nested(() => ChangedClaims) to_match!: ChangedClaims;
  @Nested(() => ChangedClaims) to_no_match!: ChangedClaims;
}

export class ThresholdAmongScores {
  @OneOf(RUNGS) reject_target!: number;
  @Numeric('what decides') threshold!: number;
  @Text('source of the threshold') threshold_source!: string;
  @Numeric('threshold that these scores give, whether or not it is proposed', nullable) measured!: number | null;
}

/** Both histograms share their bins: bin i holds scores from `from + i * width` to before `from + (i + 1) * width`. */
export class PopulationScores {
  @Population() population!: string;
  @Text('digest of the model', HEX) model!: string;
  @Text('digest of the population’s own scorer, where its scores are these', { ...HEX, ...nullable }) scorer!:
    | string
    | null;
  @Integer('counted claims behind it') claims!: number;
  @Integer('pairs of distinct stones that stand for wrong claims') pairs!: number;
  @Text('why there are no histograms', nullable) reason!: string | null;
  @Numeric('lower edge of the first bin', nullable) from!: number | null;
  @Numeric('width of a bin', nullable) width!: number | null;
  @Numbers('counted claims by bin; under a scorer the newest 1,600') genuine!: number[];
  @Numbers('pairs by bin; under a scorer those of the newest 1,600 stones of a side') wrong!: number[];
  @Nested(() => [ThresholdAmongScores]) rungs!: ThresholdAmongScores[];
}
