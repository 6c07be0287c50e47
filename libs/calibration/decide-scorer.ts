/** Operators' decisions about a population's own scorer. */

import { type ApprovalCommand, type DecisionFacts, decideApproval } from '#domain/approval';
import type { Decider, Decision } from '#domain/decider';
import { SCORER_GROUPS } from '#science/calibration/scorer/method';
import {
  type CalibrationEvent,
  type CalibrationState,
  evolveCalibration,
  type ScorerProposal,
  scorerInForce,
  scorerOf,
  uncalibrated,
} from './events.js';

export type ScorerCommand = ApprovalCommand<ScorerProposal, DecisionFacts & { population: string }>;

export type ScorerRefusal = 'not_enough_groups' | 'no_such_proposal' | 'same_operator' | 'in_force' | 'not_approved';

/** Groups that the next scorer needs: the least, or where one is in force the next number at which one is proposed. */
export function groupsNeeded(state: CalibrationState, model: string): number {
  const live = scorerOf(state, model).approval?.proposal.groups;
  if (live === undefined) return SCORER_GROUPS.least;
  return SCORER_GROUPS.propose.find((groups) => groups > live) ?? Number.POSITIVE_INFINITY;
}

export function decideScorer(
  state: CalibrationState,
  command: ScorerCommand,
): Decision<CalibrationEvent, ScorerRefusal> {
  const { population, model, operator, reason, at, chain } = command;
  const decided = { population, operator, reason, at, chain };
  const standing = { ...scorerOf(state, model), decisions: state.decisions };
  return decideApproval<ScorerProposal, CalibrationEvent, ScorerRefusal>(command, standing, {
    unfit({ scorer, groups }) {
      if (scorerInForce(state, model) === scorer) return 'in_force';
      return groups < groupsNeeded(state, model) ? 'not_enough_groups' : undefined;
    },
    nothing: 'not_approved',
    requested: (of) => ({ type: 'ScorerRequested', version: 1, data: { ...decided, ...of } }),
    approved: (of) => ({ type: 'ScorerApproved', version: 1, data: { ...decided, ...of } }),
    withdrawn: () => ({ type: 'ScorerWithdrawn', version: 1, data: { ...decided, model } }),
  });
}

export const scorerDecider: Decider<CalibrationState, ScorerCommand, CalibrationEvent, ScorerRefusal> = {
  initial: uncalibrated,
  evolve: evolveCalibration,
  decide: decideScorer,
};
