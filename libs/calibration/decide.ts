import { type ApprovalRule, grantOf } from '#domain/approval';
import { type Decision, never } from '#domain/decider';
import { CLAIMS_NEEDED, type RejectTarget } from '#science/calibration/ladder';
import { type CalibrationEvent, type CalibrationState, type ProposalFacts, rungOf, scorerInForce } from './events.js';

/** The facts of every decision about a population. */
export interface DecisionFacts {
  population: string;
  /** Digest of the live model. */
  model: string;
  operator: string;
  reason: string;
  at: string;
  /** Hash of all events of the population's stream so far, 64 hex digits. */
  chain: string;
}

type RungFacts = DecisionFacts & { rejectTarget: RejectTarget };

export type CalibrationCommand =
  | (RungFacts &
      ApprovalRule & {
        type: 'approve';
        /** Counted claims of the population under the model. */
        claimsHeld: number;
        /** The proposal with the digest that the operator saw; nothing where there is none. */
        proposal: ProposalFacts | undefined;
      })
  | (RungFacts & { type: 'withdraw' });

export type CalibrationRefusal =
  | 'never_calibrated'
  | 'not_enough_claims'
  | 'no_such_proposal'
  | 'same_operator'
  | 'not_calibrated';

/** Newer claims leave a proposal standing; an approval, a withdrawal or another model does not. */
export function decideCalibration(
  state: CalibrationState,
  command: CalibrationCommand,
): Decision<CalibrationEvent, CalibrationRefusal> {
  const { population, rejectTarget, model, operator, reason, at, chain } = command;
  const scorer = scorerInForce(state, model);
  const decided = { population, reject_target: rejectTarget, scorer, operator, reason, at, chain };
  const rung = rungOf(state, model, rejectTarget);
  switch (command.type) {
    case 'approve': {
      const { proposal, claimsHeld, fourEyes, operators } = command;
      const needed = CLAIMS_NEEDED[rejectTarget];
      if (needed === undefined) return { refusal: 'never_calibrated' };
      if (claimsHeld < needed) return { refusal: 'not_enough_claims' };
      if (!proposal || proposal.model !== model || proposal.decisions !== state.decisions || proposal.claims < needed)
        return { refusal: 'no_such_proposal' };
      const grant = grantOf(rung.request, proposal.digest, operator, { fourEyes, operators });
      if (grant === 'refused') return { refusal: 'same_operator' };
      return grant === 'request'
        ? { events: [{ type: 'ApprovalRequested', version: 3, data: { ...decided, proposal } }] }
        : { events: [{ type: 'RungApproved', version: 3, data: { ...decided, proposal, ...grant } }] };
    }
    case 'withdraw':
      if (!rung.approval && !rung.request) return { refusal: 'not_calibrated' };
      return { events: [{ type: 'RungWithdrawn', version: 3, data: { ...decided, model } }] };
    default:
      return never(command);
  }
}
