import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { encodeAppend } from '../encode.js';
import {
  type Appended,
  AppendTooLarge,
  type EventFilter,
  type EventReader,
  type EventStore,
  type ExpectedRevision,
  LogCorrupt,
  MAX_APPEND_BYTES,
  type NewEvent,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  StoreUnavailable,
  type StreamAppend,
  type SubscribeOptions,
  type Subscription,
  type SubscriptionHandlers,
  type Upcast,
  WrongExpectedRevision,
} from '../port.js';
import { checkLog, lockDirectory, logFile, openLog, openLogReadOnly } from './database.js';
import { LogReader, WINDOW } from './reader.js';
import { passes, RecentEvents, throughJson } from './recent.js';
import { liftedEvent, type Row, readRow } from './row.js';
import { follow, Growth } from './subscription.js';
import type { AppendRequest } from './writer.js';
import type { WriterAnswer, WriterMessage } from './writer-thread.js';

export interface SqliteOptions {
  directory: string;
  upcast?: Upcast;
  /** Stream whose events name, as `position`, those that need not be readable: an operator answers for them. */
  letPass?: string;
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
 * @throws LogInUse, LogCorrupt, StoreUnavailable
 */
export async function openSqliteEventStore(options: SqliteOptions): Promise<EventStore> {
  const lock = lockDirectory(options.directory);
  try {
    checkLog(options.directory, lock.created, options.letPass);
    if (!lock.created) lock.markCreated();
    return new SqliteEventStore(options, () => lock.release());
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Reads a log that another process may be writing at the same time. */
export function openSqliteEventReader({ directory, upcast }: SqliteOptions): EventReader {
  const reader = new SqliteReader(new LogReader(openLogReadOnly(directory), logFile(directory)), upcast);
  reader.pollForGrowth();
  return reader;
}

class SqliteReader implements EventReader {
  readonly growth = new Growth();
  /** The latest events of the log's owner, whose appends are all there are. */
  readonly recent = new RecentEvents();
  readonly #subscriptions = new Set<Subscription>();
  #poll: NodeJS.Timeout | undefined;

  constructor(
    readonly log: LogReader,
    readonly upcast?: Upcast,
  ) {}

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
      const rows = this.log.stream(stream, direction, from, Math.min(limit - events.length, PAGE));
      for (const row of rows) events.push(readRow(row, this.upcast));
      if (rows.length < PAGE) break;
      const last = events[events.length - 1].revision;
      if (direction === 'backwards' && last === 0n) break;
      from = direction === 'forwards' ? last + 1n : last - 1n;
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
      for (const row of rows) {
        if (row[0] > head || left-- <= 0) return;
        yield readRow(row, this.upcast);
      }
      position = scannedTo;
      await setImmediate();
    }
  }

  async readLast(limit: number, filter: EventFilter = {}): Promise<RecordedEvent[]> {
    const between = this.log.between(filter);
    const rows: Row[] = [];
    for (let upTo = this.log.head(); upTo > 0 && rows.length < limit; upTo -= WINDOW) {
      rows.push(...between(upTo - WINDOW, upTo).reverse());
      await setImmediate();
    }
    return rows
      .slice(0, limit)
      .reverse()
      .map((row) => readRow(row, this.upcast));
  }

  async head(): Promise<bigint> {
    return BigInt(this.log.head());
  }

  subscribe(options: SubscribeOptions, handlers: SubscriptionHandlers): Subscription {
    const { after = 0n, ...filter } = options;
    const readWindow = this.log.windows(filter);
    const follower = { position: Number(after) };
    const next = () => {
      const kept = this.recent.after(follower, WINDOW);
      const { scannedTo, atEnd, ...found } = kept ?? readWindow(follower.position);
      return { events: 'rows' in found ? this.#read(found.rows) : this.#lift(found.events, filter), scannedTo, atEnd };
    };
    this.recent.follow(follower);
    const handed = follow(next, this.growth, follower, {
      ...handlers,
      onDropped: (error) => {
        this.recent.leave(follower);
        handlers.onDropped?.(error);
      },
    });
    const subscription = {
      close: () => {
        this.#subscriptions.delete(subscription);
        this.recent.leave(follower);
        return handed.close();
      },
    };
    this.#subscriptions.add(subscription);
    return subscription;
  }

  *#read(rows: Row[]): Generator<RecordedEvent> {
    for (const row of rows) yield readRow(row, this.upcast);
  }

  *#lift(events: RecordedEvent[], filter: EventFilter): Generator<RecordedEvent> {
    for (const event of events) if (passes(filter, event)) yield liftedEvent(event, this.upcast);
  }

  async close(): Promise<void> {
    clearInterval(this.#poll);
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.close()));
    this.log.close();
  }
}

interface Waiting {
  request: AppendRequest;
  /** The next one is stored only with it. */
  first?: boolean;
  expected: ExpectedRevision;
  bytes: number;
  /** The events as a reader will get them, where subscriptions wait for them. */
  copies?: Copy[];
  resolve(appended: Appended): void;
  reject(error: Error): void;
}

