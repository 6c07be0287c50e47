import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AllStreamRecordedEvent,
  type AllStreamResolvedEvent,
  ErrorType,
  type ExpectedRevision as EsdbExpectedRevision,
  jsonEvent,
  type ReadPosition,
} from '@eventstore/db-client';
import { encodeAppend } from '../encode.js';
import {
  type Appended,
  AppendTooLarge,
  type EventStore,
  type ExpectedRevision,
  MAX_APPEND_BYTES,
  type NewEvent,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  StoreUnavailable,
  type StreamAppend,
  type Subscription,
  type Upcast,
  WrongExpectedRevision,
} from '../port.js';
import {
  ANSWER_WITHIN_MS,
  APPEND_WITHIN_MS,
  type Ask,
  connect,
  endOf,
  type Patience,
  persist,
  RETRY_AFTER_MS,
  release,
  TURN_WITHIN_MS,
  untilOver,
} from './client.js';
import { filterOf, isSystem, place, positionOf, toMetadata, toRecorded } from './events.js';
import { LastingSubscription } from './subscription.js';

const PAGE = 1_000;
/** The first page of a search for the head, which is mostly the last event; each further one is so much longer. */
const HEAD_PAGE = 16;
const HEAD_GROWTH = 4;

export interface EventStoreDBOptions {
  /** `esdb://...`; TLS and credentials as the client package reads them. */
  connectionString: string;
  upcast?: Upcast;
  /** A server that says nothing to anybody for so long is away: a call fails. Milliseconds. */
  answerWithinMs?: number;
  /** One that answers others is busy: a call waits its turn, at most so long. Milliseconds. */
  turnWithinMs?: number;
}

/**
 * Runs one call of the client, again while the server is away, until its time is over (default: its own, from now).
 * @throws StoreUnavailable, or what the server decided
 */
type Run = <T>(ask: Ask<T>, patience?: Patience) => Promise<T>;

/**
 * EventStoreDB (measured against server 23.10) behind the event store port.
 */
