import { CLAIMS_NEEDED, type RejectTarget } from '#calibration';
import { isOnManifold } from '#spectra';
import type { Submission } from '../claim/events.js';
import { type Decision, never } from '../decider.js';
import { type CalibrationEvent, type CalibrationState, type ProposalFacts, type RungState, rungOf } from './events.js';

export const MAX_REASON_CHARACTERS = 2000;

interface CommandFacts {
  population: string;
  rejectTarget: RejectTarget;
  /** Digest of the live model. */
  model: string;
  operator: string;
  reason: string;
  at: string;
  /** Hash of all events of the population's stream so far, 64 hex digits. */
  chain: string;
}

export type CalibrationCommand =
  | (CommandFacts & {
      type: 'approve';
      /** Counted claims of the population under the model. */
      claimsHeld: number;
      /** The proposal with the digest that the operator saw; nothing where there is none. */
      proposal: ProposalFacts | undefined;
      fourEyes: boolean;
      /** Who may approve now: the request of somebody who is no operator any more has lapsed. */
      operators: readonly string[];
    })
  | (CommandFacts & { type: 'withdraw' });

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
  const decided = { population, reject_target: rejectTarget, operator, reason, at, chain };
  const rung = rungOf(state, model, rejectTarget);
  switch (command.type) {
    case 'approve': {
      const { proposal, claimsHeld, fourEyes, operators } = command;
      const needed = CLAIMS_NEEDED[rejectTarget];
      if (needed === undefined) return { refusal: 'never_calibrated' };
      if (claimsHeld < needed) return { refusal: 'not_enough_claims' };
      if (!proposal || proposal.model !== model || proposal.decisions !== state.decisions || proposal.claims < needed)
        return { refusal: 'no_such_proposal' };
      const pending = pendingRequest(rung, operators);
      const requested = pending?.proposal.digest === proposal.digest ? pending : undefined;
      if (!fourEyes || (requested && requested.operator !== operator)) {
        const requested_by = fourEyes && requested ? requested.operator : null;
        return { events: [{ type: 'RungApproved', version: 2, data: { ...decided, proposal, requested_by } }] };
      }
      if (requested) return { refusal: 'same_operator' };
      return { events: [{ type: 'ApprovalRequested', version: 2, data: { ...decided, proposal } }] };
    }
    case 'withdraw':
      if (!rung.approval && !rung.request) return { refusal: 'not_calibrated' };
      return { events: [{ type: 'RungWithdrawn', version: 2, data: { ...decided, model } }] };
    default:
      return never(command);
  }
}

/** The request that waits for a second operator; one of somebody who is none any more has lapsed. */
export const pendingRequest = ({ request }: RungState, operators: readonly string[]) =>
  request && operators.includes(request.operator) ? request : undefined;

/** Whether a scored claim counts as evidence, as far as the claim alone shows it. */
export const countsAsEvidence = ({ key, rough, polish }: Submission): boolean =>
  key.kind === 'production' && isOnManifold(rough.detail_residual) && isOnManifold(polish.detail_residual);
