/** Judges a calibration stream as an auditor does: an event holds if the domain could have made it, where it stands. */

import { groupsNeeded } from '#calibration/decide';
import {
  type CalibrationEvent,
  type CalibrationState,
  evolveCalibration,
  rungOf,
  type ScorerEvent,
  scorerInForce,
  scorerOf,
  uncalibrated,
} from '#calibration/events';
import { afterRejected } from '#calibration/rejected-decisions';
import { type Chain, linkFault, standingFault } from '#domain/approval';
import { never } from '#domain/decider';
import type { LoggedEvent } from '#domain/logged';
import { populationOf } from '#domain/streams';
import { CLAIMS_NEEDED, type RejectTarget, rungName } from '#science/calibration/ladder';
import { recordedFault, strayFault } from './admission.js';
import { upcast } from './upcast.js';

/** The rest of the log's evidence about a calibration event. */
export interface LogFacts {
  /** Place of the first event that only a program writes that chains; undefined where there is none so far. */
  chainedFrom(): bigint | undefined;
  /** Place of a population's n-th counted claim under a model; undefined where there are fewer so far. */
  claimAt(population: string, model: string, n: number): bigint | undefined;
}

/** A calibration stream so far. Plain JSON. */
export interface ValidDecisions {
  /** The approvals in force. */
  state: CalibrationState;
  /** Chain root after all events, in effect or not; null before the first. */
  root: string | null;
  /** True if an event carried the chain. */
  chained: boolean;
}

export const noDecisions: ValidDecisions = { state: uncalibrated, root: null, chained: false };

export interface Verified {
  valid: ValidDecisions;
  /** The reason for rejecting the event, as the end of a sentence that begins with it. */
  problem?: string;
}

/**
 * Takes the next event of a calibration stream. An event that does not hold is skipped: it counts as a decision, since
 * every proposal after it says so, and changes nothing else.
 */
export function verifyDecision<E extends LoggedEvent>(
  before: ValidDecisions,
  event: E,
  chain: Chain<E>,
  facts: LogFacts,
): Verified {
  const root = before.root ?? chain.beginning(populationOf(event.stream));
  const version = event.stored?.version ?? event.version;
  const links = version > 1 || isScorerEvent(event);
  const chained = before.chained || links;
  const after = { root: chain.after(root, event), chained };
  // The lost event may have been a withdrawal: nothing is decided from its stream any more.
  if (event.type === 'EventLost') return never(event as never);
  const fault = recordedFault(event);
  if (fault !== undefined) return { valid: { ...before, ...after }, problem: fault };

  const { type, data } = upcast(event);
  const written = { type, version, data };
  const decided = written as typeof written & CalibrationEvent;
  const problem =
    strayFault(event.stream, { type, data }) ??
    linkFault({ root, chained: before.chained }, links, data.chain) ??
    unmakeable(before.state, decided) ??
    unfounded(event, decided, facts);
  const state = problem === undefined ? evolveCalibration(before.state, decided) : afterRejected(before.state, decided);
  return { valid: { ...after, state }, ...(problem !== undefined && { problem }) };
}

/** The same of a whole stream. `problems`: of the events skipped, by revision. */
export function verifyDecisions<E extends LoggedEvent>(events: readonly E[], chain: Chain<E>, facts: LogFacts) {
  let valid = noDecisions;
  const problems = new Map<bigint, string>();
  for (const event of events) {
    const verified = verifyDecision(valid, event, chain, facts);
    valid = verified.valid;
    if (verified.problem !== undefined) problems.set(event.revision, verified.problem);
  }
  return { valid, problems };
}

/** True if an event of a calibration stream is a decision with exactly its members. */
export const isDecision = <E extends LoggedEvent>(event: E): event is E & CalibrationEvent =>
  event.type !== 'EventLost' && recordedFault(event) === undefined;

/** The claims that an event rests on, which have to stand in the log before it. */
export function restsOn(event: CalibrationEvent): { population: string; model: string; claims: number } | undefined {
  switch (event.type) {
    case 'ApprovalRequested':
    case 'RungApproved':
    case 'ScorerRequested':
    case 'ScorerApproved': {
      const { population, proposal } = event.data;
      return { population, model: proposal.model, claims: proposal.claims };
    }
    default:
      return undefined;
  }
}

/** True if only a program that chains writes such an event: it came with the chain or after it. */
export function isOfChainingProgram({ type, version, stored }: LoggedEvent): boolean {
  if (isScorerEvent({ type })) return true;
  if ((stored?.version ?? version) < 2) return false;
  return CHAINED_TYPES.includes(type) || type === 'ClaimSubmitted';
}
const CHAINED_TYPES: readonly string[] = [
  'ApprovalRequested',
  'RungApproved',
  'RungWithdrawn',
] satisfies CalibrationEvent['type'][];
const SCORER_TYPES: readonly string[] = [
  'ScorerRequested',
  'ScorerApproved',
  'ScorerWithdrawn',
] satisfies ScorerEvent['type'][];
const isScorerEvent = ({ type }: { type: string }): boolean => SCORER_TYPES.includes(type);

/** The reason why the domain would not have made the event, as far as its stream shows it. */
function unmakeable(state: CalibrationState, event: CalibrationEvent): string | undefined {
  const { decisions } = state;
  if (event.type === 'ScorerWithdrawn') return undefined;
  if (event.type === 'ScorerRequested' || event.type === 'ScorerApproved') {
    const { scorer, model, groups, claims, method } = event.data.proposal;
    if (scorerInForce(state, model) === scorer) return 'approves the scorer that is in force already';
    const needed = groupsNeeded(state, model, method);
    if (groups < needed || claims < groups)
      return `rests on ${groups} groups of ${claims} claims, where the next scorer needs ${needed}`;
    return standingFault({ ...scorerOf(state, model), decisions }, event.data);
  }
  const model = event.type === 'RungWithdrawn' ? event.data.model : event.data.proposal.model;
  if (event.data.scorer !== scorerInForce(state, model)) return 'names another scorer than the one in force';
  if (event.type === 'RungWithdrawn') return undefined;
  const { claims } = event.data.proposal;
  const rung = event.data.reject_target as RejectTarget;
  const needed = CLAIMS_NEEDED[rung];
  if (needed === undefined) return `approves rung ${rungName(rung)}, which never settles`;
  if (claims < needed) return `rests on ${claims} claims where rung ${rungName(rung)} needs ${needed}`;
  return standingFault({ ...rungOf(state, model, rung), decisions }, event.data);
}

/** The rest of the log's evidence against it. */
function unfounded(event: LoggedEvent, decided: CalibrationEvent, facts: LogFacts): string | undefined {
  const { position, stored } = event;
  const chainedFrom = facts.chainedFrom();
  const before = (place: bigint | undefined) => place !== undefined && place < position;
  if (!isScorerEvent(event) && (stored?.version ?? event.version) < 2 && before(chainedFrom))
    return 'carries no hash of the events before it, though the log was written by a program that chains by then';
  const needed = restsOn(decided);
  return needed && lacksClaims(needed, position, facts);
}

/**
 * The reason why an event that rests on so many claims cannot stand at a place of the log, as the end of a sentence that
 * begins with it.
 */
export function lacksClaims(
  { population, model, claims }: { population: string; model: string; claims: number },
  position: bigint,
  facts: LogFacts,
): string | undefined {
  const place = facts.claimAt(population, model, claims);
  if (place !== undefined && place < position) return undefined;
  return `rests on ${claims} claims, and the log does not hold as many before it`;
}
