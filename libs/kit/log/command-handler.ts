/** The one way from a command to its events: read the stream, fold, decide, append at the revision seen. */
import { type Decider, type DomainEvent, fold } from '#domain/decider';
import { splitIntoAppends } from './encode.js';
import {
  type Appended,
  type EventStore,
  type ExpectedRevision,
  MAX_APPEND_BYTES,
  type NewEvent,
  StoreUnavailable,
  WrongExpectedRevision,
} from './port.js';
import { type Folded, readState } from './stored-events.js';

export interface Handling<State> {
  stream: string;
  /** Id of the request for which this is done; kept in the events' metadata. */
  requestId?: string;
  /** Reads the state: from the stream, unless the caller keeps folded streams. */
  read?(): Promise<Folded<State>>;
  /** The state for the first decision, if it is known without a read; `initial` at -1n for a new stream. */
  seen?: Folded<State>;
  /**
   * Decisions before a lost race is reported as WrongExpectedRevision; 1 reports the first one, for an operator who must look
   * again before deciding again.
   */
  attempts?: number;
  /** The command holds whatever others append meanwhile: the append asks no more than that a stream that was seen exists. */
  commutes?: boolean;
}

export type Handled<State, Event, Refusal extends string, Answer = undefined> =
  | (Folded<State> & { events: readonly Event[]; answer?: Answer; appended?: Appended; refusal?: undefined })
  | (Folded<State> & { refusal: Refusal });

/** Enough for a stream that many append to at once. */
const ATTEMPTS = 32;

export class CommandHandler {
  constructor(
    private readonly store: Pick<EventStore, 'append' | 'readStream'>,
    private readonly newId: () => string,
  ) {}

  /**
   * @returns the state after the command, or the state and why it is refused
   * @throws WrongExpectedRevision after the last attempt, StoreUnavailable
   */
  async handle<State, Command, Event extends DomainEvent, Refusal extends string, Answer>(
    decider: Decider<State, Command, Event, Refusal, Answer>,
    command: Command,
    { stream, requestId, attempts = ATTEMPTS, commutes, ...handling }: Handling<State>,
  ): Promise<Handled<State, Event, Refusal, Answer>> {
    const { read = () => readState(this.store, stream, decider) } = handling;
    let seen = handling.seen ?? (await read());
    for (let attempt = 1; ; attempt++) {
      const decision = decider.decide(seen.state, command);
      if ('refusal' in decision) return { ...seen, refusal: decision.refusal };
      const { events, answer } = decision;
      if (events.length === 0) return { ...seen, events, answer };
      const indifferent = seen.revision < 0n ? 'any' : 'stream_exists';
      try {
        const expected = commutes ? indifferent : seen.revision;
        const appended = await this.append(stream, events, expected, requestId);
        const state = fold(decider.evolve, seen.state, events);
        return { state, revision: appended.revision, events, answer, appended };
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision) || attempt >= attempts) throw error;
        const after = await read();
        // On a cluster the node that is read may not have the events yet that won.
        if (after.revision <= seen.revision) throw new StoreUnavailable(`stream ${stream} is behind its own events`);
        seen = after;
      }
    }
  }

  /** Events that no decider stands behind, because they hold whatever else is said: telemetry, notes. */
  record(stream: string, events: readonly DomainEvent[], requestId?: string): Promise<Appended> {
    return this.append(stream, events, 'any', requestId);
  }

  /** Each part of a large append expects what the one before left, so that two calls cannot interleave. */
  private async append(
    stream: string,
    events: readonly DomainEvent[],
    expected: ExpectedRevision,
    requestId?: string,
  ): Promise<Appended> {
    const metadata = requestId === undefined ? undefined : { correlationId: requestId };
    const fresh = events.map((event) => ({ ...event, id: this.newId(), metadata }) as NewEvent);
    let at = typeof expected === 'bigint' && expected < 0n ? 'no_stream' : expected;
    let appended: Appended | undefined;
    for (const part of fresh.length === 1 ? [fresh] : splitIntoAppends(fresh, MAX_APPEND_BYTES)) {
      appended = await this.store.append(stream, part, at);
      if (typeof at !== 'string' || at === 'no_stream') at = appended.revision;
    }
    return appended!;
  }
}
