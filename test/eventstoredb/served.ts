/** The state that the services of a node share, and its possible faults. */
import type { Metadata } from '@grpc/grpc-js';
import type { DoubleLog, Expected, Place, ProposedEvent } from './log.js';
import type { Member, ServerName } from './protocol.js';

/** Faults from now on; counters run down. */
export interface Faults {
  /** The next appends find their connection reset, before or after they were stored. */
  resetBeforeAppend: number;
  resetAfterAppend: number;
  /** The next appends are never answered, and not stored. */
  ignoreAppends: number;
  /** Appends to streams whose names begin so end with an error, and those to these are answered late (ms). */
  failing: string;
  late: { streams: string; ms: number };
  /** An append of a batch is answered twice. */
  answerTwice: boolean;
  /** Appends that come together are stored in whatever order, as by a real server. */
  outOfTurn: boolean;
  /** Calls are served one after the other, each for so long (ms): the server is busy. */
  inTurn: number;
  /** Every call waits this long (ms). */
  slow: number;
  /** Every call is answered with this gRPC status; 0: as it should be. */
  status: number;
  /** The log is not to be had yet, as at a node that has just started. */
  notReady: boolean;
  /** The connection is reset under an answer that gives more of a stream's events than this. */
  longestAnswer: number;
  /** Subscribers that have this many events unread are dropped as a real server does. */
  dropSlowerThan: number;
  /** The next events that a subscription would give end it instead, with the status that a stopping server sends. */
  dropSubscriptions: number;
  /** Checkpoints: as 23.10 sends them, none, or the place after the event as later servers do. */
  checkpoints: 'reached' | 'none' | 'beyond';
}

export const noFaults = (): Faults => ({
  resetBeforeAppend: 0,
  resetAfterAppend: 0,
  ignoreAppends: 0,
  failing: '',
  late: { streams: '', ms: 0 },
  answerTwice: false,
  outOfTurn: false,
  inTurn: 0,
  slow: 0,
  status: 0,
  notReady: false,
  longestAnswer: 0,
  dropSlowerThan: 0,
  dropSubscriptions: 0,
  checkpoints: 'reached',
});

/** A node's standing in its cluster. A single node leads itself. */
export interface Standing {
  append(stream: string, events: ProposedEvent[], expected: Expected, requiresLeader: boolean): Promise<Appended>;
  /** @throws NotReady, NotLeader */
  admitRead(requiresLeader: boolean): void;
  /** Number of the last record that may be read here. */
  readable?(): bigint;
  members(): Member[];
}

export interface Appended {
  revision: bigint;
  place: Place;
}

/** The state that the services of a node share. */
export interface Served {
  log: DoubleLog;
  server: ServerName;
  faults: Faults;
  standing: Standing;
  /** True if a counter had one left. */
  take(name: 'resetBeforeAppend' | 'resetAfterAppend' | 'ignoreAppends' | 'dropSubscriptions'): boolean;
  /** Waits, refuses or goes on, as the faults say. */
  admit(call: { metadata: Metadata }): Promise<void>;
  /** Refuses who may not read $all. */
  admitToAll(call: { metadata: Metadata }): Promise<void>;
  /** Before an append to a stream, or a read of one, is served. */
  gate(call: 'append' | 'read', stream: string): Promise<void>;
  cut(): void;
  /** Events that subscriptions were given, counted by the beginnings of streams that they asked for, none being all. */
  given: Map<string, number>;
  /** Kinds of calls that came, counted. */
  calls: Record<'append' | 'batchAppend' | 'read', number>;
}

export const requiresLeader = ({ metadata }: { metadata: Metadata }) => metadata.get('requires-leader')[0] === 'true';
