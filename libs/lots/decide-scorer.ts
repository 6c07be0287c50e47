/** Operators' decisions about a workspace's own lot scorer. */
import { type ApprovalCommand, type DecisionFacts, decideApproval } from '#domain/approval';
import type { Decider, Decision } from '#domain/decider';
import type { WorkspaceFacts } from '#keys/events';
import {
  evolveLotScorer,
  type LotScorerEvent,
  type LotScorerProposal,
  type LotScorerState,
  lotScorerInForce,
  noLotScorer,
  type StoredLotScorer,
} from './events-scorer.js';

interface LotDecisionFacts extends DecisionFacts {
  workspace: WorkspaceFacts;
  request_id: string;
}

/** `scorer`: the proposal's. */
export type LotScorerCommand = ApprovalCommand<
  LotScorerProposal,
  LotDecisionFacts,
  { scorer: StoredLotScorer | undefined }
>;

export type LotScorerRefusal = 'no_such_proposal' | 'same_operator' | 'in_force' | 'not_approved';

export function decideLotScorer(
  state: LotScorerState,
  command: LotScorerCommand,
): Decision<LotScorerEvent, LotScorerRefusal> {
  const { workspace, model, operator, reason, request_id, at, chain } = command;
  const decided = { workspace, operator, reason, request_id, at, chain };
  const scorer = command.type === 'approve' ? command.scorer : undefined;
  return decideApproval<LotScorerProposal, LotScorerEvent, LotScorerRefusal>(command, standingUnder(state, model), {
    unfit: (proposal) => (lotScorerInForce(state, model)?.proposal.scorer === proposal.scorer ? 'in_force' : undefined),
    nothing: 'not_approved',
    requested: (of) => ({ type: 'LotScorerRequested', version: 2, data: { ...decided, ...of } }),
    approved: ({ proposal, requested_by }) => ({
      type: 'LotScorerApproved',
      version: 2,
      data: { ...decided, proposal, scorer: scorer!, requested_by },
    }),
    withdrawn: () => ({ type: 'LotScorerWithdrawn', version: 2, data: { ...decided, model } }),
  });
}

/** A request under another model does not count. */
const standingUnder = (state: LotScorerState, model: string) => ({
  decisions: state.decisions,
  approval: lotScorerInForce(state, model),
  ...(state.request?.proposal.model === model && { request: state.request }),
});

export const lotScorerDecider: Decider<LotScorerState, LotScorerCommand, LotScorerEvent, LotScorerRefusal> = {
  initial: noLotScorer,
  evolve: evolveLotScorer,
  decide: decideLotScorer,
};