type Copy = Pick<NewEvent, 'data' | 'metadata'>;

/** @throws TypeError, RangeError, AppendTooLarge */
function requestOf({ stream, events, expected }: StreamAppend): Pick<Waiting, 'request' | 'expected' | 'bytes'> {
  const { bytes, encoded } = encodeAppend(stream, events);
  if (bytes > MAX_APPEND_BYTES) throw new AppendTooLarge(bytes);
  if (typeof expected === 'bigint' && expected < 0n) throw new RangeError(`expected revision ${expected}`);
  const internal = expected === 'no_stream' ? -1 : typeof expected === 'bigint' ? Number(expected) : expected;
  return { request: { stream, expected: internal, events: encoded }, expected, bytes };
}

/**
 * The events of an append as they were stored; the outcome gives the last one's place.
 * @param at time of the append, in Unix milliseconds
 */
const recorded = (
  { stream, events }: AppendRequest,
  copies: Copy[],
  { revision, position }: { revision: number; position: number },
  at: number,
): RecordedEvent[] =>
  events.map(({ id, type, version, recordedAt = at }, i) => ({
    ...{ id, type, version, stream, ...copies[i] },
    revision: BigInt(revision - events.length + 1 + i),
    position: BigInt(position - events.length + 1 + i),
    recordedAt: new Date(recordedAt),
  }));

const copyOf = ({ data, metadata }: NewEvent): Copy => throughJson({ data, metadata });

class SqliteEventStore extends SqliteReader implements EventStore {
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
   * kept up with this owner's appends, which are all there are: asking again for news costs no look into the database.
   */
  readonly #ends = new Map<string, bigint>();

  constructor({ directory, upcast }: SqliteOptions, release: () => void) {
    super(new LogReader(openLog(directory), logFile(directory)), upcast);
    this.#directory = directory;
    this.#release = release;
  }

  override async readStream(stream: string, options: ReadStreamOptions = {}): Promise<RecordedEvent[]> {
    const { from = 0n, direction = 'forwards', limit } = options;
    if (direction === 'backwards' || limit !== undefined) return super.readStream(stream, options);
    const end = this.#ends.get(stream);
    if (end !== undefined && from > end) return [];
    const events = await super.readStream(stream, options);
    // A longer read has let others run, whose appends it may have missed.
    if (events.length < PAGE) {
      if (this.#ends.size >= MAX_ENDS) this.#ends.clear();
      this.#ends.set(stream, events.length > 0 ? events[events.length - 1].revision : from - 1n);
    }
    return events;
  }

  async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
    before: readonly StreamAppend[] = [],
  ): Promise<Appended> {
    const all = [...before, { stream, events, expected }].map((one) => ({
      ...requestOf(one),
      ...(this.recent.wanted && { copies: one.events.map(copyOf) }),
    }));
    const bytes = all.reduce((sum, one) => sum + one.bytes, 0);
    if (this.#closed) throw new StoreUnavailable('the event log is closed');
    if (this.#waitingBytes + bytes > MAX_WAITING_BYTES) {
      throw new StoreUnavailable('the event log does not keep up with the appends');
    }
    return new Promise((resolve, reject) => {
      // A conflict of those before stops nothing, and what else becomes of them becomes of the last one too.
      const ignored = () => {};
      for (const one of all.slice(0, -1))
        this.#waiting.push({ ...one, first: true, resolve: ignored, reject: ignored });
      this.#waiting.push({ ...all[all.length - 1], resolve, reject });
      this.#waitingBytes += bytes;
      this.#schedule();
    });
  }

  /** They go with the append that is still to come, in its transaction. */
  async ahead(appends: readonly StreamAppend[]): Promise<readonly StreamAppend[]> {
    return appends;
  }

  /** The appends of a tick go together; while they are being written, the next ones gather. */
  #schedule(): void {
    if (this.#scheduled || this.#inFlight || this.#waiting.length === 0) return;
    this.#scheduled = true;
    globalThis.setImmediate(() => {
      this.#scheduled = false;
      let end = Math.min(MAX_GROUP, this.#waiting.length);
      while (this.#waiting[end - 1].first) end++;
      this.#inFlight = this.#waiting.splice(0, end);
      this.#writer ??= this.#startWriter();
      this.#writer.ref();
      this.#writer.postMessage(this.#inFlight.map(({ request }) => request) satisfies WriterMessage);
    });
  }

  #startWriter(): Worker {
    const writer = new Worker(new URL('./writer-thread.js', import.meta.url), { workerData: this.#directory });
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
    if ('failure' in answer) {
      this.#ends.clear();
      this.recent.clear();
    }
    group.forEach(({ request, expected, bytes, copies, resolve, reject }, i) => {
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
        if (copies && !outcome.again) this.recent.add(recorded(request, copies, outcome, answer.at), bytes);
        else this.recent.clear();
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
