import {
  type AllStreamRecordedEvent,
  type AllStreamResolvedEvent,
  ErrorType,
  type ExpectedRevision as EsdbExpectedRevision,
  type EventStoreDBClient,
  jsonEvent,
  type ReadPosition,
  type WrongExpectedVersionError,
} from '@eventstore/db-client';
import { encodeAppend } from '../encode.js';
import {
  type Appended,
  AppendTooLarge,
  type EventStore,
  type ExpectedRevision,
  MAX_APPEND_BYTES,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  StoreUnavailable,
  type Subscription,
  type Upcast,
  WrongExpectedRevision,
} from '../port.js';
import { ANSWER_WITHIN_MS, clientFor, persist, release, untilSilent } from './client.js';
import { isSystem, place, positionOf, toMetadata, toRecorded } from './events.js';
import { filterOf, subscribe } from './subscription.js';

const PAGE = 1_000;
const HEAD_PAGE = 16;

export interface EventStoreDBOptions {
  /** `esdb://...`; TLS and credentials as the client package reads them. */
  connectionString: string;
  upcast?: Upcast;
  /** A call that takes longer fails: long enough for the server, short enough for who waits. Milliseconds. */
  answerWithinMs?: number;
}

/**
 * EventStoreDB (measured against server 23.10) behind the event store port.
 */
export function openEventStoreDB(options: EventStoreDBOptions): EventStore {
  const { connectionString, upcast, answerWithinMs = ANSWER_WITHIN_MS } = options;
  const client = clientFor(connectionString);
  let closed = false;
  const subscriptions = new Set<Subscription>();
  const calls = new Set<Promise<unknown>>();
  const run = async <T>(call: () => Promise<T>): Promise<T> => {
    if (closed) throw new StoreUnavailable('the event store is closed');
    const answer = persist(call, answerWithinMs);
    calls.add(answer);
    return answer.finally(() => calls.delete(answer));
  };

  return {
    async append(stream, events, expected) {
      const { bytes } = encodeAppend(stream, events);
      if (bytes > MAX_APPEND_BYTES) throw new AppendTooLarge(bytes);
      if (events.length === 0) return run(() => appendNothing(client, stream, expected));
      const batch = events.map((event) =>
        jsonEvent({ id: event.id, type: event.type, data: event.data as never, metadata: toMetadata(event) as never }),
      );
      // An append whose answer was lost is sent again unchanged: the server knows the ids and answers the first one.
      return run(async () => {
        try {
          const result = await client.appendToStream(stream, batch, {
            expectedRevision: expected as EsdbExpectedRevision,
          });
          return { revision: result.nextExpectedRevision, position: result.position?.commit ?? 0n };
        } catch (error) {
          const { type, actualVersion } = error as WrongExpectedVersionError;
          if (type !== ErrorType.WRONG_EXPECTED_VERSION) throw error;
          throw new WrongExpectedRevision(stream, expected, actualVersion as bigint | 'no_stream');
        }
      });
    },

    readStream: (stream, options = {}) => run(() => readStream(client, stream, options, upcast)),

    readAll: (options = {}) => readAll(client, options, run, upcast),

    async readLast(limit, filter = {}) {
      const passes = filterOf(filter);
      const found: RecordedEvent[] = [];
      for (let end: bigint | undefined; ; ) {
        const from = end === undefined ? ('end' as const) : place(end);
        const page = await run(() => readPage(client, 'backwards', from, PAGE));
        for (const resolved of page) {
          if (isSystem(resolved)) continue;
          const event = toRecorded(resolved.event as AllStreamRecordedEvent, upcast);
          if (found.length < limit && passes(event)) found.push(event);
        }
        if (page.length < PAGE || found.length >= limit) return found.reverse();
        end = positionOf(page[page.length - 1]);
      }
    },

    async head() {
      let end: bigint | undefined;
      for (;;) {
        const page = await run(() => readPage(client, 'backwards', end === undefined ? 'end' : place(end), HEAD_PAGE));
        const last = page.find((resolved) => !isSystem(resolved));
        if (last) return positionOf(last);
        if (page.length < HEAD_PAGE) return 0n;
        end = positionOf(page[page.length - 1]);
      }
    },

    subscribe(options, handlers) {
      const subscription = subscribe(client, options, handlers, upcast);
      subscriptions.add(subscription);
      return { close: () => subscription.close().finally(() => subscriptions.delete(subscription)) };
    },

    async close() {
      if (closed) return;
      closed = true;
      await Promise.allSettled(calls);
      await Promise.all([...subscriptions].map((subscription) => subscription.close()));
      await release();
    },
  };
}

/** The server accepts an append of no events and creates nothing, whatever was expected. */
async function appendNothing(
  client: EventStoreDBClient,
  stream: string,
  expected: ExpectedRevision,
): Promise<Appended> {
  const [last] = await readStream(client, stream, { direction: 'backwards', limit: 1 }, undefined);
  const actual = last ? last.revision : 'no_stream';
  const holds = expected === 'any' || (expected === 'stream_exists' ? last !== undefined : expected === actual);
  if (!holds) throw new WrongExpectedRevision(stream, expected, actual);
  return { revision: last?.revision ?? -1n, position: last?.position ?? 0n };
}

async function readStream(
  client: EventStoreDBClient,
  stream: string,
  options: ReadStreamOptions,
  upcast: Upcast | undefined,
) {
  const { direction = 'forwards', limit, from = direction === 'forwards' ? 'start' : 'end' } = options;
  if (limit === 0) return [];
  // What decides is read from the leader: a follower may not know the latest revocation yet.
  const reading = client.readStream(stream, {
    direction,
    fromRevision: from as bigint,
    maxCount: limit ?? Number.MAX_SAFE_INTEGER,
    requiresLeader: true,
  });
  const events: RecordedEvent[] = [];
  try {
    // Read to the end: leaving early leaks the call.
    for await (const { event } of untilSilent(reading))
      if (event) events.push(toRecorded(event as AllStreamRecordedEvent, upcast));
  } catch (error) {
    const { type } = error as { type?: string };
    if (type === ErrorType.STREAM_NOT_FOUND || type === ErrorType.STREAM_DELETED) return [];
    throw error;
  }
  return events;
}

/**
 * Reads to the end of what was asked for: a call that is left early leaks, one that is cancelled makes the client open a
 * new connection. So long reads go page by page.
 */
async function readPage(
  client: EventStoreDBClient,
  direction: 'forwards' | 'backwards',
  from: ReadPosition,
  maxCount: number,
) {
  const page: AllStreamResolvedEvent[] = [];
  const reading = client.readAll({ direction, fromPosition: from, maxCount });
  for await (const resolved of untilSilent(reading)) page.push(resolved);
  return page;
}

async function* readAll(
  client: EventStoreDBClient,
  options: ReadAllOptions,
  run: <T>(call: () => Promise<T>) => Promise<T>,
  upcast: Upcast | undefined,
): AsyncGenerator<RecordedEvent> {
  let { after, limit: left = Number.POSITIVE_INFINITY } = options;
  const passes = filterOf(options);
  while (left > 0) {
    // The server's reading is inclusive of its position, the port's is not.
    const from = after;
    const page = await run(() => readPage(client, 'forwards', place(from), PAGE));
    for (const resolved of page) {
      const position = positionOf(resolved);
      if (position === from) continue;
      after = position;
      if (isSystem(resolved)) continue;
      const event = toRecorded(resolved.event as AllStreamRecordedEvent, upcast);
      if (!passes(event)) continue;
      yield event;
      if (--left <= 0) return;
    }
    if (page.length < PAGE) return;
  }
}
