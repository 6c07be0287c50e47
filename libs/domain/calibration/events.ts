import type { EventOf } from '../catalogue.js';
import { never } from '../decider.js';

/** Under the four-eyes rule: the first of two operators. */
export type ApprovalRequested = EventOf<'ApprovalRequested'>;
export type RungApproved = EventOf<'RungApproved'>;
export type RungWithdrawn = EventOf<'RungWithdrawn'>;
/** Under the four-eyes rule: the first of two operators. */
export type ScorerRequested = EventOf<'ScorerRequested'>;
export type ScorerApproved = EventOf<'ScorerApproved'>;
export type ScorerWithdrawn = EventOf<'ScorerWithdrawn'>;
export type ScorerEvent = ScorerRequested | ScorerApproved | ScorerWithdrawn;
export type CalibrationEvent = ApprovalRequested | RungApproved | RungWithdrawn | ScorerEvent;

/**
 * The facts behind an approval: docs/concepts/calibration-method.md says how every figure follows from the counted claims.
 */
export type ProposalFacts = RungApproved['data']['proposal'];
/** The facts behind the approval of a population's own scorer. */
export type ScorerProposal = ScorerApproved['data']['proposal'];
/** A scorer's gain at a rung, cross-fitted on the population's own claims; null if it cannot be told. */
export type ScorerRung = ScorerProposal['rungs'][number];

export interface RungState {
  approval?: RungApproved['data'];
  request?: ApprovalRequested['data'];
  /** Approvals and withdrawals so far: the ladder's revision at this rung. */
  changes: number;
}

export interface ScorerState {
  /** The scorer in force: an approval supersedes the one before. */
  approval?: ScorerApproved['data'];
  request?: ScorerRequested['data'];
}

/** A population's scorers and ladders. An approval under one model, or one scorer, says nothing under another. */
export interface CalibrationState {
  /** Approvals and withdrawals, of rungs and of scorers. */
  decisions: number;
  /** By `rungKey`. */
  rungs: Readonly<Record<string, RungState>>;
  /** By model. */
  scorers: Readonly<Record<string, ScorerState>>;
}

export const uncalibrated: CalibrationState = { decisions: 0, rungs: {}, scorers: {} };

const rungKey = (model: string, rejectTarget: number, scorer: string | null): string =>
  `${model} ${rejectTarget.toFixed(2)} ${scorer ?? 'raw'}`;

export const scorerOf = (state: CalibrationState, model: string): ScorerState => state.scorers[model] ?? {};

/** Digest of the scorer that decides under a model; null where raw scores do. */
export const scorerInForce = (state: CalibrationState, model: string): string | null =>
  scorerOf(state, model).approval?.proposal.scorer ?? null;

/** A rung as it stands under a scorer, by default the one in force: an approval under another one has lapsed. */
export const rungOf = (
  state: CalibrationState,
  model: string,
  rejectTarget: number,
  scorer = scorerInForce(state, model),
): RungState => state.rungs[rungKey(model, rejectTarget, scorer)] ?? { changes: 0 };

/** The approvals of rungs that decide under a model. */
export const approvalsInForce = ({ rungs, ...state }: CalibrationState, model: string): RungApproved['data'][] =>
  Object.values(rungs).flatMap(({ approval }) =>
    approval?.proposal.model === model && approval.scorer === scorerInForce({ rungs, ...state }, model)
      ? [approval]
      : [],
  );

type RungEvent = Exclude<CalibrationEvent, ScorerEvent>;
const modelOf = ({ data }: CalibrationEvent): string => ('proposal' in data ? data.proposal.model : data.model);

export function evolveCalibration(state: CalibrationState, event: CalibrationEvent): CalibrationState {
  const model = modelOf(event);
  const rung = ({ data: { reject_target, scorer } }: RungEvent, to: (before: RungState) => RungState) => ({
    rungs: {
      ...state.rungs,
      [rungKey(model, reject_target, scorer)]: to(rungOf(state, model, reject_target, scorer)),
    },
  });
  const scorer = (to: ScorerState) => ({ scorers: { ...state.scorers, [model]: to } });
  const decided = { ...state, decisions: state.decisions + 1 };
  switch (event.type) {
    case 'ApprovalRequested':
      return { ...state, ...rung(event, (before) => ({ ...before, request: event.data })) };
    case 'RungApproved':
      return { ...decided, ...rung(event, ({ changes }) => ({ approval: event.data, changes: changes + 1 })) };
    case 'RungWithdrawn':
      return { ...decided, ...rung(event, ({ changes }) => ({ changes: changes + 1 })) };
    case 'ScorerRequested':
      return { ...state, ...scorer({ ...scorerOf(state, model), request: event.data }) };
    case 'ScorerApproved':
      return { ...decided, ...scorer({ approval: event.data }) };
    case 'ScorerWithdrawn':
      return { ...decided, ...scorer({}) };
    default:
      return never(event);
  }
}
