/** Appends, reads of streams and subscriptions, as one node serves them: by calls of our own, or by the client package. */
import {
  type AllStreamRecordedEvent,
  type AllStreamResolvedEvent,
  type EventStoreDBClient,
  eventTypeFilter,
  excludeSystemEvents,
  jsonEvent,
  type Position,
  type ReadPosition,
  type ReadRevision,
  streamNameFilter,
} from '@eventstore/db-client';
import { StoreUnavailable } from '../port.js';

/** `batch`: all appends in one call over an HTTP/2 connection of our own; `client`: a call of the client package each. */
export type AppendWay = 'batch' | 'client';

/** An append that is under way for so long (ms) is given up by the connection, and sent again. */
export const APPEND_WITHIN_MS = 10_000;

export interface NodeAppend {
  stream: string;
  /** Revision that the stream must end with, -1n where there is none. */
  after: bigint;
  /** `text` is the data as JSON. */
  events: readonly { id: string; type: string; data: object; text: string; metadata: object }[];
}

export interface NodeRead {
  stream: string;
  direction: 'forwards' | 'backwards';
  fromRevision: ReadRevision;
  maxCount: number;
}

export interface NodeAppended {
  /** Of the stream's last row. */
  revision: bigint;
  position: bigint;
}

/** What a subscription takes: streams or types that begin so, or all but the server's own. */
export type Passing = { streams: readonly string[] } | { types: readonly string[] } | 'all';

export type Followed = AllStreamResolvedEvent | 'confirmed' | 'caught up' | { checkpoint: Position };

/** Ends by an error, whatever the reason. */
export interface Following extends AsyncIterable<Followed> {
  cancel(reason: Error): void;
}

/** Failures have the client package's `type` or a gRPC `code`. */
export interface NodeStreams {
  append(append: NodeAppend): Promise<NodeAppended>;
  /** `over` says that nobody waits for it any more, `heard` is told whenever something comes. */
  read(read: NodeRead, over: AbortSignal, heard: () => void): Promise<AllStreamRecordedEvent[]>;
  /** What is stored after a place, and what will be. */
  follow(from: ReadPosition, passing: Passing): Following;
  close(): void;
}

/** Of a subscription, before the node is no longer listened to. */
export const BUFFERED = 512;

/** By the client package, one call each; the client is closed by whom it belongs to. */
export const clientStreams = (client: EventStoreDBClient): NodeStreams => ({
  async append({ stream, after, events }) {
    const proposed = events.map(({ id, type, data, metadata }) =>
      jsonEvent({ id, type, data: data as never, metadata: metadata as never }),
    );
    const { nextExpectedRevision, position } = await client.appendToStream(stream, proposed, {
      expectedRevision: after < 0n ? ('no_stream' as const) : after,
      requiresLeader: true,
      deadline: APPEND_WITHIN_MS,
    });
    return { revision: nextExpectedRevision, position: position?.commit ?? 0n };
  },
  async read({ stream, ...options }, over, heard) {
    const page: AllStreamRecordedEvent[] = [];
    const reading = client.readStream(stream, { ...options, requiresLeader: true });
    for await (const { event } of untilOver(reading, over, heard))
      if (event) page.push(event as AllStreamRecordedEvent);
    return page;
  },
  follow(fromPosition, passing) {
    const mark = (marker: Followed) => void reading.push(marker);
    const options = {
      checkpointInterval: 1,
      checkpointReached: async (_: unknown, at: Position) => mark({ checkpoint: at }),
    };
    const filter =
      passing === 'all'
        ? excludeSystemEvents(options)
        : 'streams' in passing
          ? streamNameFilter({ ...options, prefixes: [...passing.streams] })
          : eventTypeFilter({ ...options, prefixes: [...passing.types] });
    const reading = client.subscribeToAll({ fromPosition, filter }, { highWaterMark: BUFFERED });
    // A call that fails after it was given up still says so.
    reading.on('error', () => {});
    reading.on('confirmation', () => mark('confirmed')).on('caughtUp', () => mark('caught up'));
    return {
      [Symbol.asyncIterator]: () => (reading as AsyncIterable<Followed>)[Symbol.asyncIterator](),
      cancel(reason) {
        void reading.unsubscribe().catch(() => {});
        reading.destroy(reason);
      },
    };
  },
  close: () => {},
});

/** Yields what a read gives; ends it when nobody waits for it any more. */
export async function* untilOver<T>(
  reading: AsyncIterable<T> & NodeJS.EventEmitter & { cancel(): Promise<void>; destroy(error?: Error): unknown },
  over: AbortSignal,
  heard: () => void,
): AsyncGenerator<T> {
  // A call that fails after it was given up still says so.
  reading.on('error', () => {});
  const end = () => {
    void reading.cancel().catch(() => {});
    reading.destroy(new StoreUnavailable('EventStoreDB does not answer'));
  };
  over.addEventListener('abort', end, { once: true });
  try {
    for await (const item of reading) {
      heard();
      yield item;
    }
  } finally {
    over.removeEventListener('abort', end);
  }
}
