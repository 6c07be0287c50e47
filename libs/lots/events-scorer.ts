import { endedBy, type ListedApproval } from '#domain/approval';
import { type EventIn, event, type StreamRule } from '#domain/catalogue-entry';
import { never } from '#domain/decider';
import { count, described, list, number, object, orNull, text } from '#domain/schemas';
import {
  aDigest,
  anId,
  aScore,
  at,
  aWorkspace,
  LINE_CHARACTERS,
  MAX_LINES,
  modelDigest,
  operator,
  reason,
  requestId,
} from '#domain/shapes';
import { streams } from '#domain/streams';
import { SCORER_LOTS } from '#science/lots/scorer/propose';
import { aLotVector } from './event-shapes.js';

const scorerStream: StreamRule<{ workspace: { id: string } }> = {
  name: 'lotscorer-{workspace id}',
  is: (stream, { workspace }) => stream === streams.lotScorer(workspace.id),
};

const both = (of: ReturnType<typeof number> | typeof count, what: string) =>
  described(
    object({
      shipped: described(of, 'by the scorer that came with the model'),
      workspace: described(of, 'by the proposed one'),
    }),
    `${what}: \`shipped\`, \`workspace\``,
  );
const share = number(0, 1);
const proposal = {
  digest: described(aDigest, 'the proposal’s, 64 hex, as the operator saw it'),
  scorer: described(aDigest, 'SHA-256 over the scorer and the vectors of its lots, 64 hex'),
  method: described(text(64), 'name and version of the method'),
  model: described(aDigest, 'digest of the lot model, 64 hex'),
  evidence_digest: described(
    orNull(aDigest),
    'SHA-256 over the vectors of these lots and checks, 64 hex ([how](../audit/lots.md)); null before version 2',
  ),
  decisions: described(count, 'approvals and withdrawals of the workspace before it'),
  rests_on: described(
    list(
      object({ lot_id: described(anId, 'a lot'), check_id: described(anId, 'the check of it whose return was taken') }),
      SCORER_LOTS.most,
    ),
    'the lots that it was fitted on, in this order: `lot_id`, `check_id`',
  ),
  members: described(count, 'stones of these lots'),
  returned: described(count, 'stones of these checks'),
  copies: described(count, 'lots left out because their stones stand in another one'),
  confirmed: both(
    count,
    'returned stones confirmed, each by a scorer whose map, variances and cohort never saw its lot',
  ),
  caught: both(share, 'share of substitutes caught, as rehearsed with the members of the lots'),
  one_stone_false_accept: both(share, 'share of single substitutes that some member would confirm'),
};
const scorer = {
  map: described(
    list(text(LINE_CHARACTERS, '^[A-Za-z0-9+/]+={0,2}$'), MAX_LINES),
    '96 rows of 96 float32, little-endian, in base64, up to 1,024 bytes a line',
  ),
  between: described(aLotVector, 'between-stone variances under the map, 96 float32, base64'),
  bar: described(
    object({ at: described(aScore, 'at size 1'), slope: described(aScore, 'a unit of ln of the lot’s size') }),
    'the bar: `at`, `slope`',
  ),
};

/** By the name under which docs/reference/events.md shows them. */
export const lotScorerShapes = { 'lot scorer proposal': proposal, 'lot scorer': scorer };

const decided = {
  workspace: described(aWorkspace, 'whose it is ([workspace](#workspace))'),
  operator,
  reason,
  request_id: requestId,
  at,
  chain: described(
    orNull(aDigest),
    'hash of all events of the stream before it, 64 hex ([how](../audit/chain.md)); null before version 2',
  ),
};
const aProposal = described(object(proposal), 'what it rests on ([lot scorer proposal](#lot-scorer-proposal))');

/** Decisions about a workspace’s own lot scorer. */
export const lotScorerEvents = {
  LotScorerRequested: event(
    2,
    scorerStream,
    'under the four-eyes rule: a first operator approved a workspace’s own lot scorer; a second one has to',
    { ...decided, proposal: aProposal },
  ),
  LotScorerApproved: event(
    2,
    scorerStream,
    'an operator approved a workspace’s own lot scorer; from then on it decides checks of its unusual lots',
    {
      ...decided,
      proposal: aProposal,
      scorer: described(object(scorer), 'what scores ([lot scorer](#lot-scorer))'),
      requested_by: described(orNull(operator), 'under the four-eyes rule the first operator, else null'),
    },
  ),
  LotScorerWithdrawn: event(2, scorerStream, 'an operator returned a workspace to the shipped lot scorer', {
    ...decided,
    model: modelDigest,
  }),
};

/** Under the four-eyes rule: the first of two operators. */
export type LotScorerRequested = EventIn<typeof lotScorerEvents, 'LotScorerRequested'>;
export type LotScorerApproved = EventIn<typeof lotScorerEvents, 'LotScorerApproved'>;
export type LotScorerWithdrawn = EventIn<typeof lotScorerEvents, 'LotScorerWithdrawn'>;
export type LotScorerEvent = LotScorerRequested | LotScorerApproved | LotScorerWithdrawn;

/** The facts behind the approval of a workspace's own lot scorer. */
export type LotScorerProposal = LotScorerApproved['data']['proposal'];
/** A scorer as its approval holds it. */
export type StoredLotScorer = LotScorerApproved['data']['scorer'];

/** A workspace's own scorers. An approval under one lot model says nothing under another, and lapses while another serves. */
export interface LotScorerState {
  /** Approvals and withdrawals. */
  decisions: number;
  request?: LotScorerRequested['data'];
  /** Oldest first; of each lot model the last one decides until it ends. */
  approvals: readonly ListedApproval<LotScorerApproved['data']>[];
}

export const noLotScorer: LotScorerState = { decisions: 0, approvals: [] };

/** The scorer that decides under a model; undefined where the shipped one does. */
export function lotScorerInForce({ approvals }: LotScorerState, model: string): LotScorerApproved['data'] | undefined {
  return approvals.findLast(({ approval, ended }) => ended === null && approval.proposal.model === model)?.approval;
}

export function evolveLotScorer(state: LotScorerState, event: LotScorerEvent): LotScorerState {
  const { approvals } = state;
  switch (event.type) {
    case 'LotScorerRequested':
      return { ...state, request: event.data };
    case 'LotScorerApproved':
      return {
        decisions: state.decisions + 1,
        approvals: [
          ...endedBy(approvals, 'superseded', event.data.proposal.model, event.data),
          { approval: event.data, ended: null },
        ],
      };
    case 'LotScorerWithdrawn':
      return {
        decisions: state.decisions + 1,
        approvals: endedBy(approvals, 'withdrawn', event.data.model, event.data),
      };
    default:
      return never(event);
  }
}
