/** Ladders in the contract. */

import { IsNumber, IsOptional, Max, Min } from 'class-validator';
import { type Static, Type } from 'typebox';
import { one, optional, orNull } from '#domain/schemas';
import { Numeric, OptionalModel, OptionalTime, PageQuery } from '#kit/http/dto';
import { awaitedApproval, flag, integer, number, rung, sha256, string, texts, time, verdict } from '#kit/views/shapes';
import { driftSource, driftStatus } from './queries-drift-shapes.js';
import { ReasonBody } from './route-decisions.js';

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
  @Numeric('threshold to try in place of the proposal’s', { minimum: -2, maximum: 2, required: false })
  threshold?: number;
}

export const proposal = Type.Object(
  {
    digest: sha256('what an approval names: over the evidence, the rung and the decisions before it'),
    evidence_digest: sha256('over the counted claims and their vectors'),
    method: string('version of the method'),
    model: string('digest of the model'),
    position: string('place in the log of the last claim behind it'),
    decisions: integer('approvals and withdrawals of the population before it'),
    claims: integer('counted claims'),
    roughs: integer('rough stones'),
    polishes: integer('polish stones'),
    pairs: integer('pairs of stones that stand for wrong claims'),
    threshold: number('the rung’s quantile of their scores'),
    interval: Type.Array(Type.Number(), {
      description: '95% interval of the threshold, over stones',
      minItems: 2,
      maxItems: 2,
    }),
    wrong_per_1000: number('wrong claims in 1,000 that it accepts'),
    expected_genuine_accept: orNull(number('estimated share of genuine claims confirmed')),
    expected_genuine_accept_error: orNull(number('its standard error')),
    expected_genuine_accept_reason: orNull(string('why it is null')),
  },
  { $id: 'Proposal' },
);

const measuredProposal = Type.Object(
  {
    ...proposal.properties,
    proposal_digest: sha256('its digest, under the name that an approval gives it'),
    shipped_wrong_per_1000: orNull(number('wrong claims in 1,000 that the shipped threshold accepts here')),
  },
  { $id: 'MeasuredProposal' },
);

/** A rung as it was decided. */
const approvedRung = Type.Object(
  {
    reject_target: rung,
    state: one('uncalibrated', 'calibrated'),
    threshold: number('what decides'),
    threshold_source: string('begins shipped-default or population-calibrated'),
    expected_genuine_accept: orNull(number('the estimate that answers carry')),
    approved_by: orNull(string('operator')),
    requested_by: orNull(string('the first of two operators, where two are needed')),
    approved_at: orNull(time()),
    reason: orNull(string('as the operator gave it')),
    evidence: Type.With(orNull(proposal), { description: 'what the approval rests on' }),
  },
  { $id: 'ApprovedRung' },
);

const rungDrift = Type.Object(
  {
    alarm: flag('recent claims differ from the baseline, or the approved threshold no longer fits'),
    threshold_outside_interval: flag('the approved threshold lies outside the interval of the newest proposal'),
    interval_now: orNull(Type.Array(Type.Number(), { description: 'scores' })),
    claims_since: orNull(integer('claims counted since the approval')),
    status: orNull(driftStatus),
    baseline: orNull(driftSource),
    measures: texts('measures that differ'),
  },
  { $id: 'RungDrift' },
);

/** A rung as it is now. */
const standingRung = Type.Object(
  {
    ...approvedRung.properties,
    claims_held: integer('counted claims of the population under the model'),
    claims_needed: orNull(integer('claims that the rung needs; null: it is never calibrated')),
    awaiting_second_operator: orNull(awaitedApproval),
    proposal: orNull(measuredProposal),
    no_proposal: orNull(string('why there is no proposal')),
    drift: orNull(rungDrift),
  },
  { $id: 'Rung' },
);
export type Rung = Static<typeof standingRung>;

const ladderModel = string('digest of the model whose ladder it is');
const ownScorer = orNull(
  sha256('digest of the population’s own scorer, in whose scores the thresholds are; null for raw scores'),
);

export const calibration = Type.Object(
  {
    population: string('the population'),
    model: ladderModel,
    scorer: ownScorer,
    detail: optional(string('why its ladder does not decide, where that is so')),
    models_not_installed: optional(texts('digests of models that approvals name')),
    rungs: Type.Array(standingRung),
  },
  { $id: 'Calibration' },
);
export type Calibration = Static<typeof calibration>;

