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
import type { ReadLadders } from './queries-ladders.js';

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

/** @param events as far as the stream was read: the chain is theirs, and the append is held to their end */
export function decisionFacts(
  { now }: Pick<DecisionsDependencies, 'now'>,
  { population, operator, reason }: OperatorDecision,
  model: string,
  { events }: ReadLadders,
): DecisionFacts {
  return { population, model, operator, reason, at: now().toISOString(), chain: chainRoot(population, events) };
}

/**
 * The second of two operators looks again.
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
