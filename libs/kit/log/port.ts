/**
 * An event log as the rest of the system knows it. The semantics are EventStoreDB's; adapters differ in nothing that
 * `describeEventStore` (test/conformance.ts) can see.
 */

/** The writer's belief about the stream: anything, not there yet, there, or ending at exactly this revision. */
export type ExpectedRevision = 'any' | 'no_stream' | 'stream_exists' | bigint;

export interface Metadata {
  correlationId?: string;
  causationId?: string;
  [key: string]: unknown;
}

export interface NewEvent {
  /** UUID, fresh for each attempt; reused only when that same append is retried. */
  id: string;
  type: string;
  /** Version of `data`'s shape; older ones are upcast when read. */
  version: number;
  data: Record<string, unknown>;
  metadata?: Metadata;
  /** Only where a log is copied: when the event was first recorded. Default: the moment of the append. */
  recordedAt?: Date;
}

export interface RecordedEvent extends NewEvent {
  stream: string;
  /** 0 for a stream's first event, then one more each. */
  revision: bigint;
  /** Place in the whole log: grows, has gaps. */
  position: bigint;
  recordedAt: Date;
  /** Id of the secret that its seal names; none where an operator took it without a seal. */
  sealedBy?: string;
  /** As it is stored, where it was upcasted to a newer version. */
  stored?: { version: number; data: Record<string, unknown> };
}

/** The event as it is stored, in its own version. */
export const original = ({ stored, ...event }: RecordedEvent): RecordedEvent => ({ ...event, ...stored });

/** Type of what takes a place in a stream and is no event. */
export const NO_EVENT = 'NoEvent';
export const isNoEvent = ({ type }: { type: string }): boolean => type === NO_EVENT;

/** An event's type, version and data after lifting, with the stored ones if they differ. */
export function upcasted(stored: VersionedData, upcast?: Upcast): VersionedData & Pick<RecordedEvent, 'stored'> {
  const newest = upcast ? upcast(stored) : stored;
  if (newest === stored) return stored;
  return { ...newest, stored: { version: stored.version, data: stored.data } };
}

export interface Appended {
  /** Revision and position of the last event of the append; of the first such append where this one is a retry. */
  revision: bigint;
  position: bigint;
}

export interface ReadStreamOptions {
  /** Inclusive; default: the first event forwards, the last one backwards. */
  from?: bigint;
  direction?: 'forwards' | 'backwards';
  limit?: number;
}

/** Both filters must hold where both are given; one of a list suffices. */
export interface EventFilter {
  streamPrefixes?: readonly string[];
  types?: readonly string[];
}

export interface ReadAllOptions extends EventFilter {
  /** Exclusive. */
  after?: bigint;
  limit?: number;
}

export interface SubscribeOptions extends EventFilter {
  /** Exclusive; default: from the beginning. */
  after?: bigint;
}

export interface SubscriptionHandlers {
  /** The next event comes when the returned promise has settled; a rejection drops the subscription. */
  onEvent(event: RecordedEvent): void | Promise<void>;
  /** Once, when all that was stored at some moment after the start has been handled. */
  onCaughtUp?(): void;
  /** Nothing that passes the filter stands at or before this position that was not handled. */
  onCheckpoint?(position: bigint): void;
  /** The subscription has ended by itself; no other handler is called any more. */
  onDropped?(error: Error): void;
}

export interface Subscription {
  /** Resolves when no handler runs any more. */
  close(): Promise<void>;
}

/** The reading half, which a second process may have of a live log. */
export interface EventReader {
  /**
   * `[]` where there is no such stream. A row that an operator has disowned comes as `NoEvent`.
   * @throws UnreadableEvent where a row of it is damaged
   */
  readStream(stream: string, options?: ReadStreamOptions): Promise<RecordedEvent[]>;
  /** Up to the log's head as it was at the first step. Damaged and disowned rows are passed over, as by all that follow. */
  readAll(options?: ReadAllOptions): AsyncIterable<RecordedEvent>;
  /** The newest events that pass the filter, oldest of them first. */
  readLast(limit: number, filter?: EventFilter): Promise<RecordedEvent[]>;
  /** Position of the last event, 0n in an empty log. */
  head(): Promise<bigint>;
  subscribe(options: SubscribeOptions, handlers: SubscriptionHandlers): Subscription;
  /** Appends under way are finished, subscriptions closed. */
  close(): Promise<void>;
}

