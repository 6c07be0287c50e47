/** The one reader of what was stored, as the domain speaks of it. */

import { type Decider, fold } from '#domain/decider';
import {
  type EventReader,
  isNoEvent,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
} from './port.js';

/** A domain event with its place in the log. */
export type Stored<Event> = Event & RecordedEvent;

/** A stream's state and the revision of its last event, -1n where there is none. */
export interface Folded<State> {
  state: State;
  revision: bigint;
}

type StreamReader = Pick<EventReader, 'readStream'>;

/** An event of a stream was lost before the log was imported: nothing is decided from the stream any more. */
export class StreamUndecidable extends Error {
  override readonly name = 'StreamUndecidable';
  constructor({ stream, revision }: RecordedEvent) {
    super(`event ${revision} of stream ${stream} was lost, and nothing is decided from that stream any more`);
  }
}

/**
 * The store hands out events that its schema let in: here, and nowhere else, they become the domain's. Disowned rows say
 * nothing.
 * @throws StreamUndecidable
 */
export function eventsOf<Event>(events: RecordedEvent[]): Stored<Event>[] {
  const lost = events.find(({ type }) => type === 'EventLost');
  if (lost) throw new StreamUndecidable(lost);
  return (events.some(isNoEvent) ? events.filter((one) => !isNoEvent(one)) : events) as Stored<Event>[];
}

/** Events of the whole log, in its order. */
export async function* readAllEvents<Event extends { type: string }>(
  store: Pick<EventReader, 'readAll'>,
  options: ReadAllOptions & { types: readonly Event['type'][] },
): AsyncGenerator<Stored<Event>> {
  for await (const event of store.readAll(options)) yield* eventsOf<Event>([event]);
}

/** A stream's events, `[]` where there is none. @throws StreamUndecidable */
export const readEvents = async <Event>(
  store: StreamReader,
  stream: string,
  options?: ReadStreamOptions,
): Promise<Stored<Event>[]> => eventsOf(await store.readStream(stream, options));

/**
 * A stream after all its events, or after its first ones, where `limit` says how many.
 * @param seen what its events before `from` came to
 * @throws StreamUndecidable
 */
export async function readState<State, Event>(
  store: StreamReader,
  stream: string,
  { initial, evolve }: Pick<Decider<State, never, Event, string>, 'initial' | 'evolve'>,
  { seen = { state: initial, revision: -1n }, limit }: { seen?: Folded<State>; limit?: number } = {},
): Promise<Folded<State>> {
  const from = seen.revision + 1n;
  const events = await store.readStream(stream, { ...(from > 0n && { from }), ...(limit && { limit }) });
  const last = events.at(-1);
  return last ? { state: fold(evolve, seen.state, eventsOf<Event>(events)), revision: last.revision } : seen;
}

/** The log's first event of a type. */
export async function readFirst<Event extends { type: string }>(
  store: Pick<EventReader, 'readAll'>,
  type: Event['type'],
): Promise<Stored<Event> | undefined> {
  for await (const event of readAllEvents<Event>(store, { types: [type], limit: 1 })) return event;
  return undefined;
}
