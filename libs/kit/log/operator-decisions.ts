/** Operators' decisions, in streams whose events carry the hash of those before them (docs/audit/chain.md). */
import { type Decider, type DomainEvent, fold } from '#domain/decider';
import type { CommandHandler } from './command-handler.js';
import { type EventReader, type RecordedEvent, WrongExpectedRevision } from './port.js';
import { CommandRefused } from './refused.js';
import { type Folded, readEvents } from './stored-events.js';

export interface OperatorDecision {
  operator: string;
  reason: string;
  requestId: string;
}

/** A stream as an operator was shown it, with the hash that the next decision carries. */
export interface Seen<State> extends Folded<State> {
  stream: string;
  chain: string;
}

/** @param rootOf the hash of a stream's events @throws StreamUndecidable */
export async function readToDecide<State, Event>(
  store: Pick<EventReader, 'readStream'>,
  stream: string,
  { initial, evolve }: Pick<Decider<State, never, Event, string>, 'initial' | 'evolve'>,
  rootOf: (events: readonly RecordedEvent[]) => string,
): Promise<Seen<State>> {
  const events = await readEvents<Event>(store, stream);
  const state = fold(evolve, initial, events);
  return { stream, state, revision: events.at(-1)?.revision ?? -1n, chain: rootOf(events) };
}

/** What every decision says. */
export const factsOf = (
  { operator, reason }: OperatorDecision,
  model: string,
  { chain }: Seen<unknown>,
  now: Date,
) => ({
  ...{ model, operator, reason, at: now.toISOString(), chain },
});

/**
 * An operator decides on what was shown: where another decided meanwhile, nothing is.
 * @param about as the refusal then names it
 * @returns the state after it
 * @throws CommandRefused (conflict) in the refusal's sentence
 */
export async function decideOn<State, Command, Event extends DomainEvent, Refusal extends string>(
  commands: CommandHandler,
  decider: Decider<State, Command, Event, Refusal>,
  command: Command,
  { seen, requestId, about }: { seen: Seen<State>; requestId: string; about: 'population' | 'workspace' },
  sentences: Record<Refusal, string>,
): Promise<State> {
  const handling = { stream: seen.stream, requestId, seen, attempts: 1 };
  const { state, refusal } = await commands.handle(decider, command, handling).catch((error) => {
    if (!(error instanceof WrongExpectedRevision)) throw error;
    throw new CommandRefused('conflict', `another operator decided about this ${about} first; look again`);
  });
  if (refusal !== undefined) throw new CommandRefused('conflict', sentences[refusal]);
  return state;
}
