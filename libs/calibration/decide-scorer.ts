/** Operators' decisions about a population's own scorer. */

import { type ApprovalRule, grantOf } from '#domain/approval';
import type { Decider, Decision } from '#domain/decider';
import { never } from '#domain/decider';
import { SCORER_GROUPS } from '#science/calibration/scorer/method';
import type { DecisionFacts } from './decide.js';
import {
  type CalibrationEvent,
  type CalibrationState,
  evolveCalibration,
  type ScorerEvent,
  type ScorerProposal,
  scorerInForce,
  scorerOf,
  uncalibrated,
} from './events.js';

export type ScorerCommand =
  | (DecisionFacts &
      ApprovalRule & {
        type: 'approve';
        /** The proposal with the digest that the operator saw; nothing where there is none. */
        proposal: ScorerProposal | undefined;
      })
  | (DecisionFacts & { type: 'withdraw' });

export type ScorerRefusal = 'not_enough_groups' | 'no_such_proposal' | 'same_operator' | 'in_force' | 'not_approved';

/** Groups that the next scorer needs: the least, or where one is in force the next number at which one is proposed. */
export function groupsNeeded(state: CalibrationState, model: string): number {
  const live = scorerOf(state, model).approval?.proposal.groups;
  if (live === undefined) return SCORER_GROUPS.least;
  return SCORER_GROUPS.propose.find((groups) => groups > live) ?? Number.POSITIVE_INFINITY;
}

/** Newer claims leave a proposal standing and never move a scorer; a decision about the population or another model does not. */
export function decideScorer(
  state: CalibrationState,
  command: ScorerCommand,
): Decision<CalibrationEvent, ScorerRefusal> {
  const { population, model, operator, reason, at, chain } = command;
  const decided = { population, operator, reason, at, chain };
  const { approval, request } = scorerOf(state, model);
  const only = (event: ScorerEvent) => ({ events: [event] });
  switch (command.type) {
    case 'approve': {
      const { proposal } = command;
      if (!proposal || proposal.model !== model || proposal.decisions !== state.decisions)
        return { refusal: 'no_such_proposal' };
      if (scorerInForce(state, model) === proposal.scorer) return { refusal: 'in_force' };
      if (proposal.groups < groupsNeeded(state, model)) return { refusal: 'not_enough_groups' };
      const grant = grantOf(request, proposal.digest, operator, command);
      if (grant === 'refused') return { refusal: 'same_operator' };
      return grant === 'request'
        ? only({ type: 'ScorerRequested', version: 1, data: { ...decided, proposal } })
        : only({ type: 'ScorerApproved', version: 1, data: { ...decided, proposal, ...grant } });
    }
    case 'withdraw':
      if (!approval && !request) return { refusal: 'not_approved' };
      return only({ type: 'ScorerWithdrawn', version: 1, data: { ...decided, model } });
    default:
      return never(command);
  }
}

export const scorerDecider: Decider<CalibrationState, ScorerCommand, CalibrationEvent, ScorerRefusal> = {
  initial: uncalibrated,
  evolve: evolveCalibration,
  decide: decideScorer,
};
