/** Operators' decisions about a population: its rungs, and its own scorer. */
import { type ApprovalCommand, type DecisionFacts, decideApproval } from '#domain/approval';
import type { Decider } from '#domain/decider';
import { CLAIMS_NEEDED, type RejectTarget } from '#science/calibration/ladder';
import { leastGroups, SCORER_GROUPS } from '#science/calibration/scorer/method';
import {
  type CalibrationEvent,
  type CalibrationState,
  evolveCalibration,
  type ProposalFacts,
  rungOf,
  type ScorerProposal,
  scorerInForce,
  scorerOf,
  uncalibrated,
} from './events.js';

interface OfPopulation extends DecisionFacts {
  population: string;
}

/** `claimsHeld`: counted claims of the population under the model. */
export type CalibrationCommand = ApprovalCommand<
  ProposalFacts,
  OfPopulation & { rejectTarget: RejectTarget },
  { claimsHeld: number }
>;

export type CalibrationRefusal =
  | 'never_calibrated'
  | 'not_enough_claims'
  | 'no_such_proposal'
  | 'same_operator'
  | 'not_calibrated';

/** For decisions made just now. A log's events are folded by `evolveDecided`, an auditor's by `verifyDecision`. */
export const calibrationDecider: Decider<CalibrationState, CalibrationCommand, CalibrationEvent, CalibrationRefusal> = {
  initial: uncalibrated,
  evolve: evolveCalibration,
  decide(state, command) {
    const { population, rejectTarget, model, operator, reason, at, chain } = command;
    const needed = CLAIMS_NEEDED[rejectTarget];
    if (command.type === 'approve') {
      if (needed === undefined) return { refusal: 'never_calibrated' };
      if (command.claimsHeld < needed) return { refusal: 'not_enough_claims' };
    }
    const scorer = scorerInForce(state, model);
    const decided = { population, reject_target: rejectTarget, scorer, operator, reason, at, chain };
    const standing = { ...rungOf(state, model, rejectTarget), decisions: state.decisions };
    return decideApproval<ProposalFacts, CalibrationEvent, CalibrationRefusal>(command, standing, {
      unfit: ({ claims }) => (claims < needed! ? 'no_such_proposal' : undefined),
      nothing: 'not_calibrated',
      requested: (of) => ({ type: 'ApprovalRequested', version: 3, data: { ...decided, ...of } }),
      approved: (of) => ({ type: 'RungApproved', version: 3, data: { ...decided, ...of } }),
      withdrawn: () => ({ type: 'RungWithdrawn', version: 3, data: { ...decided, model } }),
    });
  },
};

export type ScorerCommand = ApprovalCommand<ScorerProposal, OfPopulation>;

export type ScorerRefusal = 'not_enough_groups' | 'no_such_proposal' | 'same_operator' | 'in_force' | 'not_approved';

/** Groups that the next scorer of a method needs: the least, or where one is in force the next number at which one is proposed. */
export function groupsNeeded(state: CalibrationState, model: string, method: string): number {
  const live = scorerOf(state, model).approval?.proposal.groups;
  if (live === undefined) return leastGroups(method);
  return SCORER_GROUPS.propose.find((groups) => groups > live) ?? Number.POSITIVE_INFINITY;
}

export const scorerDecider: Decider<CalibrationState, ScorerCommand, CalibrationEvent, ScorerRefusal> = {
  initial: uncalibrated,
  evolve: evolveCalibration,
  decide(state, command) {
    const { population, model, operator, reason, at, chain } = command;
    const decided = { population, operator, reason, at, chain };
    const standing = { ...scorerOf(state, model), decisions: state.decisions };
    return decideApproval<ScorerProposal, CalibrationEvent, ScorerRefusal>(command, standing, {
      unfit({ scorer, groups, method }) {
        if (scorerInForce(state, model) === scorer) return 'in_force';
        return groups < groupsNeeded(state, model, method) ? 'not_enough_groups' : undefined;
      },
      nothing: 'not_approved',
      requested: (of) => ({ type: 'ScorerRequested', version: 1, data: { ...decided, ...of } }),
      approved: (of) => ({ type: 'ScorerApproved', version: 1, data: { ...decided, ...of } }),
      withdrawn: () => ({ type: 'ScorerWithdrawn', version: 1, data: { ...decided, model } }),
    });
  },
};
