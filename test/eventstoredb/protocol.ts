import { createRequire } from 'node:module';
import { Metadata, type ServerWritableStream, status } from '@grpc/grpc-js';
import { type Place, type StoredEvent, StreamWasDeleted, VersionMismatch } from './log.js';

// The client's own protocol definitions: CommonJS without static export names.
const require = createRequire(import.meta.url);
export const streams =
  require('@eventstore/db-client/generated/streams_pb.js') as typeof import('@eventstore/db-client/generated/streams_pb.js');
export const shared =
  require('@eventstore/db-client/generated/shared_pb.js') as typeof import('@eventstore/db-client/generated/shared_pb.js');
const rpcStatus =
  require('@eventstore/db-client/generated/status_pb.js') as typeof import('@eventstore/db-client/generated/status_pb.js');
export const features =
  require('@eventstore/db-client/generated/serverfeatures_pb.js') as typeof import('@eventstore/db-client/generated/serverfeatures_pb.js');
export const { StreamsService } = require('@eventstore/db-client/generated/streams_grpc_pb.js') as {
  StreamsService: never;
};
export const { ServerFeaturesService } = require('@eventstore/db-client/generated/serverfeatures_grpc_pb.js') as {
  ServerFeaturesService: never;
};
const gossip =
  require('@eventstore/db-client/generated/gossip_pb.js') as typeof import('@eventstore/db-client/generated/gossip_pb.js');
export const { GossipService } = require('@eventstore/db-client/generated/gossip_grpc_pb.js') as {
  GossipService: never;
};
const { Any } =
  require('google-protobuf/google/protobuf/any_pb.js') as typeof import('google-protobuf/google/protobuf/any_pb.js');
export const { Empty } =
  require('google-protobuf/google/protobuf/empty_pb.js') as typeof import('google-protobuf/google/protobuf/empty_pb.js');

export type ReadReq = InstanceType<typeof streams.ReadReq>;
export type ReadResp = InstanceType<typeof streams.ReadResp>;
export type Proposed =
  | InstanceType<typeof streams.BatchAppendReq.ProposedMessage>
  | InstanceType<typeof streams.AppendReq.ProposedMessage>;

export const JSON_TYPE = 'application/json';
export const MAX_APPEND_SIZE = 1024 * 1024;

export class AppendTooLarge extends Error {}
export class NotReady extends Error {
  readonly code = status.UNAVAILABLE;
  constructor() {
    super('Server Is Not Ready');
  }
}

/** The refusal of a user who lacks a right. */
export class AccessDenied extends Error {
  readonly code = status.PERMISSION_DENIED;
  constructor() {
    super('Access Denied');
  }
}

/** A follower's refusal of a call for the leader alone, with the leader's address. */
export class NotLeader extends Error {
  readonly code = status.NOT_FOUND;
  constructor(readonly leader: { port: number }) {
    super('Leader info available');
  }
}
/** A follower passed an append on to a leader that is no more. */
export class ForwardingTimeout extends Error {
  readonly code = status.ABORTED;
  constructor() {
    super('Operation timed out: Forwarding timeout');
  }
}

export const nameOf = (identifier?: { getStreamName_asU8(): Uint8Array }): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString();

export function placeOf(options: NonNullable<ReturnType<ReadReq['getOptions']>>): Place | 'start' | 'end' {
  const all = options.getAll();
  const position = all?.getPosition();
  if (position) return { commit: BigInt(position.getCommitPosition()), prepare: BigInt(position.getPreparePosition()) };
  return all?.hasStart() ? 'start' : 'end';
}

/** The servers as which the double speaks. */
export const SERVERS = ['EventStoreDB 23.10.6', 'KurrentDB 26.0.0'] as const;
export type ServerName = (typeof SERVERS)[number];

export function toResponse(event: StoredEvent, server: ServerName): ReadResp {
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent();
  recorded.setId(new shared.UUID().setString(event.id));
  recorded.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(event.stream)));
  recorded.setStreamRevision(`${event.revision}`);
  recorded.setCommitPosition(`${event.place.commit}`);
  recorded.setPreparePosition(`${event.place.prepare}`);
  recorded.getMetadataMap().set('type', event.type);
  recorded.getMetadataMap().set('content-type', event.json ? JSON_TYPE : 'application/octet-stream');
  recorded.getMetadataMap().set('created', `${BigInt(event.createdAt.getTime()) * 10_000n}`);
  // By KurrentDB's published source, beside the names that were there before.
  if (server.startsWith('KurrentDB')) {
    recorded.getMetadataMap().set('$schema.format', event.json ? 'Json' : 'Bytes');
    recorded.getMetadataMap().set('$schema.name', event.type);
  }
  recorded.setCustomMetadata(event.metadata);
  recorded.setData(event.data);
  const read = new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(`${event.place.commit}`);
  return new streams.ReadResp().setEvent(read);
}

