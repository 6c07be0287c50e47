import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import {
  type Appended,
  type EventFilter,
  type ExpectedRevision,
  LogCorrupt,
  MAX_APPEND_BYTES,
  type NewEvent,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  StoreUnavailable,
  type SubscribeOptions,
  type Subscription,
  type SubscriptionHandlers,
  type Upcast,
  WrongExpectedRevision,
} from '../port.js';
import { type DamagedRow, LogSeals, type SealedReader, type SealedStore } from '../seal.js';
import { type Connection, guarded, lockDirectory, logFile, openLog, openLogReadOnly } from './database.js';
import { beginSeals, checkLog } from './opening.js';
import { LogReader, WINDOW } from './reader.js';
import { requestOf, type Waiting } from './requests.js';
import { eventsIn, type Reading, type Row, readRow } from './row.js';
import { freshSecret, keepSecret, secretsOf } from './seals.js';
import { follow, Growth } from './subscription.js';
import type { WriterAnswer, WriterData, WriterMessage } from './writer-thread.js';

export interface SqliteOptions {
  directory: string;
  upcast?: Upcast;
  /** Of the seals, the newest first; left out: the one that the log keeps beside it, made where there is none. */
  secrets?: readonly string[];
  /** Told of each row that is found to be damaged. */
  onDamaged?(found: DamagedRow): void;
  /** Told of the file of a secret that was made. */
  onSecretMade?(file: string): void;
}

/** Appends of one transaction: bounded, so that a burst is answered in steps. */
const MAX_GROUP = 512;
/** Waiting for a disk that does not keep up; beyond it appends are refused at once. */
const MAX_WAITING_BYTES = 64 * MAX_APPEND_BYTES;
/** Events of a long stream that are read without letting others run. */
const PAGE = 500;
const POLL_MILLISECONDS = 100;
/** Streams whose last revision is remembered. */
const MAX_ENDS = 10_000;

/**
 * Opens the log in `directory` as its one owner.
 * @throws LogInUse, LogCorrupt, LogUnsealed, LogSecretMissing, StoreUnavailable
 */
