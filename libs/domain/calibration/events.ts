import { type Happened, never } from '../decider.js';

/** What an approval rests on: docs/calibration-method.md says how every figure follows from the counted claims. */
export interface ProposalFacts {
  digest: string;
  /** Digest over the counted claims and their vectors. */
  evidence_digest: string;
  method: string;
  /** Digest of the model, 64 hex digits. */
  model: string;
  /** Place in the log of the last claim behind it. */
  position: string;
  /** Approvals and withdrawals of the population before it. */
  decisions: number;
  claims: number;
  roughs: number;
  polishes: number;
  pairs: number;
  threshold: number;
  interval: [number, number];
  wrong_per_1000: number;
  expected_genuine_accept: number | null;
  expected_genuine_accept_error: number | null;
  expected_genuine_accept_reason: string | null;
}

interface Decided {
  population: string;
  reject_target: number;
  operator: string;
  reason: string;
  at: string;
  /** Hash of all events of the stream before this one, 64 hex digits; null in events from before there was a chain. */
  chain: string | null;
}

/** Under the four-eyes rule: the first of two operators. */
export type ApprovalRequested = Happened<'ApprovalRequested', 2, Decided & { proposal: ProposalFacts }>;
export type RungApproved = Happened<
  'RungApproved',
  2,
  Decided & {
    proposal: ProposalFacts;
    /** Who asked for it, where two operators are needed. */
    requested_by: string | null;
  }
>;
export type RungWithdrawn = Happened<'RungWithdrawn', 2, Decided & { model: string }>;
export type CalibrationEvent = ApprovalRequested | RungApproved | RungWithdrawn;

export interface RungState {
  approval?: RungApproved['data'];
  request?: ApprovalRequested['data'];
  /** Approvals and withdrawals so far: the ladder's revision at this rung. */
  changes: number;
}

/** A population's ladders. What was approved under one model says nothing under another. */
export interface CalibrationState {
  decisions: number;
  /** By `rungKey`. */
  rungs: Readonly<Record<string, RungState>>;
}

export const uncalibrated: CalibrationState = { decisions: 0, rungs: {} };

const rungKey = (model: string, rejectTarget: number): string => `${model} ${rejectTarget.toFixed(2)}`;

export const rungOf = (state: CalibrationState, model: string, rejectTarget: number): RungState =>
  state.rungs[rungKey(model, rejectTarget)] ?? { changes: 0 };

export function evolveCalibration(state: CalibrationState, event: CalibrationEvent): CalibrationState {
  const { decisions } = state;
  const change = (model: string, to: (before: RungState) => RungState) => ({
    ...state.rungs,
    [rungKey(model, event.data.reject_target)]: to(rungOf(state, model, event.data.reject_target)),
  });
  switch (event.type) {
    case 'ApprovalRequested':
      return { decisions, rungs: change(event.data.proposal.model, (rung) => ({ ...rung, request: event.data })) };
    case 'RungApproved':
      return {
        decisions: decisions + 1,
        rungs: change(event.data.proposal.model, ({ changes }) => ({ approval: event.data, changes: changes + 1 })),
      };
    case 'RungWithdrawn':
      return { decisions: decisions + 1, rungs: change(event.data.model, ({ changes }) => ({ changes: changes + 1 })) };
    default:
      return never(event);
  }
}