export interface Member {
  port: number;
  state: 'leader' | 'follower' | 'unknown';
  alive: boolean;
}

/** A node's gossip about its cluster. */
export function clusterOf(members: Member[]) {
  const { VNodeState } = gossip.MemberInfo;
  const states = { leader: VNodeState.LEADER, follower: VNodeState.FOLLOWER, unknown: VNodeState.UNKNOWN };
  return new gossip.ClusterInfo().setMembersList(
    members.map(({ port, state, alive }, i) =>
      new gossip.MemberInfo()
        .setInstanceId(new shared.UUID().setString(`00000000-0000-0000-0000-00000000000${i + 1}`))
        .setState(states[state])
        .setIsAlive(alive)
        .setHttpEndPoint(new gossip.EndPoint().setAddress('127.0.0.1').setPort(port)),
    ),
  );
}

export const toCheckpoint = ({ commit, prepare }: Place): ReadResp =>
  new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint().setCommitPosition(`${commit}`).setPreparePosition(`${prepare}`),
  );

export const send = (call: ServerWritableStream<ReadReq, ReadResp>, response: ReadResp) =>
  call.write(response)
    ? undefined
    : new Promise<void>((resolve) => {
        const done = () => {
          call.off('drain', done).off('cancelled', done);
          resolve();
        };
        call.on('drain', done).on('cancelled', done);
      });

/** The refusal of a batch append; `undefined`: by ending the call. */
export function refusalOf(error: unknown, append: { stream: string; expected: bigint | string }) {
  const details = detailsOf(error, append);
  return (
    details && new rpcStatus.Status().setMessage(error instanceof NotReady ? error.message : '').setDetails(details)
  );
}

function detailsOf(error: unknown, { stream, expected }: { stream: string; expected: bigint | string }) {
  const pack = (message: { serializeBinary(): Uint8Array }, name: string) => {
    const any = new Any();
    any.pack(message.serializeBinary(), `event_store.client.${name}`);
    return any;
  };
  if (error instanceof VersionMismatch) {
    const wrong = new shared.WrongExpectedVersion();
    if (error.actual === 'no_stream') wrong.setCurrentNoStream(new Empty());
    else wrong.setCurrentStreamRevision(`${error.actual}`);
    if (expected === 'no_stream') wrong.setExpectedNoStream(new Empty());
    else if (expected === 'stream_exists') wrong.setExpectedStreamExists(new Empty());
    else if (expected === 'any') wrong.setExpectedAny(new Empty());
    else wrong.setExpectedStreamPosition(`${expected}`);
    return pack(wrong, 'WrongExpectedVersion');
  }
  if (error instanceof StreamWasDeleted)
    return pack(
      new shared.StreamDeleted().setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream))),
      'StreamDeleted',
    );
  if (error instanceof AppendTooLarge)
    return pack(new shared.MaximumAppendSizeExceeded().setMaxappendsize(MAX_APPEND_SIZE), 'MaximumAppendSizeExceeded');
  if (error instanceof NotReady) {
    const any = new Any();
    any.pack(new Empty().serializeBinary(), 'google.protobuf.Empty');
    return any;
  }
  return undefined;
}

export function grpcError(error: unknown) {
  const { code = status.INTERNAL, message } = error as { code?: number; message: string };
  const metadata = new Metadata();
  const exception = (name: string, facts: Record<string, string | number>) => {
    metadata.set('exception', name);
    for (const [fact, value] of Object.entries(facts)) metadata.set(fact, String(value));
  };
  if (error instanceof StreamWasDeleted) {
    exception('stream-deleted', { 'stream-name': error.stream });
    return { code: status.FAILED_PRECONDITION, details: message, metadata };
  }
  if (error instanceof AppendTooLarge) {
    exception('maximum-append-size-exceeded', { 'maximum-append-size': MAX_APPEND_SIZE });
    return { code: status.INVALID_ARGUMENT, details: message, metadata };
  }
  if (error instanceof AccessDenied) exception('access-denied', {});
  if (error instanceof NotLeader)
    exception('not-leader', { 'leader-endpoint-host': '127.0.0.1', 'leader-endpoint-port': error.leader.port });
  return { code, details: message, metadata };
}