export const calibratedRung = Type.Object(
  { ...standingRung.properties, population: string('the population'), model: ladderModel, scorer: ownScorer },
  { $id: 'CalibratedRung' },
);
export type CalibratedRung = Static<typeof calibratedRung>;

const historyItem = Type.Unsafe<object>({
  type: 'object',
  properties: {
    event: { type: 'string', description: 'ApprovalRequested, RungApproved or RungWithdrawn' },
    revision: { type: 'integer', description: 'its place among the population’s decisions, from 0' },
    not_obeyed: { type: 'string', description: 'why it decides nothing; only where it could not have been made so' },
  },
  required: ['event', 'revision'],
  additionalProperties: true,
});

export const calibrationHistory = Type.Object(
  {
    population: string('the population'),
    model: ladderModel,
    scorer: ownScorer,
    detail: optional(string('says so where the model that was live then is not installed: its rungs are unknown')),
    as_of: time('time that the answer is about'),
    rungs: Type.Array(approvedRung, { description: 'rungs that were live then, under the model of that time' }),
    items: Type.Array(historyItem, { description: 'decisions of all models up to then, oldest first' }),
    chain_root: string('hash over the decisions listed here; a later audit bundle continues it'),
    audit_root: orNull(
      string('root digest of the audit bundle as it is now; null with as_of, and where there is none'),
    ),
  },
  { $id: 'CalibrationHistory' },
);
export type CalibrationHistory = Static<typeof calibrationHistory>;

const changedClaim = Type.Object(
  {
    claim_id: string('the claim'),
    fused_score: number('its score'),
    at: time('when it was scored'),
    label: orNull(string('match or no_match')),
    before: verdict,
    after: verdict,
  },
  { $id: 'ChangedClaim' },
);

const changedClaims = Type.Object(
  {
    total: integer('claims'),
    labelled_match: integer('of these, labelled match'),
    labelled_no_match: integer('labelled no_match'),
    unlabelled: integer('not labelled'),
    claims: Type.Array(changedClaim, { maxItems: 1000 }),
  },
  { $id: 'ChangedClaims' },
);

export const dryRun = Type.Object(
  {
    population: string('the population'),
    model: ladderModel,
    reject_target: rung,
    claims: integer('counted claims'),
    threshold: number('threshold in force'),
    threshold_source: string('source of the threshold'),
    tried_threshold: number('threshold that was tried'),
    proposal_digest: orNull(string('the proposal, where its threshold was tried')),
    to_match: changedClaims,
    to_no_match: changedClaims,
  },
  { $id: 'DryRun' },
);
export type DryRun = Static<typeof dryRun>;

const thresholdAmongScores = Type.Object(
  {
    reject_target: rung,
    threshold: number('what decides'),
    threshold_source: string('source of the threshold'),
    measured: orNull(number('threshold that these scores give, whether or not it is proposed')),
  },
  { $id: 'ThresholdAmongScores' },
);

/** Both histograms share their bins: bin i holds scores from `from + i * width` to before `from + (i + 1) * width`. */
export const populationScores = Type.Object(
  {
    population: string('the population'),
    model: sha256('digest of the model'),
    scorer: orNull(sha256('digest of the population’s own scorer, where its scores are these')),
    claims: integer('counted claims behind it'),
    pairs: integer('pairs of distinct stones that stand for wrong claims'),
    reason: orNull(string('why there are no histograms')),
    from: orNull(number('lower edge of the first bin')),
    width: orNull(number('width of a bin')),
    genuine: Type.Array(Type.Number(), { description: 'counted claims by bin; under a scorer the newest 1,600' }),
    labelled_no_match: Type.Array(Type.Number(), {
      description: 'of the counted claims by bin: those that are labelled no_match, and so are no genuine ones',
    }),
    wrong: Type.Array(Type.Number(), {
      description: 'pairs by bin; under a scorer those of the newest 1,600 stones of a side',
    }),
    rungs: Type.Array(thresholdAmongScores),
  },
  { $id: 'PopulationScores' },
);
export type PopulationScores = Static<typeof populationScores>;
