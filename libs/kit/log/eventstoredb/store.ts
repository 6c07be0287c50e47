import type { ReadPosition } from '@eventstore/db-client';
import { type RecordedEvent, StoreUnavailable, type Subscription, type Upcast } from '../port.js';
import { type DamagedRow, LogSeals, type SealedStore } from '../seal.js';
import { Appending } from './appending.js';
import { type Beginning, begin } from './beginning.js';
import { ANSWER_WITHIN_MS, AWAY_WITHIN_MS, connect, persist, type WaitLimits } from './client.js';
import { filterOf, passed, place, positionOf, type Reading } from './events.js';
import { eventsOf, PAGE, type Run, readAll, readEvents, readHead, readPage, readPages } from './reading.js';
import { LastingSubscription } from './subscription.js';

export interface EventStoreDBOptions extends Beginning {
  /** `esdb://...` or `kurrentdb://...`, with TLS and credentials. */
  connectionString: string;
  /** Of the seals, the newest first; none: nothing can be appended, nor read what has a seal. */
  secrets: readonly string[];
  upcast?: Upcast;
  /** Told of each row that is found to be damaged. */
  onDamaged?(found: DamagedRow): void;
  /** A reading stops at each damaged row. */
  strict?: boolean;
  /** A server that refuses calls or has no leader for so long is away: a call fails. Milliseconds. */
  awayWithinMs?: number;
  /** One that is silent pauses or is busy: a call waits for its answer, at most so long. Milliseconds. */
  answerWithinMs?: number;
}

/**
 * EventStoreDB (measured against server 23.10), or its successor KurrentDB, behind the event store port.
 */
export function openEventStoreDB(options: EventStoreDBOptions): SealedStore {
  const { connectionString, upcast, strict } = options;
  const { awayWithinMs: awayMs = AWAY_WITHIN_MS, answerWithinMs: answerMs = ANSWER_WITHIN_MS } = options;
  const { connection, release } = connect(connectionString);
  const seals = new LogSeals(options.secrets, options.onDamaged);
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
  /** How rows are read, once the log has a name: asked at the first use, as the server may be away before. */
  const settled = (): Promise<Reading> => {
    const forget = () => {
      settling = undefined;
    };
    settling ??= begin(call, seals, options, fromNow).then(
      (begun) => {
        if (!begun) forget();
        return { seals: begun ? seals : seals.begin(''), upcast, strict };
      },
      (error) => {
        forget();
        throw error;
      },
    );
    return settling;
  };
  const appending = new Appending(call, settled, fromNow);

  return {
    seals,

    append: (stream, events, expected) => whileOpen(() => appending.append({ stream, events, expected })),

    async readStream(stream, options = {}) {
      const how = await whileOpen(settled);
      const { direction, from, limit } = options;
      if (direction === 'backwards' || limit !== undefined) return readEvents(read, stream, options, how);
      const rows = await readPages(read, stream, options);
      const events = eventsOf(rows, how);
      appending.seen(stream, from ?? 0n, rows.at(-1)?.revision);
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
          const event = found.length < limit && wanted(row) ? passed(row, how) : undefined;
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
