/** Messages of a node's services, by the client package's generated ones; bytes go in and come out as they are. */
import { createRequire } from 'node:module';
import type { ReadPosition } from '@eventstore/db-client';
import type { FailureType, Followed, NodeAppend, NodeAppended, NodeEvent, NodeRead, Passing } from './streams.js';

// CommonJS without static export names.
const require = createRequire(import.meta.url);
const { BatchAppendReq, BatchAppendResp, ReadReq, ReadResp } =
  require('@eventstore/db-client/generated/streams_pb.js') as typeof import('@eventstore/db-client/generated/streams_pb.js');
const { Empty, StreamIdentifier, UUID, WrongExpectedVersion } =
  require('@eventstore/db-client/generated/shared_pb.js') as typeof import('@eventstore/db-client/generated/shared_pb.js');
const { MemberInfo, ClusterInfo } =
  require('@eventstore/db-client/generated/gossip_pb.js') as typeof import('@eventstore/db-client/generated/gossip_pb.js');
const { Empty: GoogleEmpty } =
  require('google-protobuf/google/protobuf/empty_pb.js') as typeof import('google-protobuf/google/protobuf/empty_pb.js');

const JSON_TYPE = 'application/json';
/** Times of the server are counted in .NET's ticks of 100 ns. */
const TICKS_PER_MILLISECOND = 10_000n;

const named = (stream: string) => new StreamIdentifier().setStreamName(Buffer.from(stream));

/** All of an append in one message, of which the server takes 16 MiB. Without a deadline: one would be by this machine's clock. */
export function appendRequest(correlationId: string, { stream, after, events }: NodeAppend): Uint8Array {
  const options = new BatchAppendReq.Options().setStreamIdentifier(named(stream));
  if (after < 0n) options.setNoStream(new GoogleEmpty());
  else options.setStreamPosition(`${after}`);
  const proposed = events.map(({ id, type, text, metadata }) => {
    const message = new BatchAppendReq.ProposedMessage().setId(new UUID().setString(id));
    message.getMetadataMap().set('type', type).set('content-type', JSON_TYPE);
    return message.setData(Buffer.from(text)).setCustomMetadata(Buffer.from(JSON.stringify(metadata)));
  });
  return new BatchAppendReq()
    .setCorrelationId(new UUID().setString(correlationId))
    .setOptions(options)
    .setProposedMessagesList(proposed)
    .setIsFinal(true)
    .serializeBinary();
}

/** What the server says to one append: as it was stored, or a failure. */
export function appendAnswer(bytes: Uint8Array): { correlationId: string; answer: NodeAppended | Error } {
  const message = BatchAppendResp.deserializeBinary(bytes);
  const correlationId = message.getCorrelationId()?.getString() ?? '';
  const success = message.getSuccess();
  if (!success) return { correlationId, answer: refusalOf(message.getError()) };
  const revision = success.hasNoStream() ? -1n : BigInt(success.getCurrentRevision());
  return { correlationId, answer: { revision, position: BigInt(success.getPosition()?.getCommitPosition() ?? 0) } };
}

const TYPES: Readonly<Record<string, FailureType>> = {
  WrongExpectedVersion: 'wrong-expected-version',
  StreamDeleted: 'stream-deleted',
  AccessDenied: 'access-denied',
  MaximumAppendSizeExceeded: 'maximum-append-size-exceeded',
  BadRequest: 'invalid-argument',
};

/** By the kind of its details. Any other says that the node cannot serve now, in words of its own. */
function refusalOf(status: ReturnType<InstanceType<typeof BatchAppendResp>['getError']>): Error {
  const details = status?.getDetails();
  const type = TYPES[details?.getTypeUrl().split('.').at(-1) ?? ''];
  const failure = Object.assign(new Error(status?.getMessage()), { type });
  if (type !== 'wrong-expected-version') return failure;
  const wrong = WrongExpectedVersion.deserializeBinary(details!.getValue_asU8());
  const actualVersion = wrong.hasCurrentNoStream() ? 'no_stream' : BigInt(wrong.getCurrentStreamRevision());
  return Object.assign(failure, { actualVersion });
}

