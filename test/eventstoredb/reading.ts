/** Reads of a stream and of all, and subscriptions. */
import { type ServerWritableStream, status } from '@grpc/grpc-js';
import { RECORD, type StoredEvent } from './log.js';
import {
  grpcError,
  nameOf,
  placeOf,
  type ReadReq,
  type ReadResp,
  send,
  streams,
  toCheckpoint,
  toResponse,
} from './protocol.js';
import { requiresLeader, type Served } from './served.js';

/** Events that the server considers for a filtered subscription before it sends a checkpoint. */
const SEARCH_WINDOW = 32;

type Options = NonNullable<ReturnType<ReadReq['getOptions']>>;
type Call = ServerWritableStream<ReadReq, ReadResp>;

export function reading({ log, faults, standing, take, admit, admitToAll, gate, cut, calls, given, server }: Served) {
  const readable = () => standing.readable?.();

  async function readOnce(call: Call, options: Options) {
    const backwards = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
    const count = BigInt(options.getCount());
    const of = options.getStream();
    if (of) {
      const stream = nameOf(of.getStreamIdentifier());
      await gate('read', stream);
      const from = of.hasRevision() ? BigInt(of.getRevision()) : of.hasStart() ? 'start' : 'end';
      const found = await log.readStream(stream, from, backwards, count, readable());
      if (!found) {
        const missing = new streams.ReadResp.StreamNotFound().setStreamIdentifier(of.getStreamIdentifier());
        call.write(new streams.ReadResp().setStreamNotFound(missing));
      } else
        for (const [i, event] of found.entries()) {
          if (faults.longestAnswer > 0 && i >= faults.longestAnswer) cut();
          await send(call, toResponse(event, server));
        }
    } else {
      let left = count;
      for await (const event of log.readAll(placeOf(options), backwards, readable())) {
        if (left-- <= 0n || call.cancelled) break;
        await send(call, toResponse(event, server));
      }
    }
    call.end();
  }

  function subscribe(call: Call, options: Options) {
    const filter = options.getFilter();
    const expression = filter?.getStreamIdentifier() ?? filter?.getEventType();
    const regex = expression?.getRegex() ? new RegExp(expression.getRegex()) : undefined;
    const prefixes = expression?.getPrefixList() ?? [];
    const asked = filter?.hasStreamIdentifier() ? prefixes.join(' ') : '';
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
    const stop = log.subscribe(
      placeOf(options),
      {
        onEvent(event, live) {
          if (take('dropSubscriptions')) return drop(status.UNKNOWN, 'Exception was thrown by handler.');
          if (passes(event)) {
            unread++;
            given.set(asked, (given.get(asked) ?? 0) + 1);
            if (call.write(toResponse(event, server))) unread = 0;
            if (faults.dropSlowerThan > 0 && unread > faults.dropSlowerThan)
              return drop(status.ABORTED, 'Operation timed out: Consumer too slow');
          }
          if (!filter || !live || ++considered < interval || faults.checkpoints === 'none') return;
          considered = 0;
          const { commit } = event.place;
          // Later servers send where the next event will stand, which is no event's prepare position.
          const reached = faults.checkpoints === 'beyond' ? { commit: commit + RECORD, prepare: 0n } : event.place;
          call.write(toCheckpoint(reached));
        },
        onPage({ commit }) {
          if (filter && faults.checkpoints !== 'none') call.write(toCheckpoint({ commit, prepare: 0n }));
        },
        onCaughtUp: () => call.write(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp())),
      },
      standing.readable && (() => standing.readable?.() ?? 0n),
    );
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

  return {
    read(call: Call) {
      calls.read++;
      const options = call.request.getOptions();
      if (!options) {
        call.emit('error', { code: status.INVALID_ARGUMENT });
        return;
      }
      const serving = async () => {
        await admit(call);
        if (options.hasAll()) await admitToAll(call);
        standing.admitRead(requiresLeader(call));
        await (options.hasSubscription() ? subscribe(call, options) : readOnce(call, options));
      };
      serving().catch((error) => call.emit('error', grpcError(error)));
    },
  };
}
