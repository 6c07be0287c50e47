import { Server as GrpcServer, type Metadata, ServerCredentials, type sendUnaryData, status } from '@grpc/grpc-js';
import { type Relay, startRelay } from '../relay.js';
import { appending } from './appending.js';
import type { DoubleLog, Expected, Place, ProposedEvent } from './log.js';
import {
  clusterOf,
  features,
  GossipService,
  type Member,
  NotReady,
  ServerFeaturesService,
  StreamsService,
} from './protocol.js';
import { reading } from './reading.js';

/** What goes wrong, from now on; counters run down. */
export interface Faults {
  /** The next appends find their connection reset, before or after they were stored. */
  resetBeforeAppend: number;
  resetAfterAppend: number;
  /** The next appends are never answered, and not stored. */
  ignoreAppends: number;
  /** Appends to streams whose names begin so end with an error, and those to these are answered late (ms). */
  failing: string;
  late: { streams: string; ms: number };
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
  slow: 0,
  status: 0,
  notReady: false,
  longestAnswer: 0,
  dropSlowerThan: 0,
  dropSubscriptions: 0,
  checkpoints: 'reached',
});

/** How a node stands in its cluster. One that is alone leads itself. */
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

/** What the services of a node share. */
export interface Served {
  log: DoubleLog;
  faults: Faults;
  standing: Standing;
  /** Whether a counter had one left. */
  take(name: 'resetBeforeAppend' | 'resetAfterAppend' | 'ignoreAppends' | 'dropSubscriptions'): boolean;
  /** Waits, refuses or goes on, as the faults say. */
  admit(call: { metadata: Metadata }): Promise<void>;
  cut(): void;
  /** Kinds of calls that came, counted. */
  calls: Record<'append' | 'batchAppend', number>;
}

export interface DoubleOptions {
  port?: number;
  /** PEM. */
  tls?: { key: Buffer; cert: Buffer };
  /** `user:password`, without which calls are refused. */
  credentials?: string;
  faults?: Faults;
  standing?: Standing;
}

export interface Double {
  connectionString: string;
  port: number;
  faults: Faults;
  calls: Served['calls'];
  /** The way to it: cut, stopped, closed and opened again. */
  relay: Relay;
  /** Cuts every connection at once. */
  cut(): void;
  close(): Promise<void>;
}

export const requiresLeader = ({ metadata }: { metadata: Metadata }) => metadata.get('requires-leader')[0] === 'true';

/** A gRPC server that answers as EventStoreDB 23.10 was measured to. It is a stand-in for tests, not a database. */
export async function startDouble(log: DoubleLog, options: DoubleOptions = {}): Promise<Double> {
  const { port = 0, tls, credentials, faults = noFaults() } = options;
  const grpc = new GrpcServer({ 'grpc.max_receive_message_length': 32 * 1024 * 1024 });
  const calls = { append: 0, batchAppend: 0 };
  const ready = async () => {
    if (faults.slow > 0) await new Promise((resolve) => setTimeout(resolve, faults.slow));
    if (faults.status > 0) throw Object.assign(new Error('as the fault says'), { code: faults.status });
  };
  const alone: Standing = {
    append: (stream, events, expected) => log.append(stream, events, expected),
    admitRead: () => {},
    members: () => [{ port: relay.port, state: 'leader', alive: true }],
  };
  const served: Served = {
    log,
    faults,
    standing: options.standing ?? alone,
    take: (name) => faults[name] > 0 && faults[name]-- > 0,
    async admit({ metadata }) {
      const given = metadata.get('authorization')[0];
      if (credentials !== undefined && given !== `Basic ${Buffer.from(credentials).toString('base64')}`)
        throw Object.assign(new Error('Access Denied'), { code: status.UNAUTHENTICATED });
      await ready();
      if (faults.notReady) throw new NotReady();
    },
    cut: () => relay.cut(),
    calls,
  };

  grpc.addService(ServerFeaturesService, {
    getSupportedMethods(_: unknown, callback: sendUnaryData<unknown>) {
      ready().then(() => {
        const answer = new features.SupportedMethods().setEventStoreServerVersion('23.10.6');
        for (const name of ['append', 'batchappend', 'delete', 'read', 'tombstone'])
          answer.addMethods(
            new features.SupportedMethod().setMethodName(name).setServiceName('event_store.client.streams.streams'),
          );
        callback(null, answer);
      }, callback);
    },
  });
  grpc.addService(GossipService, {
    read: (_: unknown, callback: sendUnaryData<unknown>) => callback(null, clusterOf(served.standing.members())),
  } as never);
  grpc.addService(StreamsService, { ...appending(served), ...reading(served) } as never);

  const inner = await new Promise<number>((resolve, reject) =>
    grpc.bindAsync(
      '127.0.0.1:0',
      tls
        ? ServerCredentials.createSsl(null, [{ private_key: tls.key, cert_chain: tls.cert }])
        : ServerCredentials.createInsecure(),
      (error, bound) => (error ? reject(error) : resolve(bound)),
    ),
  );
  const relay = await startRelay({ port: inner }, port);
  return {
    connectionString: `esdb://127.0.0.1:${relay.port}?tls=false`,
    port: relay.port,
    faults,
    calls,
    relay,
    cut: () => relay.cut(),
    async close() {
      grpc.forceShutdown();
      await relay.close();
    },
  };
}
