/** Operators' decisions about one owner each, in a stream whose events carry the hash of those before them (docs/audit/chain.md). */
import type { Chain } from '#domain/approval';
import { type Decider, type DomainEvent, fold } from '#domain/decider';
import { rootAfter } from './chain.js';
import type { CommandHandler } from './command-handler.js';
import { type EventReader, type RecordedEvent, WrongExpectedRevision } from './port.js';
import { CommandRefused } from './refused.js';
import { type Folded, readEvents } from './stored-events.js';

/** An operator's decision. */
export interface OperatorDecision {
  operator: string;
  reason: string;
  requestId: string;
}

/** A stream as an operator was shown it, with the hash that the next decision carries. */
export interface Seen<State> extends Folded<State> {
  chain: string;
}

export interface DecisionStream<State, Event> {
  /** As the refusal names it where somebody else decided first. */
  owner: 'population' | 'workspace';
  nameOf(owner: string): string;
  chain: Chain<RecordedEvent>;
  initial: State;
  evolve(state: State, event: Event): State;
}

export interface OperatorDecisionsDependencies {
  store: Pick<EventReader, 'readStream'>;
  commands: CommandHandler;
  now(): Date;
}

/** @template Event as the stream is read */
export class OperatorDecisions<State, Event> {
  constructor(
    private readonly dependencies: OperatorDecisionsDependencies,
    private readonly stream: DecisionStream<State, Event>,
  ) {}

  /** @throws StreamUndecidable */
  async read(owner: string): Promise<Seen<State>> {
    const { chain, initial, evolve, nameOf } = this.stream;
    const events = await readEvents<Event>(this.dependencies.store, nameOf(owner));
    return {
      state: fold(evolve, initial, events),
      revision: events.at(-1)?.revision ?? -1n,
      chain: rootAfter(chain, owner, events),
    };
  }

  /** What every decision says. */
  facts({ operator, reason }: OperatorDecision, model: string, { chain }: Seen<State>) {
    return { model, operator, reason, at: this.dependencies.now().toISOString(), chain };
  }

  /**
   * An operator decides on what was shown: where another decided meanwhile, nothing is.
   * @returns the state after it
   * @throws CommandRefused (conflict) in the refusal's sentence
   */
  async decide<Command, Written extends DomainEvent, Refusal extends string>(
    decider: Decider<State, Command, Written, Refusal>,
    command: Command,
    { owner, requestId, seen }: { owner: string; requestId: string; seen: Seen<State> },
    sentences: Record<Refusal, string>,
  ): Promise<State> {
    const handling = { stream: this.stream.nameOf(owner), requestId, seen, attempts: 1 };
    const { state, refusal } = await this.dependencies.commands.handle(decider, command, handling).catch((error) => {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      const first = `another operator decided about this ${this.stream.owner} first; look again`;
      throw new CommandRefused('conflict', first);
    });
    if (refusal !== undefined) throw new CommandRefused('conflict', sentences[refusal]);
    return state;
  }
}
