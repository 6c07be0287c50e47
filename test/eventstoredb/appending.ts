/** Appends, one by one and in batches, and deletes. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import {
  type Metadata,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { type Expected, VersionMismatch } from './log.js';
import {
  AppendTooLarge,
  Empty,
  grpcError,
  JSON_TYPE,
  MAX_APPEND_SIZE,
  nameOf,
  type Proposed,
  refusalOf,
  shared,
  streams,
} from './protocol.js';
import { requiresLeader, type Served } from './served.js';

const never = () => new Promise<never>(() => {});

export function appending({ log, faults, standing, take, admit, gate, cut, calls }: Served) {
  async function store(call: { metadata: Metadata }, stream: string, proposed: Proposed[], expected: Expected) {
    await admit(call);
    await gate('append', stream);
    if (faults.failing !== '' && stream.startsWith(faults.failing))
      throw Object.assign(new Error('as the fault says'), { code: status.UNKNOWN });
    if (take('ignoreAppends')) return never();
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
    if (faults.outOfTurn) await sleep(Math.random() * 4);
    const appended = await standing.append(stream, events, expected, requiresLeader(call));
    if (take('resetAfterAppend')) cut();
    const { late } = faults;
    if (late.ms > 0 && stream.startsWith(late.streams)) await sleep(late.ms);
    return appended;
  }

  function append(
    call: ServerReadableStream<InstanceType<typeof streams.AppendReq>, unknown>,
    callback: sendUnaryData<unknown>,
  ) {
    calls.append++;
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
    call.on('end', async () => {
      // A call that is broken off ends too, before it is known as such. The server appends nothing of it.
      await nextTurn();
      if (call.cancelled) return;
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
  }

  function batchAppend(call: ServerDuplexStream<InstanceType<typeof streams.BatchAppendReq>, unknown>) {
    calls.batchAppend++;
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
            new shared.AllStreamPosition().setCommitPosition(`${place.commit}`).setPreparePosition(`${place.prepare}`),
          );
          for (let times = faults.answerTwice ? 2 : 1; times > 0; times--) call.write(answer.setSuccess(success));
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
  }

  const remove =
    (act: (stream: string, expected: Expected) => Promise<unknown>, Response: new () => unknown) =>
    (call: ServerUnaryCall<InstanceType<typeof streams.DeleteReq>, unknown>, callback: sendUnaryData<unknown>) => {
      const options = call.request.getOptions();
      act(nameOf(options?.getStreamIdentifier()), options?.hasRevision() ? BigInt(options.getRevision()) : 'any').then(
        () => callback(null, new Response()),
        (error) => callback(grpcError(error)),
      );
    };

  return {
    append,
    batchAppend,
    delete: remove((stream, expected) => log.softDelete(stream, expected), streams.DeleteResp),
    tombstone: remove((stream, expected) => log.tombstone(stream, expected), streams.TombstoneResp),
  };
}
