/** Judges the decisions about a workspace's lot scorer as an auditor does: each could have been made where it stands. */
import type { LoggedEvent } from '#domain/logged';
import {
  evolveLotScorer,
  type LotScorerEvent,
  type LotScorerState,
  lotScorerInForce,
  noLotScorer,
} from './events-scorer.js';

/** A stream of decisions so far. */
export interface JudgedLotScorer {
  state: LotScorerState;
  /** Hash of all events so far; null before the first. */
  root: string | null;
  /** True if an event carried it. */
  chained: boolean;
}

export const nothingJudged: JudgedLotScorer = { state: noLotScorer, root: null, chained: false };

/** The rule by which the hash is carried on (docs/audit/chain.md). @param owner id of the workspace */
interface Chain<E> {
  beginning(owner: string): string;
  after(root: string, event: E): string;
}

/** @param event with exactly its members, of the newest version @returns `problem`: the end of a sentence about the event */
export function judgeLotScorer<E extends LoggedEvent & LotScorerEvent>(
  { state, root: before, chained }: JudgedLotScorer,
  event: E,
  chain: Chain<E>,
): { judged: JudgedLotScorer; problem?: string } {
  const root = before ?? chain.beginning(event.data.workspace.id);
  const links = (event.stored?.version ?? event.version) > 1;
  const judged = { state: evolveLotScorer(state, event), root: chain.after(root, event), chained: chained || links };
  const problem = (links ? event.data.chain === root : !chained)
    ? unmakeable(state, event)
    : 'does not carry the hash of the events before it: one of them was changed, taken away or put in';
  return { judged, ...(problem !== undefined && { problem }) };
}

/** The reason why the domain would not have made the event, as far as its stream shows it. */
function unmakeable(state: LotScorerState, event: LotScorerEvent): string | undefined {
  if (event.type === 'LotScorerWithdrawn') return undefined;
  const { proposal, operator } = event.data;
  if (lotScorerInForce(state, proposal.model)?.proposal.scorer === proposal.scorer)
    return 'approves the lot scorer that is in force already';
  if (proposal.decisions !== state.decisions)
    return `rests on a proposal after ${proposal.decisions} decisions where ${state.decisions} stand before it`;
  if (event.type === 'LotScorerRequested' || event.data.requested_by === null) return undefined;
  const first = state.request?.proposal.digest === proposal.digest ? state.request.operator : undefined;
  if (first === event.data.requested_by && first !== operator) return undefined;
  return 'names a first operator who did not request it';
}
