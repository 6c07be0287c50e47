import {
  Server as GrpcServer,
  type Metadata,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { type Relay, startRelay } from '../relay.js';
import { type DoubleLog, type Expected, type StoredEvent, VersionMismatch } from './log.js';

import {
  AppendTooLarge,
  clusterOf,
  Empty,
  features,
  GossipService,
  grpcError,
  JSON_TYPE,
  MAX_APPEND_SIZE,
  NotReady,
  nameOf,
  type Proposed,
  placeOf,
  type ReadReq,
  type ReadResp,
  refusalOf,
  ServerFeaturesService,
  StreamsService,
  send,
  shared,
  streams,
  toCheckpoint,
  toResponse,
} from './protocol.js';

/** What goes wrong, from now on; counters run down. */
export interface Faults {
  /** The next appends find their connection reset, before or after they were stored. */
  resetBeforeAppend: number;
  resetAfterAppend: number;
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

export interface DoubleOptions {
  port?: number;
  /** PEM. */
  tls?: { key: Buffer; cert: Buffer };
  /** `user:password`, without which calls are refused. */
  credentials?: string;
}

/** Events that the server considers for a filtered subscription before it sends a checkpoint. */
const SEARCH_WINDOW = 32;

export interface Double {
  connectionString: string;
  port: number;
  faults: Faults;
  /** Cuts every connection at once. */
  cut(): void;
  close(): Promise<void>;
}

/** A gRPC server that answers as EventStoreDB 23.10 was measured to. It is a stand-in for tests, not a database. */
export async function startDouble(log: DoubleLog, options: DoubleOptions = {}): Promise<Double> {
  const { port = 0, tls, credentials } = options;
  const faults: Faults = {
    resetBeforeAppend: 0,
    resetAfterAppend: 0,
    slow: 0,
    status: 0,
    notReady: false,
    longestAnswer: 0,
    dropSlowerThan: 0,
    dropSubscriptions: 0,
    checkpoints: 'reached',
  };
  const grpc = new GrpcServer({ 'grpc.max_receive_message_length': 32 * 1024 * 1024 });
  /** Clients talk to the gRPC server through it. */
  let relay: Relay;
  const cut = () => relay.cut();
  const take = (name: 'resetBeforeAppend' | 'resetAfterAppend' | 'dropSubscriptions') =>
    faults[name] > 0 && faults[name]-- > 0;

  /** Waits, refuses or goes on, as the faults say. */
  const ready = async () => {
    if (faults.slow > 0) await new Promise((resolve) => setTimeout(resolve, faults.slow));
    if (faults.status > 0) throw Object.assign(new Error('as the fault says'), { code: faults.status });
  };
  const admit = async ({ metadata }: { metadata: Metadata }) => {
    const given = metadata.get('authorization')[0];
    if (credentials !== undefined && given !== `Basic ${Buffer.from(credentials).toString('base64')}`)
      throw Object.assign(new Error('Access Denied'), { code: status.UNAUTHENTICATED });
    await ready();
    if (faults.notReady) throw new NotReady();
  };

  async function store(call: { metadata: Metadata }, stream: string, proposed: Proposed[], expected: Expected) {
    await admit(call);
    if (take('resetBeforeAppend')) {
      cut();
      throw Object.assign(new Error('reset'), { code: status.UNAVAILABLE });
    }
    const events = proposed.map((message) => ({
      id: message.getId()?.getString() ?? '',
      type: message.getMetadataMap().get('type') ?? '',
      json: message.getMetadataMap().get('content-type') === JSON_TYPE,
      data: Buffer.from(message.getData_asU8()),
      metadata: Buffer.from(message.getCustomMetadata_asU8()),
    }));
    const size = events.reduce(
      (sum, event) => sum + event.data.length + event.metadata.length + 2 * event.type.length,
      0,
    );
    if (size > MAX_APPEND_SIZE) throw new AppendTooLarge();
    const appended = await log.append(stream, events, expected);
    if (take('resetAfterAppend')) cut();
    return appended;
  }

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
    read: (_: unknown, callback: sendUnaryData<unknown>) => callback(null, clusterOf(relay.port)),
  } as never);

  grpc.addService(StreamsService, {
    append(
      call: ServerReadableStream<InstanceType<typeof streams.AppendReq>, unknown>,
      callback: sendUnaryData<unknown>,
    ) {
      const messages: Proposed[] = [];
      let stream = '';
      let expected: Expected = 'any';
      call.on('data', (request) => {
        const options = request.getOptions();
        if (options) {
          stream = nameOf(options.getStreamIdentifier());
          expected = options.hasRevision()
            ? BigInt(options.getRevision())
            : options.hasNoStream()
              ? 'no_stream'
              : options.hasStreamExists()
                ? 'stream_exists'
                : 'any';
        } else messages.push(request.getProposedMessage() as Proposed);
      });
      call.on('end', () => {
        store(call, stream, messages, expected).then(
          ({ revision, place }) => {
            const success = new streams.AppendResp.Success();
            if (revision < 0n) success.setNoStream(new shared.Empty());
            else success.setCurrentRevision(`${revision}`);
            success.setPosition(
              new streams.AppendResp.Position()
                .setCommitPosition(`${place.commit}`)
                .setPreparePosition(`${place.prepare}`),
            );
            callback(null, new streams.AppendResp().setSuccess(success));
          },
          (error) => {
            if (!(error instanceof VersionMismatch)) return callback(grpcError(error));
            const wrong = new streams.AppendResp.WrongExpectedVersion();
            if (error.actual === 'no_stream') wrong.setCurrentNoStream(new shared.Empty());
            else wrong.setCurrentRevision(`${error.actual}`);
            callback(null, new streams.AppendResp().setWrongExpectedVersion(wrong));
          },
        );
      });
    },

    batchAppend(call: ServerDuplexStream<InstanceType<typeof streams.BatchAppendReq>, unknown>) {
      const pending = new Map<string, { stream: string; expected: Expected; messages: Proposed[] }>();
      call.on('data', (request) => {
        const id = request.getCorrelationId()?.getString() ?? '';
        const options = request.getOptions();
        if (options)
          pending.set(id, {
            stream: nameOf(options.getStreamIdentifier()),
            expected: options.hasStreamPosition()
              ? BigInt(options.getStreamPosition())
              : options.hasNoStream()
                ? 'no_stream'
                : options.hasStreamExists()
                  ? 'stream_exists'
                  : 'any',
            messages: [],
          });
        const entry = pending.get(id);
        if (!entry) return;
        entry.messages.push(...request.getProposedMessagesList());
        if (!request.getIsFinal()) return;
        pending.delete(id);
        const answer = new streams.BatchAppendResp()
          .setCorrelationId(request.getCorrelationId())
          .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(entry.stream)));
        store(call, entry.stream, entry.messages, entry.expected).then(
          ({ revision, place }) => {
            const success = new streams.BatchAppendResp.Success();
            if (revision < 0n) success.setNoStream(new Empty());
            else success.setCurrentRevision(`${revision}`);
            success.setPosition(
              new shared.AllStreamPosition()
                .setCommitPosition(`${place.commit}`)
                .setPreparePosition(`${place.prepare}`),
            );
            call.write(answer.setSuccess(success));
          },
          (error) => {
            const refusal = refusalOf(error, entry);
            if (refusal) call.write(answer.setError(refusal));
            else call.emit('error', grpcError(error));
          },
        );
      });
      call.on('end', () => call.end());
      call.on('error', () => {});
    },

    read(call: ServerWritableStream<ReadReq, ReadResp>) {
      const options = call.request.getOptions();
      if (!options) {
        call.emit('error', { code: status.INVALID_ARGUMENT });
        return;
      }
      const serving = async () => {
        await admit(call);
        await (options.hasSubscription() ? subscribe(call, options) : read(call, options));
      };
      serving().catch((error) => call.emit('error', grpcError(error)));
    },

    delete: remove((stream, expected) => log.softDelete(stream, expected), streams.DeleteResp),
    tombstone: remove((stream, expected) => log.tombstone(stream, expected), streams.TombstoneResp),
  } as never);

  function remove(act: (stream: string, expected: Expected) => Promise<unknown>, Response: new () => unknown) {
    return (
      call: ServerUnaryCall<InstanceType<typeof streams.DeleteReq>, unknown>,
      callback: sendUnaryData<unknown>,
    ) => {
      const options = call.request.getOptions();
      act(nameOf(options?.getStreamIdentifier()), options?.hasRevision() ? BigInt(options.getRevision()) : 'any').then(
        () => callback(null, new Response()),
        (error) => callback(grpcError(error)),
      );
    };
  }

  type Options = NonNullable<ReturnType<ReadReq['getOptions']>>;

  async function read(call: ServerWritableStream<ReadReq, ReadResp>, options: Options) {
    const backwards = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
    const count = BigInt(options.getCount());
    const of = options.getStream();
    if (of) {
      const stream = nameOf(of.getStreamIdentifier());
      const from = of.hasRevision() ? BigInt(of.getRevision()) : of.hasStart() ? 'start' : 'end';
      const found = await log.readStream(stream, from, backwards, count);
      if (!found) {
        const missing = new streams.ReadResp.StreamNotFound().setStreamIdentifier(of.getStreamIdentifier());
        call.write(new streams.ReadResp().setStreamNotFound(missing));
      } else
        for (const [i, event] of found.entries()) {
          if (faults.longestAnswer > 0 && i >= faults.longestAnswer) cut();
          await send(call, toResponse(event));
        }
    } else {
      let left = count;
      for await (const event of log.readAll(placeOf(options), backwards)) {
        if (left-- <= 0n || call.cancelled) break;
        await send(call, toResponse(event));
      }
    }
    call.end();
  }

  async function subscribe(call: ServerWritableStream<ReadReq, ReadResp>, options: Options) {
    const filter = options.getFilter();
    const expression = filter?.getStreamIdentifier() ?? filter?.getEventType();
    const regex = expression?.getRegex() ? new RegExp(expression.getRegex()) : undefined;
    const prefixes = expression?.getPrefixList() ?? [];
    const passes = (event: StoredEvent) => {
      const subject = filter?.hasStreamIdentifier() ? event.stream : event.type;
      return !filter || regex?.test(subject) || prefixes.some((prefix) => subject.startsWith(prefix));
    };
    const drop = (code: number, details: string) => {
      stop();
      call.emit('error', { code, details });
    };
    const interval = SEARCH_WINDOW * (filter?.getCheckpointintervalmultiplier() ?? 1);
    let considered = 0;
    let unread = 0;
    const stop = log.subscribe(placeOf(options), {
      onEvent(event) {
        if (take('dropSubscriptions')) return drop(status.UNKNOWN, 'Exception was thrown by handler.');
        if (passes(event)) {
          unread++;
          if (call.write(toResponse(event))) unread = 0;
          if (faults.dropSlowerThan > 0 && unread > faults.dropSlowerThan)
            return drop(status.ABORTED, 'Operation timed out: Consumer too slow');
        }
        if (!filter || ++considered < interval || faults.checkpoints === 'none') return;
        considered = 0;
        call.write(toCheckpoint(event.place, faults.checkpoints === 'beyond'));
      },
      onCaughtUp: () => call.write(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp())),
    });
    call.write(
      new streams.ReadResp().setConfirmation(
        new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId('double'),
      ),
    );
    call.on('drain', () => {
      unread = 0;
    });
    call.on('cancelled', stop);
    call.on('close', stop);
  }

  const inner = await new Promise<number>((resolve, reject) =>
    grpc.bindAsync(
      '127.0.0.1:0',
      tls
        ? ServerCredentials.createSsl(null, [{ private_key: tls.key, cert_chain: tls.cert }])
        : ServerCredentials.createInsecure(),
      (error, bound) => (error ? reject(error) : resolve(bound)),
    ),
  );
  relay = await startRelay({ port: inner }, port);
  return {
    connectionString: `esdb://127.0.0.1:${relay.port}?tls=false`,
    port: relay.port,
    faults,
    cut,
    async close() {
      grpc.forceShutdown();
      await relay.close();
    },
  };
}