/** The events for one stream. */
export interface StreamAppend {
  stream: string;
  events: readonly NewEvent[];
  expected: ExpectedRevision;
}

export interface EventStore extends EventReader {
  /**
   * All of the events or none, answered when they are on disk. At most `MAX_APPEND_BYTES`. The same ids with the same
   * expectation answer the first append's revision; the payload is not compared. No events: succeeds, writes nothing.
   * A conflict is reported when what stands in the way can be read.
   * @throws WrongExpectedRevision, StoreUnavailable, AppendTooLarge
   */
  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<Appended>;
}

/** Lifts an event's data to the newest version of its type's shape; what it does not know it returns unchanged. */
export type Upcast = (event: VersionedData) => VersionedData;

export interface VersionedData {
  type: string;
  version: number;
  data: Record<string, unknown>;
}

/** EventStoreDB's limit on one append, kept by every adapter so that a log can move between them. */
export const MAX_APPEND_BYTES = 1024 * 1024;

export class WrongExpectedRevision extends Error {
  override readonly name = 'WrongExpectedRevision';
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    readonly actual: bigint | 'no_stream',
  ) {
    super(`stream ${stream}: expected revision ${expected}, actual ${actual}`);
  }
}

/** The log cannot be reached or written now; nothing of the append is known to be stored. Retry with the same ids. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  constructor(
    message: string,
    readonly retryAfterSeconds = 1,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export class AppendTooLarge extends Error {
  override readonly name = 'AppendTooLarge';
  constructor(readonly bytes: number) {
    super(`append of ${bytes} bytes: at most ${MAX_APPEND_BYTES} bytes go into one append`);
  }
}

/** An event that the log's own readers would refuse: a fault of the program that made it. Nothing is stored. */
export class InvalidEvent extends Error {
  override readonly name = 'InvalidEvent';
  constructor(stream: string, type: string, fault: string) {
    super(`the event ${type} for stream ${stream} ${fault}`);
  }
}

/** Another process owns the data directory. */
export class LogInUse extends Error {
  override readonly name = 'LogInUse';
}

/** Rows of the log have seals by secrets that are not here, and none by one that is. */
export class LogSecretMissing extends Error {
  override readonly name = 'LogSecretMissing';
  constructor(ids: readonly string[]) {
    const whose = ids.length > 0 ? `by secret ${ids.join(', ')}` : 'by a secret';
    const lost = ids.length > 0 ? ` --lost-secret ${ids.join(' ')}` : '';
    super(
      `the event log is sealed ${whose}, which is not given: set MVS_LOG_SECRET to it (one that a SQLite log made for itself ` +
        'lies in log.secret beside it; behind a comma it follows the newest); where it is lost, an operator takes the log as ' +
        `it stands with: mvs events seal --operator NAME --reason "..."${lost}`,
    );
  }
}

/** The log was written by a release without today's seals. */
export class LogUnsealed extends Error {
  override readonly name = 'LogUnsealed';
  constructor(log: string) {
    super(
      `${log} was written by a release without today's seals: stop the service and have an operator take it as it stands, ` +
        'once, with: mvs events seal --operator NAME --reason "..."',
    );
  }
}

/** The log lacks events that were acknowledged; the message says which and the ways on. */
export class LogLoss extends Error {
  override readonly name = 'LogLoss';
}

/** The log itself is damaged; the message says the way out. */
export class LogCorrupt extends Error {
  override readonly name = 'LogCorrupt';
}

/** A row of the log is damage, or its event is of no version that this program knows. A reader of its stream stops at it. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly recordedAt: Date;

  constructor(
    stored: Omit<RecordedEvent, 'version' | 'data' | 'metadata'>,
    readonly reason: string,
  ) {
    super(`event ${stored.position} (${stored.type} in stream ${stored.stream}) cannot be read: ${reason}`);
    this.id = stored.id;
    this.type = stored.type;
    this.stream = stored.stream;
    this.revision = stored.revision;
    this.position = stored.position;
    this.recordedAt = stored.recordedAt;
  }
}
