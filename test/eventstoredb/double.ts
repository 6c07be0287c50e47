import { setTimeout as sleep } from 'node:timers/promises';
import { Server as GrpcServer, type Metadata, ServerCredentials, type sendUnaryData, status } from '@grpc/grpc-js';
import { type Relay, startRelay } from '../relay.js';
import { appending } from './appending.js';
import type { DoubleLog } from './log.js';
import {
  AccessDenied,
  clusterOf,
  features,
  GossipService,
  NotReady,
  SERVERS,
  ServerFeaturesService,
  type ServerName,
  StreamsService,
} from './protocol.js';
import { reading } from './reading.js';
import { type Faults, noFaults, type Served, type Standing } from './served.js';

/** Secret of the seals, for tests. */
export const LOG_SECRET = 'c2VhbHMgb2YgdGVzdHMsIGFuZCBvZiBub3RoaW5nIGVsc2U';

export interface DoubleOptions {
  /** As which it speaks: 23.10 by default. */
  server?: ServerName;
  port?: number;
  /** PEM. */
  tls?: { key: Buffer; cert: Buffer };
  /** `user:password`, without which calls are refused. */
  credentials?: string;
  /** `user:password` of one more, who alone may read $all, but for whom the ACL of $all names. */
  admin?: string;
  faults?: Faults;
  standing?: Standing;
}

export interface Double {
  connectionString: string;
  port: number;
  faults: Faults;
  calls: Served['calls'];
  given: Served['given'];
  /** Holds an append to a stream, or a read of one, until it settles; set by who wants to see them one by one. */
  gate?: Served['gate'];
  /** The way to it: cut, stopped, closed and opened again. */
  relay: Relay;
  /** Cuts every connection at once. */
  cut(): void;
  close(): Promise<void>;
}

/** `user:password` */
const caller = (metadata: Metadata) =>
  Buffer.from(String(metadata.get('authorization')[0] ?? '').replace('Basic ', ''), 'base64').toString();

/**
 * A gRPC server that answers as EventStoreDB 23.10 was measured to, or as KurrentDB 26 does by its source. It is a stand-in for tests,
 * not a database.
 */
export async function startDouble(log: DoubleLog, options: DoubleOptions = {}): Promise<Double> {
  const { server = SERVERS[0], port = 0, tls, credentials, admin, faults = noFaults() } = options;
  const grpc = new GrpcServer({ 'grpc.max_receive_message_length': 32 * 1024 * 1024 });
  const calls = { append: 0, batchAppend: 0, read: 0 };
  let turn = Promise.resolve();
  const ready = async () => {
    if (faults.inTurn > 0) {
      turn = turn.then(() => sleep(faults.inTurn));
      await turn;
    }
    if (faults.slow > 0) await sleep(faults.slow);
    if (faults.status > 0) throw Object.assign(new Error('as the fault says'), { code: faults.status });
  };
  const alone: Standing = {
    append: (stream, events, expected) => log.append(stream, events, expected),
    admitRead: () => {},
    members: () => [{ port: relay.port, state: 'leader', alive: true }],
  };
  const served: Served = {
    log,
    server,
    faults,
    standing: options.standing ?? alone,
    take: (name) => faults[name] > 0 && faults[name]-- > 0,
    async admit({ metadata }) {
      if (credentials !== undefined && ![credentials, admin].includes(caller(metadata)))
        throw Object.assign(new Error('Access Denied'), { code: status.UNAUTHENTICATED });
      await ready();
      if (faults.notReady) throw new NotReady();
    },
    async admitToAll({ metadata }) {
      if (admin === undefined || caller(metadata) === admin) return;
      const [set] = (await log.readStream('$$$all', 'end', true, 1n)) ?? [];
      const readers: string[] = set ? JSON.parse(set.data.toString()).$acl.$r : [];
      if (!readers.includes(caller(metadata).split(':')[0])) throw new AccessDenied();
    },
    gate: async (call, stream) => double.gate?.(call, stream),
    cut: () => relay.cut(),
    calls,
    given: new Map(),
  };

  grpc.addService(ServerFeaturesService, {
    getSupportedMethods(_: unknown, callback: sendUnaryData<unknown>) {
      ready().then(() => {
        const answer = new features.SupportedMethods().setEventStoreServerVersion(server.split(' ')[1]);
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
  const double: Double = {
    connectionString: `esdb://127.0.0.1:${relay.port}?tls=false`,
    port: relay.port,
    faults,
    calls,
    given: served.given,
    relay,
    cut: () => relay.cut(),
    async close() {
      grpc.forceShutdown();
      await relay.close();
    },
  };
  return double;
}
