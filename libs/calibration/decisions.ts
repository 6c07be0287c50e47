/** Common rules of every decision about a population: its chain, and that an operator decides on the figures shown. */

import type { Decider } from '#domain/decider';
import { streams } from '#domain/streams';
import type { CommandHandler } from '#kit/log/command-handler';
import { type EventReader, WrongExpectedRevision } from '#kit/log/port';
import { CommandRefused } from '#kit/log/refused';
import type { Folded } from '#kit/log/stored-events';
import { chainRoot } from './chain.js';
import type { DecisionFacts } from './decide.js';
import type { CalibrationEvent, CalibrationState } from './events.js';

/** An operator's decision about a population. */
export interface OperatorDecision {
  population: string;
  operator: string;
  reason: string;
  requestId: string;
}

export interface DecisionsDependencies {
  store: EventReader;
  commands: CommandHandler;
  now(): Date;
}

/** The chain is that of the stream as far as it was seen: the append is held to its end. */
export async function decisionFacts(
  { store, now }: Pick<DecisionsDependencies, 'store' | 'now'>,
  { population, operator, reason }: OperatorDecision,
  model: string,
  seen: Folded<CalibrationState>,
): Promise<DecisionFacts> {
  const events = await store.readStream(streams.calibration(population));
  const chain = chainRoot(
    population,
    events.filter(({ revision }) => revision <= seen.revision),
  );
  return { population, model, operator, reason, at: now().toISOString(), chain };
}

/**
 * The second of two operators checks again.
 * @returns the state after it
 * @throws CommandRefused (conflict)
 */
export async function decideAbout<Command, Refusal extends string>(
  { commands }: Pick<DecisionsDependencies, 'commands'>,
  decider: Decider<CalibrationState, Command, CalibrationEvent, Refusal>,
  command: Command,
  { population, requestId }: OperatorDecision,
  seen: Folded<CalibrationState>,
  sentences: Record<Refusal, string>,
): Promise<CalibrationState> {
  const handling = { stream: streams.calibration(population), requestId, seen, attempts: 1 };
  const { state, refusal } = await commands.handle(decider, command, handling).catch((error) => {
    if (!(error instanceof WrongExpectedRevision)) throw error;
    throw new CommandRefused('conflict', 'another operator decided about this population first; look again');
  });
  if (refusal !== undefined) throw new CommandRefused('conflict', sentences[refusal]);
  return state;
}
