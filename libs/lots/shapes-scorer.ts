/** Workspaces' own lot scorers as operators are answered. */
import { type Static, Type } from 'typebox';
import { described, one, orNull } from '#domain/schemas';
import { approvalEnd, approvalMembers, awaitedApproval, flag, integer, sha256, string, texts } from '#kit/views/shapes';
import { shownLotId } from './queries-shapes.js';

const share = (description: string) => Type.Number({ description, minimum: 0, maximum: 1 });
const bothShares = Type.Object(
  { shipped: share('by the scorer that came with the model'), workspace: share('by the proposed one') },
  { $id: 'BothShares' },
);
const bothCounts = Type.Object(
  { shipped: integer('by the scorer that came with the model'), workspace: integer('by the proposed one') },
  { $id: 'BothCounts' },
);
const checkOf = string('the check');

const evidence = {
  digest: sha256('what an approval names: over the lots, the checks and the decisions before it'),
  scorer: sha256('digest of the scorer'),
  method: string('version of the method'),
  model: sha256('digest of the lot model'),
  evidence_digest: described(
    orNull(sha256('the vectors of the lots and checks that it rests on')),
    'digest of the vectors that it rests on; null for a decision of before there was one',
  ),
  decisions: integer('approvals and withdrawals of the workspace before it'),
  rests_on: Type.Array(Type.Object({ lot_id: shownLotId, check_id: checkOf }, { $id: 'LotAndCheck' }), {
    description: 'the lots that it was fitted on, each with the check whose return was taken',
  }),
  members: integer('stones of these lots'),
  returned: integer('stones of these checks'),
  copies: integer('lots left out because their stones stand in another one'),
  confirmed: described(
    bothCounts,
    'returned stones confirmed, each by a scorer whose map, variances and cohort never saw its lot',
  ),
  caught: described(bothShares, 'share of substitutes caught, as rehearsed with the members of the lots'),
  one_stone_false_accept: described(bothShares, 'share of single substitutes that some member would confirm'),
};
const lotScorerEvidence = Type.Object(evidence, { $id: 'LotScorerEvidence' });

const redecided = Type.Object(
  {
    lot_id: shownLotId,
    check_id: checkOf,
    returned: integer('stones'),
    confirmed: bothCounts,
    newly_confirmed: texts('returned stones that the proposed scorer alone would have confirmed'),
    no_longer_confirmed: texts('returned stones that the shipped scorer alone confirms'),
  },
  { $id: 'RedecidedCheck' },
);
const lotScorerToApprove = Type.Object(
  {
    ...evidence,
    proposal_digest: sha256('its digest, under the name that an approval gives it'),
    changed: Type.Array(redecided, {
      description:
        'checks it would have decided otherwise, each by a scorer whose map, variances and cohort never saw its lot',
    }),
  },
  { $id: 'LotScorerToApprove' },
);

const approved = {
  scorer: sha256('digest of the scorer'),
  model: sha256('digest of the lot model'),
  lots: integer('lots that it was fitted on'),
  ...approvalMembers(lotScorerEvidence),
};
export const lotScorerRecord = Type.Object(
  {
    workspace: string('its name'),
    prefix: string('prefix of its token'),
    model: sha256('digest of the lot model that serves'),
    scorer: described(one('shipped', 'workspace'), 'the scorer that decides checks of its marked lots'),
    in_force: orNull(Type.Object(approved, { $id: 'ApprovedLotScorer' })),
    lots: integer('lots under the lot model'),
    lots_marked: integer('of these, marked as unlike those that the bars were set on'),
    lots_checked: integer('of these, with a check that a scorer can be fitted on, the newest at most'),
    lots_needed: integer('such lots that a scorer needs'),
    awaiting_second_operator: orNull(awaitedApproval),
    proposal: orNull(lotScorerToApprove),
    no_proposal: orNull(string('why there is no proposal')),
    approvals: Type.Array(
      Type.Object(
        { ...approved, in_force: flag('whether it decides now'), ended: orNull(approvalEnd) },
        { $id: 'ListedLotScorer' },
      ),
      { description: 'every approval, of all lot models, oldest first' },
    ),
  },
  { $id: 'LotScorerRecord' },
);
export type LotScorerRecord = Static<typeof lotScorerRecord>;
