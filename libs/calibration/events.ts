import { endedBy, type ListedApproval } from '#domain/approval';
import { type EventIn, event, type StreamRule } from '#domain/catalogue-entry';
import { never } from '#domain/decider';
import { described, orNull } from '#domain/schemas';
import {
  aDigest,
  aProposal,
  aScorerProposal,
  at,
  modelDigest,
  operator,
  population,
  reason,
  rung,
} from '#domain/shapes';
import { streams } from '#domain/streams';

const calibrationStream: StreamRule<{ population: string }> = {
  name: 'calibration-{population}',
  is: (stream, { population }) => stream === streams.calibration(population),
};
const decidedOf = { population, operator, reason, at };
const chain = 'hash of all events of the stream before it, 64 hex ([how](../audit/chain.md))';
const decided = {
  ...decidedOf,
  reject_target: rung,
  scorer: described(
    orNull(aDigest),
    'digest of the population’s own scorer under which it is decided, 64 hex; null for raw scores',
  ),
  chain: described(orNull(aDigest), `${chain}; null before version 2`),
};
const scorerDecided = { ...decidedOf, chain: described(orNull(aDigest), chain) };
const requestedBy = described(orNull(operator), 'under the four-eyes rule the first operator, else null');
const scorerProposal = described(aScorerProposal, 'what it rests on ([scorer proposal](#scorer-proposal))');
const proposal = described(aProposal, 'what it rests on ([proposal](#proposal))');

/** Decisions about a population’s rungs and its own scorer. */
export const calibrationEvents = {
  ApprovalRequested: event(
    3,
    calibrationStream,
    'under the four-eyes rule: a first operator approved a rung; a second one has to',
    { ...decided, proposal },
  ),
  RungApproved: event(
    3,
    calibrationStream,
    'an operator approved the population’s own threshold at a rung; it decides from then on',
    { ...decided, proposal, requested_by: requestedBy },
  ),
  RungWithdrawn: event(3, calibrationStream, 'an operator returned a rung to the shipped default', {
    ...decided,
    model: modelDigest,
  }),
  ScorerRequested: event(
    1,
    calibrationStream,
    'under the four-eyes rule: a first operator approved a population’s own scorer; a second one has to',
    { ...scorerDecided, proposal: scorerProposal },
  ),
  ScorerApproved: event(
    1,
    calibrationStream,
    'an operator approved a population’s own scorer; it scores from then on, in place of the one before',
    { ...scorerDecided, proposal: scorerProposal, requested_by: requestedBy },
  ),
  ScorerWithdrawn: event(1, calibrationStream, 'an operator returned a population to raw scores', {
    ...scorerDecided,
    model: modelDigest,
  }),
};

/** Under the four-eyes rule: the first of two operators. */
export type ApprovalRequested = EventIn<typeof calibrationEvents, 'ApprovalRequested'>;
export type RungApproved = EventIn<typeof calibrationEvents, 'RungApproved'>;
export type RungWithdrawn = EventIn<typeof calibrationEvents, 'RungWithdrawn'>;
/** Under the four-eyes rule: the first of two operators. */
export type ScorerRequested = EventIn<typeof calibrationEvents, 'ScorerRequested'>;
export type ScorerApproved = EventIn<typeof calibrationEvents, 'ScorerApproved'>;
export type ScorerWithdrawn = EventIn<typeof calibrationEvents, 'ScorerWithdrawn'>;
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
  /** Of scorers, under all models, oldest first. */
  approvals: readonly ListedApproval<ScorerApproved['data']>[];
}

export const uncalibrated: CalibrationState = { decisions: 0, rungs: {}, scorers: {}, approvals: [] };

const rungKey = (model: string, rejectTarget: number, scorer: string | null): string =>
  `${model} ${rejectTarget.toFixed(2)} ${scorer ?? 'raw'}`;

export const scorerOf = (state: CalibrationState, model: string): ScorerState => state.scorers[model] ?? {};

/** Digest of the scorer that decides under a model; null where raw scores do. */
export const scorerInForce = (state: CalibrationState, model: string): string | null =>
  scorerOf(state, model).approval?.proposal.scorer ?? null;

/** A rung as it is now under a scorer, by default the one in force: an approval under another one has lapsed. */
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
    rungs: { ...state.rungs, [rungKey(model, reject_target, scorer)]: to(rungOf(state, model, reject_target, scorer)) },
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
      return {
        ...decided,
        ...scorer({ approval: event.data }),
        approvals: [
          ...endedBy(state.approvals, 'superseded', model, event.data),
          { approval: event.data, ended: null },
        ],
      };
    case 'ScorerWithdrawn':
      return { ...decided, ...scorer({}), approvals: endedBy(state.approvals, 'withdrawn', model, event.data) };
    default:
      return never(event);
  }
}