export async function openSqliteEventStore(options: SqliteOptions): Promise<SealedStore> {
  const { directory, onSecretMade, onDamaged } = options;
  const lock = lockDirectory(directory);
  try {
    const secrets = secretsOf(directory, options.secrets);
    const made = secrets.length === 0 ? freshSecret() : undefined;
    const seals = new LogSeals(made === undefined ? secrets : [made], onDamaged);
    checkLog(directory, lock.created, seals);
    if (made !== undefined) {
      const file = keepSecret(directory, made);
      onSecretMade?.(file);
    }
    if (!lock.created) lock.markCreated();
    return new SqliteEventStore(options, seals, () => lock.release());
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Reads a log that another process may be writing at the same time.
 * @param options with `strict` a reading stops at each damaged row
 * @throws LogUnsealed, LogSecretMissing, StoreUnavailable
 */
export function openSqliteEventReader(
  options: SqliteOptions & { strict?: boolean },
): SealedReader & { log: LogReader } {
  const { directory, upcast, strict, onDamaged } = options;
  const db = openLogReadOnly(directory);
  try {
    const seals = new LogSeals(secretsOf(directory, options.secrets), onDamaged);
    guarded(logFile(directory), () => beginSeals(db, logFile(directory), seals));
    const reader = new SqliteReader(db, logFile(directory), seals, { upcast, strict });
    reader.pollForGrowth();
    return reader;
  } catch (error) {
    db.close();
    throw error;
  }
}

class SqliteReader implements SealedReader {
  readonly log: LogReader;
  readonly reading: Reading;
  readonly growth = new Growth();
  readonly #subscriptions = new Set<Subscription>();
  #poll: NodeJS.Timeout | undefined;

  constructor(
    db: Connection,
    file: string,
    readonly seals: LogSeals,
    how: Pick<Reading, 'upcast' | 'strict'>,
  ) {
    this.reading = { ...how, seals };
    this.log = new LogReader(db, file);
  }

  /** Another process's commits are seen by looking. */
  pollForGrowth(): void {
    const version = this.log.db.prepare('PRAGMA data_version').raw();
    let seen: unknown;
    this.#poll = setInterval(() => {
      const [now] = (version.all() as [number][])[0];
      if (now !== seen) this.growth.notify();
      seen = now;
    }, POLL_MILLISECONDS);
  }

  async readStream(stream: string, options: ReadStreamOptions = {}): Promise<RecordedEvent[]> {
    const { direction = 'forwards', limit = Number.POSITIVE_INFINITY } = options;
    const events: RecordedEvent[] = [];
    for (let from = options.from; events.length < limit; ) {
      const many = Math.min(limit - events.length, PAGE);
      const rows = this.log.stream(stream, direction, from, many);
      for (const row of rows) events.push(readRow(row, this.reading));
      if (rows.length < many) break;
      const last = BigInt(rows[rows.length - 1][2]);
      if (direction === 'backwards' && last <= 0n) break;
      from = direction === 'forwards' ? last + 1n : last - 1n;
      if (events.length >= limit) break;
      await setImmediate();
    }
    return events;
  }

  async *readAll(options: ReadAllOptions = {}): AsyncGenerator<RecordedEvent> {
    const { after = 0n, limit = Number.POSITIVE_INFINITY, ...filter } = options;
    const head = this.log.head();
    const readWindow = this.log.windows(filter);
    let left = limit;
    for (let position = Number(after); position < head && left > 0; ) {
      const { rows, scannedTo } = readWindow(position);
      for (const event of this.#read(rows)) {
        if (event.position > head) return;
        if (left-- <= 0) return;
        yield event;
      }
      position = scannedTo;
      await setImmediate();
    }
  }

  async readLast(limit: number, filter: EventFilter = {}): Promise<RecordedEvent[]> {
    const between = this.log.between(filter);
    const found: RecordedEvent[] = [];
    for (let upTo = this.log.head(); upTo > 0 && found.length < limit; upTo = this.log.lastUpTo(upTo - WINDOW)) {
      found.push(...this.#read(between(upTo - WINDOW, upTo).reverse()));
      await setImmediate();
    }
    return found.slice(0, limit).reverse();
  }

  async head(): Promise<bigint> {
    return BigInt(this.log.head());
  }

  subscribe(options: SubscribeOptions, handlers: SubscriptionHandlers): Subscription {
    const { after = 0n, ...filter } = options;
    const readWindow = this.log.windows(filter);
    const next = (position: number) => {
      const { rows, scannedTo, atEnd } = readWindow(position);
      return { events: this.#read(rows), scannedTo, atEnd };
    };
    const handed = follow(next, this.growth, Number(after), handlers);
    const subscription = {
      close: () => {
        this.#subscriptions.delete(subscription);
        return handed.close();
      },
    };
    this.#subscriptions.add(subscription);
    return subscription;
  }

  #read(rows: Row[]): Generator<RecordedEvent> {
    return eventsIn(rows, this.reading);
  }

  async close(): Promise<void> {
    clearInterval(this.#poll);
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.close()));
    this.log.close();
  }
}

class SqliteEventStore extends SqliteReader implements SealedStore {
  readonly #directory: string;
  readonly #release: () => void;
  #writer: Worker | undefined;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #inFlight: Waiting[] | undefined;
  #scheduled = false;
  #closed = false;
  #drained: (() => void) | undefined;
  /**
   * Revisions beyond which streams hold nothing (-1n: they hold nothing at all), of those that were read to their end lately;
   * kept up with this owner's appends, which are all there are: asking again for news costs no query.
   */
  readonly #ends = new Map<string, bigint>();

  constructor({ directory, upcast }: SqliteOptions, seals: LogSeals, release: () => void) {
    super(openLog(directory), logFile(directory), seals, { upcast });
    this.#directory = directory;
    this.#release = release;
  }

