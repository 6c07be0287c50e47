import type { ReadPosition } from '@eventstore/db-client';
import { isOwnStream, streams } from '#domain/streams';
import type { LogSealed } from '#kit/log/events-sealed';
import { type RecordedEvent, StoreUnavailable, type Subscription, type Upcast } from '../port.js';
import { claimOf, LogSeals, type SealedStore, type Unsealed } from '../seal.js';
import { Appending } from './appending.js';
import { ANSWER_WITHIN_MS, AWAY_WITHIN_MS, connect, persist, type WaitLimits } from './client.js';
import { contentOf, filterOf, isSystem, place, positionOf, type Reading, toRecorded } from './events.js';
import { eventsOf, PAGE, type Run, readAll, readEvents, readHead, readPage, readPages } from './reading.js';
import type { NodeEvent } from './streams.js';
import { LastingSubscription } from './subscription.js';

/** The newest event mostly has a seal that fits. */
const FIRST_PAGE = 16;

export interface EventStoreDBOptions {
  /** `esdb://...` or `kurrentdb://...`, with TLS and credentials. */
  connectionString: string;
  /** Of the seals, the newest first; none: nothing can be appended, nor read what has a seal. */
  secrets: readonly string[];
  upcast?: Upcast;
  /** Told of each of the server's events that is found to be none. */
  onUnsealed?(found: Unsealed): void;
  /** To open it though its secrets are gone. */
  lenient?: boolean;
  /** Those are given too, marked. */
  rows?: boolean;
  /** A server that refuses calls or has no leader for so long is away: a call fails. Milliseconds. */
  awayWithinMs?: number;
  /** One that is silent pauses or is busy: a call waits for its answer, at most so long. Milliseconds. */
  answerWithinMs?: number;
}

/**
 * EventStoreDB (measured against server 23.10), or its successor KurrentDB, behind the event store port.
 */
export function openEventStoreDB(options: EventStoreDBOptions): SealedStore {
  const { connectionString, upcast, rows } = options;
  const { awayWithinMs: awayMs = AWAY_WITHIN_MS, answerWithinMs: answerMs = ANSWER_WITHIN_MS } = options;
  const { connection, release } = connect(connectionString);
  const seals = new LogSeals(options.secrets, { onFound: options.onUnsealed, lenient: options.lenient ?? rows });
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
  const fromNow = (): WaitLimits => ({ began: Date.now(), awayMs, answerMs });
  const call: Run = (ask, waitLimits = fromNow()) => persist(connection, ask, waitLimits);
  const read: Run = (ask, waitLimits) => whileOpen(() => call(ask, waitLimits));

  let settling: Promise<Reading> | undefined;
  /** How rows are read, once it is known where sealing began: asked at the first use, as the server may be away before. */
  const settled = (): Promise<Reading> => {
    settling ??= begin(call, seals).then(
      () => ({ seals, upcast, rows }),
      (error) => {
        settling = undefined;
        throw error;
      },
    );
    return settling;
  };
  const appending = new Appending(call, settled, fromNow);

  return {
    seals,

    append: (stream, events, expected, before) =>
      whileOpen(() => appending.append({ stream, events, expected }, before)),

    appendEarly: (appends) => whileOpen(() => appending.appendEarly(appends)),

    async readStream(stream, options = {}) {
      const how = await whileOpen(settled);
      const { direction, from, limit } = options;
      if (direction === 'backwards' || limit !== undefined) return readEvents(read, stream, options, how);
      const rows = await readPages(read, stream, options);
      const events = eventsOf(rows, how);
      appending.seen(stream, from ?? 0n, rows.at(-1)?.revision, events.length > 0);
      return events;
    },

    readAll: (options = {}) => readAll(read, options, () => whileOpen(settled)),

    async readLast(limit, filter = {}) {
      const wanted = filterOf(filter);
      const how = await whileOpen(settled);
      const found: RecordedEvent[] = [];
      for (let end: ReadPosition = 'end'; ; ) {
        const page = await readPage(read, 'backwards', end, PAGE);
        for (const row of page) {
          const event = found.length < limit && wanted(row) ? toRecorded(row, how) : undefined;
          if (event) found.push(event);
        }
        if (page.length < PAGE || found.length >= limit) return found.reverse();
        end = place(positionOf(page[page.length - 1]));
      }
    },

    head: () => readHead(read),

    subscribe(options, handlers) {
      const subscription = new LastingSubscription(connection, options, handlers, settled);
      subscriptions.add(subscription);
      return { close: () => subscription.close().finally(() => subscriptions.delete(subscription)) };
    },

    async close() {
      if (closed) return;
      closed = true;
      await Promise.allSettled(underWay);
      await Promise.all([...subscriptions].map((subscription) => subscription.close()));
      release();
    },
  };
}

/**
 * Settles what is taken without a seal: by an operator's decision, else by the newest event with a seal that fits.
 * @throws LogSecretMissing, StoreUnavailable
 */
async function begin(run: Run, seals: LogSeals): Promise<void> {
  const beganBy = (event: Parameters<typeof contentOf>[0]) => {
    const { sealable, seal } = contentOf(event);
    return seal === undefined ? undefined : seals.beganBy(seal, sealable);
  };
  const decisions = await readPages(run, streams.log(), {});
  const taken = decisions
    .filter((event) => event.type === 'LogSealed' && beganBy(event) !== undefined)
    .map(({ data }) => data as LogSealed['data']);
  let newest: bigint | undefined;
  let head: bigint | undefined;
  const others = new Map<string, bigint>();
  const look = (event: NodeEvent) => {
    if (isSystem(event) || !isOwnStream(event.streamId)) return;
    head ??= positionOf(event);
    newest ??= beganBy(event);
    const claim = claimOf(contentOf(event).seal);
    if (claim && !others.has(claim.id)) others.set(claim.id, claim.began);
  };
  let end: ReadPosition = 'end';
  for (let size = FIRST_PAGE; taken.length === 0 && newest === undefined; size = PAGE) {
    const page = await readPage(run, 'backwards', end, size);
    page.forEach(look);
    if (page.length < size) break;
    end = place(positionOf(page[page.length - 1]));
  }
  seals.begin({ taken, newest, others, head: head ?? 0n });
}