export function openEventStoreDB(options: EventStoreDBOptions): EventStore {
  const { connectionString, upcast, answerWithinMs = ANSWER_WITHIN_MS, turnWithinMs = TURN_WITHIN_MS } = options;
  const connection = connect(connectionString);
  let closed = false;
  const subscriptions = new Set<Subscription>();
  const underWay = new Set<Promise<unknown>>();
  /** Work asked for before the close is finished, however many calls of the server it takes. */
  async function whileOpen<T>(work: () => Promise<T>): Promise<T> {
    if (closed) throw new StoreUnavailable('the event store is closed');
    const answer = work();
    underWay.add(answer);
    return answer.finally(() => underWay.delete(answer));
  }
  const fromNow = (): Patience => ({ began: Date.now(), silentMs: answerWithinMs, turnMs: turnWithinMs });
  const call: Run = (ask, patience = fromNow()) => persist(connection, ask, patience);
  const read: Run = (ask, patience) => whileOpen(() => call(ask, patience));

  async function send({ stream, events, expected }: StreamAppend, patience: Patience): Promise<Appended> {
    const batch = events.map((event) =>
      jsonEvent({ id: event.id, type: event.type, data: event.data as never, metadata: toMetadata(event) as never }),
    );
    // An append whose answer was lost is sent again unchanged: the server knows the ids and answers the first one. A
    // follower would pass it on, and wait 5 s for a leader that is no more.
    const expectedRevision = expected as EsdbExpectedRevision;
    const result = await call(
      (client) =>
        client.appendToStream(stream, batch, { expectedRevision, requiresLeader: true, deadline: APPEND_WITHIN_MS }),
      patience,
    ).catch((error: { type?: string }) => {
      if (error.type === ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED) throw new AppendTooLarge(sizeOf({ stream, events }));
      throw error;
    });
    return { revision: result.nextExpectedRevision, position: result.position?.commit ?? 0n };
  }

  /** All at once; what stands in the way of one is not looked at. */
  async function ahead(appends: readonly StreamAppend[]): Promise<readonly StreamAppend[]> {
    appends.forEach(sizeOf);
    await Promise.all(
      appends
        .filter(({ events }) => events.length > 0)
        .map((one) =>
          send(one, fromNow()).catch((error: { type?: string }) => {
            if (error.type !== ErrorType.WRONG_EXPECTED_VERSION) throw error;
          }),
        ),
    );
    return [];
  }

  async function appendTo(one: StreamAppend, before: readonly StreamAppend[] = []) {
    const { stream, events, expected } = one;
    sizeOf(one);
    await ahead(before);
    if (events.length === 0) return appendNothing(call, stream, expected);
    const patience = fromNow();
    try {
      return await send(one, patience);
    } catch (error) {
      const { type, actualVersion } = error as { type?: string; actualVersion?: bigint | 'no_stream' };
      if (type !== ErrorType.WRONG_EXPECTED_VERSION || actualVersion === undefined) throw error;
      if (actualVersion !== 'no_stream') await untilReadable(call, stream, actualVersion, patience);
      const stored = await storedBefore(call, stream, events, expected, patience);
      if (stored) return stored;
      throw new WrongExpectedRevision(stream, expected, actualVersion);
    }
  }

  return {
    append: (stream, events, expected, before) => whileOpen(() => appendTo({ stream, events, expected }, before)),

    ahead: (appends) => whileOpen(() => ahead(appends)),

    readStream: (stream, options = {}) => readStream(read, stream, options, upcast),

    readAll: (options = {}) => readAll(read, options, upcast),

    async readLast(limit, filter = {}) {
      const wanted = filterOf(filter);
      const found: RecordedEvent[] = [];
      for (let end: ReadPosition = 'end'; ; ) {
        const page = await readPage(read, 'backwards', end, PAGE);
        for (const resolved of page) {
          const event = wanted(resolved);
          if (event && found.length < limit) found.push(toRecorded(event, upcast));
        }
        if (page.length < PAGE || found.length >= limit) return found.reverse();
        end = place(positionOf(page[page.length - 1]));
      }
    },

    head: () => readHead(read),

    subscribe(options, handlers) {
      const subscription = new LastingSubscription(connection, options, handlers, upcast);
      subscriptions.add(subscription);
      return { close: () => subscription.close().finally(() => subscriptions.delete(subscription)) };
    },

    async close() {
      if (closed) return;
      closed = true;
      await Promise.allSettled(underWay);
      await Promise.all([...subscriptions].map((subscription) => subscription.close()));
      await release(connectionString);
    },
  };
}

/** @throws AppendTooLarge */
function sizeOf({ stream, events }: Pick<StreamAppend, 'stream' | 'events'>): number {
  const { bytes } = encodeAppend(stream, events);
  if (bytes > MAX_APPEND_BYTES) throw new AppendTooLarge(bytes);
  return bytes;
}

/** The server accepts an append of no events and creates nothing, whatever was expected. */
async function appendNothing(run: Run, stream: string, expected: ExpectedRevision): Promise<Appended> {
  const [last] = await readStream(run, stream, { direction: 'backwards', limit: 1 }, undefined);
  const actual = last ? last.revision : 'no_stream';
  const holds = expected === 'any' || (expected === 'stream_exists' ? last !== undefined : expected === actual);
  if (!holds) throw new WrongExpectedRevision(stream, expected, actual);
  return { revision: last?.revision ?? -1n, position: last?.position ?? 0n };
}

/**
 * A conflict may be with an event that cannot be read yet, as after an election. The loser of the race is answered once it
 * can, so that the winner's event is there to be found.
 */
async function untilReadable(run: Run, stream: string, revision: bigint, patience: Patience): Promise<void> {
  for (;;) {
    const [last] = await readPages(run, stream, { direction: 'backwards', limit: 1 }, patience);
    if (last && last.revision >= revision) return;
    if (Date.now() + RETRY_AFTER_MS >= endOf(patience))
      throw new StoreUnavailable('EventStoreDB does not show yet what was written to this stream');
    await sleep(RETRY_AFTER_MS);
  }
}

