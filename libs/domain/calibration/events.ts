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
  operator: string;
  reason: string;
  at: string;
  /** Hash of all events of the stream before this one, 64 hex digits; null in events from before there was a chain. */
  chain: string | null;
}

interface OfRung {
  reject_target: number;
  /** Digest of the population's scorer under which the rung is decided, 64 hex digits; null for raw scores. */
  scorer: string | null;
}

interface Granted {
  /** Who asked for it, where two operators are needed. */
  requested_by: string | null;
}

/** Under the four-eyes rule: the first of two operators. */
export type ApprovalRequested = Happened<'ApprovalRequested', 3, Decided & OfRung & { proposal: ProposalFacts }>;
export type RungApproved = Happened<'RungApproved', 3, Decided & OfRung & Granted & { proposal: ProposalFacts }>;
export type RungWithdrawn = Happened<'RungWithdrawn', 3, Decided & OfRung & { model: string }>;

/** What the approval of a population's own scorer rests on. */
export interface ScorerProposal {
  digest: string;
  /** Digest of the asset, whose bytes stand in a stream of its own; 64 hex digits. */
  scorer: string;
  /** Digest over the counted claims and their vectors. */
  evidence_digest: string;
  method: string;
  /** Digest of the model, 64 hex digits. */
  model: string;
  /** Place in the log of the last claim behind it. */
  position: string;
  /** Decisions about the population before it. */
  decisions: number;
  claims: number;
  /** Groups of claims on distinct stones: what the claims weigh. */
  groups: number;
  /** Claims left out of the fit as they score like wrong ones. */
  trimmed: number;
  /** Whether the probability curve is the population's own or came with the model. */
  curve: 'own' | 'shipped';
  rungs: ScorerRung[];
}

/** What a scorer brings at a rung, cross-fitted on the population's own claims; null where it cannot be told. */
export interface ScorerRung {
  reject_target: number;
  confirmed_raw: number | null;
  confirmed_mapped: number | null;
  wrong_raw: number | null;
  wrong_mapped: number | null;
}

/** Under the four-eyes rule: the first of two operators. */
export type ScorerRequested = Happened<'ScorerRequested', 1, Decided & { proposal: ScorerProposal }>;
export type ScorerApproved = Happened<'ScorerApproved', 1, Decided & Granted & { proposal: ScorerProposal }>;
export type ScorerWithdrawn = Happened<'ScorerWithdrawn', 1, Decided & { model: string }>;
export type ScorerEvent = ScorerRequested | ScorerApproved | ScorerWithdrawn;
export type CalibrationEvent = ApprovalRequested | RungApproved | RungWithdrawn | ScorerEvent;

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

/** A population's scorers and ladders. What was approved under one model, or one scorer, says nothing under another. */
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
