import { type ApprovalCommand, type DecisionFacts, decideApproval } from '#domain/approval';
import type { Decision } from '#domain/decider';
import { CLAIMS_NEEDED, type RejectTarget } from '#science/calibration/ladder';
import { type CalibrationEvent, type CalibrationState, type ProposalFacts, rungOf, scorerInForce } from './events.js';

interface RungFacts extends DecisionFacts {
  population: string;
  rejectTarget: RejectTarget;
}

/** `claimsHeld`: counted claims of the population under the model. */
export type CalibrationCommand = ApprovalCommand<ProposalFacts, RungFacts, { claimsHeld: number }>;

export type CalibrationRefusal =
  | 'never_calibrated'
  | 'not_enough_claims'
  | 'no_such_proposal'
  | 'same_operator'
  | 'not_calibrated';

export function decideCalibration(
  state: CalibrationState,
  command: CalibrationCommand,
): Decision<CalibrationEvent, CalibrationRefusal> {
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
}