/** Just after an election an append that is sent again is refused because of itself: then it stands where it was to be. */
async function storedBefore(
  run: Run,
  stream: string,
  events: readonly NewEvent[],
  expected: ExpectedRevision,
  patience: Patience,
): Promise<Appended | undefined> {
  if (typeof expected !== 'bigint' && expected !== 'no_stream') return undefined;
  const from = expected === 'no_stream' ? 0n : expected + 1n;
  const found = await readPages(run, stream, { from, limit: events.length }, patience);
  const last = found.at(-1);
  if (!last || found.length < events.length || !found.every(({ id }, i) => id === events[i].id)) return undefined;
  return { revision: last.revision, position: last.position?.commit ?? 0n };
}

async function readStream(run: Run, stream: string, options: ReadStreamOptions, upcast: Upcast | undefined) {
  return (await readPages(run, stream, options)).map((event) => toRecorded(event, upcast));
}

/** @param patience with all pages together; default: each has its own */
async function readPages(run: Run, stream: string, options: ReadStreamOptions, patience?: Patience) {
  const { direction = 'forwards', limit = Number.POSITIVE_INFINITY } = options;
  const events: AllStreamRecordedEvent[] = [];
  for (let from = options.from; events.length < limit; ) {
    const maxCount = Math.min(limit - events.length, PAGE);
    const fromRevision = from ?? (direction === 'forwards' ? 'start' : 'end');
    const page = await run(async (client, over, heard) => {
      const page: AllStreamRecordedEvent[] = [];
      // Reads for decisions go to the leader: a follower may not know the latest revocation yet.
      const reading = client.readStream(stream, { direction, fromRevision, maxCount, requiresLeader: true });
      for await (const { event } of untilOver(reading, over, heard))
        if (event) page.push(event as AllStreamRecordedEvent);
      return page;
    }, patience).catch((error: { type?: string }) => {
      if (error.type === ErrorType.STREAM_NOT_FOUND || error.type === ErrorType.STREAM_DELETED) return [];
      throw error;
    });
    events.push(...page);
    const last = page.at(-1)?.revision;
    if (page.length < maxCount || last === undefined || (direction === 'backwards' && last === 0n)) break;
    from = direction === 'forwards' ? last + 1n : last - 1n;
  }
  return events;
}

/**
 * Reads to the end of what was asked for: a call that is left early leaks, one that is cancelled makes the client open a
 * new connection. So long reads go page by page, each with a time of its own.
 */
function readPage(
  run: Run,
  direction: 'forwards' | 'backwards',
  fromPosition: ReadPosition,
  maxCount: number,
): Promise<AllStreamResolvedEvent[]> {
  return run(async (client, over, heard) => {
    const page: AllStreamResolvedEvent[] = [];
    const reading = client.readAll({ direction, fromPosition, maxCount, requiresLeader: true });
    for await (const resolved of untilOver(reading, over, heard)) page.push(resolved);
    return page;
  });
}

async function readHead(run: Run): Promise<bigint> {
  let end: ReadPosition = 'end';
  // A server writes statistics and the like about itself, by the thousand where nobody else writes.
  for (let size = HEAD_PAGE; ; size = Math.min(size * HEAD_GROWTH, PAGE)) {
    const page = await readPage(run, 'backwards', end, size);
    const last = page.find((resolved) => !isSystem(resolved));
    if (last) return positionOf(last);
    if (page.length < size) return 0n;
    end = place(positionOf(page[page.length - 1]));
  }
}

async function* readAll(run: Run, options: ReadAllOptions, upcast: Upcast | undefined): AsyncGenerator<RecordedEvent> {
  let { after = 0n, limit: left = Number.POSITIVE_INFINITY } = options;
  const wanted = filterOf(options);
  const head = await readHead(run);
  while (left > 0 && after < head) {
    const page = await readPage(run, 'forwards', place(after), PAGE);
    for (const resolved of page) {
      const position = positionOf(resolved);
      if (position > head) return;
      // The server's reading is inclusive of its position, the port's is not.
      const event = position > after ? wanted(resolved) : undefined;
      after = position;
      if (!event) continue;
      yield toRecorded(event, upcast);
      if (--left <= 0) return;
    }
    if (page.length < PAGE) return;
  }
}
