/** Judges the decisions about a workspace's lot scorer as an auditor does: each could have been made where it stands. */
import { type Chain, linkFault, standingFault } from '#domain/approval';
import type { LoggedEvent } from '#domain/logged';
import {
  evolveLotScorer,
  type LotScorerEvent,
  type LotScorerState,
  lotScorerInForce,
  noLotScorer,
} from '#lots/events-scorer';

/** A stream of decisions so far. */
export interface ValidLotScorerDecisions {
  state: LotScorerState;
  /** Hash of all events so far; null before the first. */
  root: string | null;
  /** True if an event carried it. */
  chained: boolean;
}

export const noLotScorerDecisions: ValidLotScorerDecisions = { state: noLotScorer, root: null, chained: false };

/** @param event with exactly its members, of the newest version @returns `problem`: the end of a sentence about the event */
export function verifyLotScorerDecision<E extends LoggedEvent & LotScorerEvent>(
  { state, root: before, chained }: ValidLotScorerDecisions,
  event: E,
  chain: Chain<E>,
): { valid: ValidLotScorerDecisions; problem?: string } {
  const root = before ?? chain.beginning(event.data.workspace.id);
  const links = (event.stored?.version ?? event.version) > 1;
  const valid = { state: evolveLotScorer(state, event), root: chain.after(root, event), chained: chained || links };
  const problem = linkFault({ root, chained }, links, event.data.chain) ?? unmakeable(state, event);
  return { valid, ...(problem !== undefined && { problem }) };
}

/** The reason why the domain would not have made the event, as far as its stream shows it. */
function unmakeable(state: LotScorerState, event: LotScorerEvent): string | undefined {
  if (event.type === 'LotScorerWithdrawn') return undefined;
  const { model, scorer } = event.data.proposal;
  if (lotScorerInForce(state, model)?.proposal.scorer === scorer)
    return 'approves the lot scorer that is in force already';
  return standingFault(state, event.data);
}