  override async readStream(stream: string, options: ReadStreamOptions = {}): Promise<RecordedEvent[]> {
    const { from = 0n, direction = 'forwards', limit } = options;
    if (direction === 'backwards' || limit !== undefined) return super.readStream(stream, options);
    const end = this.#ends.get(stream);
    if (end !== undefined && from > end) return [];
    const seen = this.growth.count;
    const events = await super.readStream(stream, options);
    // A longer read has let others run, whose appends it may have missed.
    if (this.growth.count === seen) {
      if (this.#ends.size >= MAX_ENDS) this.#ends.clear();
      this.#ends.set(stream, events.length > 0 ? events[events.length - 1].revision : from - 1n);
    }
    return events;
  }

  async append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<Appended> {
    const one = requestOf({ stream, events, expected });
    if (this.#closed) throw new StoreUnavailable('the event log is closed');
    if (this.#waitingBytes + one.bytes > MAX_WAITING_BYTES) {
      throw new StoreUnavailable('the event log does not keep up with the appends');
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...one, resolve, reject });
      this.#waitingBytes += one.bytes;
      this.#schedule();
    });
  }

  /** The appends of a tick go together; while they are being written, the next ones gather. */
  #schedule(): void {
    if (this.#scheduled || this.#inFlight || this.#waiting.length === 0) return;
    this.#scheduled = true;
    globalThis.setImmediate(() => {
      this.#scheduled = false;
      this.#inFlight = this.#waiting.splice(0, MAX_GROUP);
      this.#writer ??= this.#startWriter();
      this.#writer.ref();
      this.#writer.postMessage(this.#inFlight.map(({ request }) => request) satisfies WriterMessage);
    });
  }

  #startWriter(): Worker {
    const writer = new Worker(new URL('./writer-thread.js', import.meta.url), {
      workerData: {
        directory: this.#directory,
        secrets: this.seals.given,
        name: this.seals.log as string,
      } satisfies WriterData,
    });
    writer.on('message', (answer: WriterAnswer) => this.#settle(answer));
    const died = (reason: unknown) => {
      if (this.#writer !== writer) return;
      this.#writer = undefined;
      if (this.#inFlight) this.#settle({ failure: 'unavailable', message: `the log's writer stopped: ${reason}` });
    };
    writer.on('error', died);
    writer.on('exit', died);
    return writer;
  }

  #settle(answer: WriterAnswer): void {
    const group = this.#inFlight ?? [];
    this.#inFlight = undefined;
    this.#writer?.unref();
    // It is unknown which appends of a failed group were stored.
    if ('failure' in answer) this.#ends.clear();
    group.forEach(({ request, expected, bytes, resolve, reject }, i) => {
      this.#waitingBytes -= bytes;
      if ('failure' in answer) {
        const Failure = answer.failure === 'corrupt' ? LogCorrupt : StoreUnavailable;
        reject(new Failure(answer.message));
        return;
      }
      const outcome = answer.outcomes[i];
      if ('actual' in outcome) {
        const actual = outcome.actual < 0 ? 'no_stream' : BigInt(outcome.actual);
        reject(new WrongExpectedRevision(request.stream, expected, actual));
      } else {
        const revision = BigInt(outcome.revision);
        const end = this.#ends.get(request.stream);
        if (end !== undefined && revision > end) this.#ends.set(request.stream, revision);
        resolve({ revision, position: BigInt(outcome.position) });
      }
    });
    if ('outcomes' in answer) this.growth.notify();
    if (this.#waiting.length === 0) this.#drained?.();
    this.#schedule();
  }

  override async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#inFlight || this.#waiting.length > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
    }
    const writer = this.#writer;
    if (writer) {
      writer.ref();
      await new Promise((exited) => {
        writer.once('exit', exited);
        writer.postMessage('close' satisfies WriterMessage);
      });
    }
    this.log.foldWriteAheadLog();
    await super.close();
    this.#release();
  }
}