export function readRequest(read: NodeRead): Uint8Array {
  const { FORWARDS, BACKWARDS } = ReadReq.Options.ReadDirection;
  const options = asked()
    .setReadDirection(read.direction === 'forwards' ? FORWARDS : BACKWARDS)
    .setCount(`${read.maxCount}`)
    .setNoFilter(new Empty());
  if ('fromPosition' in read) options.setAll(allFrom(read.fromPosition));
  else {
    const of = new ReadReq.Options.StreamOptions().setStreamIdentifier(named(read.stream));
    if (read.fromRevision === 'start') of.setStart(new Empty());
    else if (read.fromRevision === 'end') of.setEnd(new Empty());
    else of.setRevision(`${read.fromRevision}`);
    options.setStream(of);
  }
  return new ReadReq().setOptions(options).serializeBinary();
}

function allFrom(from: ReadPosition) {
  const all = new ReadReq.Options.AllOptions();
  if (from === 'start') return all.setStart(new Empty());
  if (from === 'end') return all.setEnd(new Empty());
  const { commit, prepare } = from;
  return all.setPosition(
    new ReadReq.Options.Position().setCommitPosition(`${commit}`).setPreparePosition(`${prepare}`),
  );
}

export function followRequest(from: ReadPosition, passing: Passing): Uint8Array {
  const filter = new ReadReq.Options.FilterOptions().setCount(new Empty()).setCheckpointintervalmultiplier(1);
  const expression = new ReadReq.Options.FilterOptions.Expression();
  if (passing === 'all') filter.setEventType(expression.setRegex('^[^$].*'));
  else if ('streams' in passing) filter.setStreamIdentifier(expression.setPrefixList([...passing.streams]));
  else filter.setEventType(expression.setPrefixList([...passing.types]));
  const options = asked()
    .setAll(allFrom(from))
    .setSubscription(new ReadReq.Options.SubscriptionOptions())
    .setFilter(filter);
  return new ReadReq().setOptions(options).serializeBinary();
}

const asked = () =>
  new ReadReq.Options().setResolveLinks(false).setUuidOption(new ReadReq.Options.UUIDOption().setString(new Empty()));

/** An event that was read; `undefined`: another message. @throws that there is no such stream */
export function readAnswer(bytes: Uint8Array): NodeEvent | undefined {
  const message = ReadResp.deserializeBinary(bytes);
  if (message.hasStreamNotFound())
    throw Object.assign(new Error('no such stream'), { type: 'stream-not-found' satisfies FailureType });
  return eventIn(message);
}

/** What comes on a subscription; `undefined`: something that was not asked for. */
export function followed(bytes: Uint8Array): Followed | undefined {
  const message = ReadResp.deserializeBinary(bytes);
  if (message.hasConfirmation()) return 'confirmed';
  if (message.hasCaughtUp()) return 'caught up';
  const checkpoint = message.getCheckpoint();
  if (checkpoint) {
    const [commit, prepare] = [checkpoint.getCommitPosition(), checkpoint.getPreparePosition()].map(BigInt);
    return { checkpoint: { commit, prepare } };
  }
  return eventIn(message);
}

function eventIn(message: InstanceType<typeof ReadResp>): NodeEvent | undefined {
  const event = message.getEvent()?.getEvent();
  if (!event) return undefined;
  const facts = event.getMetadataMap();
  const metadata = Buffer.from(event.getCustomMetadata_asU8());
  const data = Buffer.from(event.getData_asU8());
  const isJson = facts.get('content-type') === JSON_TYPE;
  return {
    streamId: Buffer.from(event.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString(),
    id: event.getId()?.getString() ?? '',
    revision: BigInt(event.getStreamRevision()),
    type: facts.get('type') ?? '',
    created: new Date(Number(BigInt(facts.get('created') ?? 0) / TICKS_PER_MILLISECOND)),
    isJson,
    data: isJson ? (parsed(data) ?? data.toString()) : data,
    metadata: parsed(metadata),
    position: { commit: BigInt(event.getCommitPosition()), prepare: BigInt(event.getPreparePosition()) },
  } as NodeEvent;
}

function parsed(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}

export const GOSSIP = { method: 'event_store.client.gossip.Gossip/Read', request: new Empty().serializeBinary() };

/** `host:port` of the node that leads, as one node knows. */
export function leaderIn(bytes: Uint8Array): string | undefined {
  const { LEADER } = MemberInfo.VNodeState;
  const members = ClusterInfo.deserializeBinary(bytes).getMembersList();
  const end = members.find((one) => one.getIsAlive() && one.getState() === LEADER)?.getHttpEndPoint();
  return end && `${end.getAddress()}:${end.getPort()}`;
}
