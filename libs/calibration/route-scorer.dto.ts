/** Populations' own scorers in the contract. */

import { IsIn, IsOptional } from 'class-validator';
import { type Static, Type } from 'typebox';
import { one, orNull } from '#domain/schemas';
import { OneOf, optional } from '#kit/http/dto';
import {
  anyObject,
  approvalEnd,
  approvalMembers,
  awaitedApproval,
  flag,
  integer,
  number,
  rung,
  sha256,
  string,
  time,
  verdict,
} from '#kit/views/shapes';
import { RUNGS } from '#science/calibration/ladder';
import { ReasonBody } from './route-decisions.js';

export class ScorerWithdrawal extends ReasonBody {}

export class ScorerTrial {
  @IsOptional()
  @IsIn(RUNGS)
  @OneOf(RUNGS, 'by default 0.98', optional)
  reject_target?: number;
}

const share = (description: string) => orNull(Type.Number({ description, minimum: 0, maximum: 1 }));

/** A scorer's gain at a rung, cross-fitted on the population's own claims. */
const scorerRung = Type.Object(
  {
    reject_target: rung,
    confirmed_raw: share('share of genuine claims confirmed with raw scores'),
    confirmed_mapped: share('the same under the scorer'),
    wrong_raw: share('share of wrong claims accepted at the threshold that came with the model'),
    wrong_mapped: share('the same under the scorer'),
  },
  { $id: 'ScorerRung' },
);

const scorerEvidence = Type.Object(
  {
    digest: sha256('what an approval names: over the evidence and the decisions before it'),
    scorer: sha256('digest of the scorer'),
    evidence_digest: sha256('over the counted claims and their vectors'),
    method: string('version of the method'),
    model: sha256('digest of the model'),
    position: string('place in the log of the last claim behind it'),
    decisions: integer('approvals and withdrawals of the population before it'),
    claims: integer('counted claims'),
    groups: integer('groups of claims on distinct stones'),
    trimmed: integer('claims left out of the fit, because they score like wrong ones'),
    curve: Type.With(one('own', 'shipped'), { description: 'where p_match_5050 comes from' }),
    rungs: Type.Array(scorerRung),
  },
  { $id: 'ScorerEvidence' },
);

const scorerToApprove = Type.Object(
  {
    ...scorerEvidence.properties,
    proposal_digest: sha256('its digest, under the name that an approval gives it'),
    figures: anyObject('all that was measured: shares by key, stability, laboratories; members may be added'),
  },
  { $id: 'ScorerToApprove' },
);

/** A scorer as it was approved. */
const approvedScorer = Type.Object(
  {
    scorer: sha256('digest of the scorer'),
    model: sha256('digest of the model'),
    claims: integer('counted claims'),
    groups: integer('groups of claims on distinct stones'),
    ...approvalMembers(scorerEvidence),
  },
  { $id: 'ApprovedScorer' },
);

const listedScorer = Type.Object(
  {
    ...approvedScorer.properties,
    in_force: flag('whether it scores now, under the live model'),
    ended: orNull(approvalEnd),
  },
  { $id: 'ListedScorer' },
);

export const scorerRecord = Type.Object(
  {
    population: string('the population'),
    model: string('digest of the live model'),
    scorer: Type.With(one('raw', 'population'), { description: 'scorer that answers name' }),
    in_force: orNull(approvedScorer),
    claims_held: integer('counted claims of the population under the model'),
    groups_needed: orNull(integer('groups that the next proposal needs; null: there is none')),
    awaiting_second_operator: orNull(awaitedApproval),
    proposal: orNull(scorerToApprove),
    no_proposal: orNull(string('why there is no proposal')),
    approvals: Type.Array(listedScorer, { description: 'every approval, of all models, oldest first' }),
  },
  { $id: 'ScorerRecord' },
);
export type ScorerRecord = Static<typeof scorerRecord>;

const rescoredClaim = Type.Object(
  {
    claim_id: string('the claim'),
    at: time('when it was scored'),
    label: orNull(string('match or no_match')),
    score_before: number('score by the scorer in force'),
    score_after: number('by the proposed scorer'),
    before: verdict,
    after: verdict,
  },
  { $id: 'RescoredClaim' },
);

const rescoredClaims = Type.Object(
  {
    total: integer('claims'),
    labelled_match: integer('of these, labelled match'),
    labelled_no_match: integer('labelled no_match'),
    unlabelled: integer('not labelled'),
    claims: Type.Array(rescoredClaim, { maxItems: 1000 }),
  },
  { $id: 'RescoredClaims' },
);

export const scorerDryRun = Type.Object(
  {
    population: string('the population'),
    model: string('digest of the live model'),
    scorer: sha256('digest of the proposed scorer'),
    proposal_digest: sha256('the proposal'),
    reject_target: rung,
    claims: integer('counted claims'),
    threshold: number('threshold in force'),
    threshold_source: string('source of the threshold'),
    tried_threshold: number('threshold that would decide'),
    tried_threshold_source: string('source of that threshold'),
    to_match: rescoredClaims,
    to_no_match: rescoredClaims,
  },
  { $id: 'ScorerDryRun' },
);
export type ScorerDryRun = Static<typeof scorerDryRun>;
