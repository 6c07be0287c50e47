/** Operators' decisions about a workspace's own lot scorer. */
import { type ApprovalRule, grantOf } from '#domain/approval';
import type { Decider, Decision } from '#domain/decider';
import { never } from '#domain/decider';
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

interface LotDecisionFacts {
  workspace: WorkspaceFacts;
  /** Digest of the lot model that serves. */
  model: string;
  operator: string;
  reason: string;
  request_id: string;
  at: string;
  /** Hash of the stream's events as far as they were read (docs/audit/chain.md). */
  chain: string;
}

export type LotScorerCommand =
  | (LotDecisionFacts &
      ApprovalRule & {
        type: 'approve';
        /** The proposal with the digest that the operator saw, and its scorer; nothing where there is none. */
        found: { proposal: LotScorerProposal; scorer: StoredLotScorer } | undefined;
      })
  | (LotDecisionFacts & { type: 'withdraw' });

export type LotScorerRefusal = 'no_such_proposal' | 'same_operator' | 'in_force' | 'not_approved';

/** Newer checks leave a proposal standing and never move a scorer; a decision about the workspace or another model does not. */
export function decideLotScorer(
  state: LotScorerState,
  command: LotScorerCommand,
): Decision<LotScorerEvent, LotScorerRefusal> {
  const { workspace, model, operator, reason, request_id, at, chain } = command;
  const decided = { workspace, operator, reason, request_id, at, chain };
  const approval = lotScorerInForce(state, model);
  switch (command.type) {
    case 'approve': {
      const { found } = command;
      if (found && approval?.proposal.scorer === found.proposal.scorer) return { refusal: 'in_force' };
      if (!found || found.proposal.model !== model || found.proposal.decisions !== state.decisions)
        return { refusal: 'no_such_proposal' };
      const { proposal, scorer } = found;
      const grant = grantOf(state.request, proposal.digest, operator, command);
      if (grant === 'refused') return { refusal: 'same_operator' };
      return grant === 'request'
        ? { events: [{ type: 'LotScorerRequested', version: 2, data: { ...decided, proposal } }] }
        : { events: [{ type: 'LotScorerApproved', version: 2, data: { ...decided, proposal, scorer, ...grant } }] };
    }
    case 'withdraw':
      if (!approval && state.request?.proposal.model !== model) return { refusal: 'not_approved' };
      return { events: [{ type: 'LotScorerWithdrawn', version: 2, data: { ...decided, model } }] };
    default:
      return never(command);
  }
}

export const lotScorerDecider: Decider<LotScorerState, LotScorerCommand, LotScorerEvent, LotScorerRefusal> = {
  initial: noLotScorer,
  evolve: evolveLotScorer,
  decide: decideLotScorer,
};
