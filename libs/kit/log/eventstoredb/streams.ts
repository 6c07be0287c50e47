/** What is asked of one node, and what it answers. Failures have the client package's `type` or a gRPC `code`. */
import type { AllStreamRecordedEvent, ErrorType, Position, ReadPosition, ReadRevision } from '@eventstore/db-client';

/** The client package's names of failures; the package itself, which makes connections of its own, is never loaded. */
export type FailureType = `${ErrorType}`;

/** An append that is under way for so long (ms) is given up by the connection, and sent again. */
export const APPEND_WITHIN_MS = 10_000;

export interface NodeAppend {
  stream: string;
  /** Revision that the stream must end with, -1n where there is none. */
  after: bigint;
  /** `text` is the data as JSON. */
  events: readonly { id: string; type: string; text: string; metadata: object }[];
}

export type NodeRead = {
  direction: 'forwards' | 'backwards';
  maxCount: number;
} & ({ stream: string; fromRevision: ReadRevision } | { fromPosition: ReadPosition });

/** An event as the client package gives it. */
export type NodeEvent = AllStreamRecordedEvent;

/** Who waits for a call. */
export interface Waiting {
  /** To be told whenever something comes. */
  heard(): void;
  /** Set by the call, where it can be broken off: called once it is waited for no longer. */
  cancel?: () => void;
}

export interface NodeAppended {
  /** Of the stream's last row. */
  revision: bigint;
  position: bigint;
}

/** What a subscription takes: streams or types that begin so, or all but the server's own. */
export type Passing = { streams: readonly string[] } | { types: readonly string[] } | 'all';

export type Followed = NodeEvent | 'confirmed' | 'caught up' | { checkpoint: Position };

/** Ends by an error, whatever the reason. */
export interface Following extends AsyncIterable<Followed> {
  cancel(reason: Error): void;
}

/** Of a subscription, before the node is no longer listened to. */
export const BUFFERED = 512;
