/** All appends of a process to a node in one BatchAppend call; its reads and subscriptions beside it, over one connection. */
import { randomUUID } from 'node:crypto';
import type { ReadPosition } from '@eventstore/db-client';
import type { Call, Channel } from './channel.js';
import { appendAnswer, appendRequest, followed, followRequest, readAnswer, readRequest } from './messages.js';
import {
  APPEND_WITHIN_MS,
  BUFFERED,
  type Followed,
  type Following,
  type NodeAppend,
  type NodeAppended,
  type NodeEvent,
  type NodeRead,
  type Passing,
  type Waiting,
} from './streams.js';

const STREAMS = 'event_store.client.streams.Streams';

interface Pending {
  resolve(appended: NodeAppended): void;
  reject(failure: Error): void;
  /** When it is given up, in epoch milliseconds. */
  until: number;
}

/** One call, with the appends that it owes an answer to, the oldest first. */
interface Batch {
  call: Call;
  pending: Map<string, Pending>;
  /** Of this turn of the event loop. */
  unwritten: Uint8Array[];
  /** Until the oldest is given up, and whichever are the oldest then. */
  timer?: NodeJS.Timeout;
}

export class NodeStreams {
  private batch: Batch | undefined;

  constructor(
    private readonly channel: Channel,
    private readonly withinMs = APPEND_WITHIN_MS,
  ) {}

  async append(append: NodeAppend): Promise<NodeAppended> {
    this.batch ??= this.open();
    const batch = this.batch;
    const id = randomUUID();
    if (batch.unwritten.push(appendRequest(id, append)) === 1)
      setImmediate(() => batch.call.write(batch.unwritten.splice(0)));
    batch.timer ??= this.giveUpLater(batch, this.withinMs);
    return new Promise((resolve, reject) => {
      batch.pending.set(id, { resolve, reject, until: Date.now() + this.withinMs });
    });
  }

  async read(read: NodeRead, waiting: Waiting): Promise<NodeEvent[]> {
    return new Promise((resolve, reject) => {
      const page: NodeEvent[] = [];
      const call = this.channel.call(`${STREAMS}/Read`, {
        onMessage(message) {
          waiting.heard();
          try {
            const event = readAnswer(message);
            if (event) page.push(event);
          } catch (error) {
            reject(error);
          }
        },
        onOver(failure) {
          if (failure) reject(failure);
          else resolve(page);
        },
      });
      call.write([readRequest(read)]);
      call.end();
      waiting.cancel = () => call.cancel();
    });
  }

  /** What is stored after a place, and what will be. */
  follow(from: ReadPosition, passing: Passing): Following {
    let gathered: Followed[] = [];
    let over: Error | undefined;
    let wake = () => {};
    const end = (reason: Error) => {
      over ??= reason;
      wake();
    };
    const call = this.channel.call(`${STREAMS}/Read`, {
      onMessage(message) {
        const item = followed(message);
        if (item === undefined) return;
        if (gathered.push(item) === BUFFERED) call.pause();
        wake();
      },
      onOver: (failure = new Error('the node ended the subscription')) => end(failure),
    });
    call.write([followRequest(from, passing)]);
    call.end();
    return {
      async *[Symbol.asyncIterator]() {
        for (;;) {
          const taken = gathered;
          gathered = [];
          if (taken.length >= BUFFERED) call.resume();
          yield* taken;
          if (gathered.length > 0) continue;
          if (over) throw over;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      },
      cancel(reason) {
        end(reason);
        call.cancel();
      },
    };
  }

  close(): void {
    this.channel.close();
  }

  private open(): Batch {
    const pending: Batch['pending'] = new Map();
    const take = (id: string) => {
      const one = pending.get(id);
      pending.delete(id);
      return one;
    };
    const call = this.channel.call(`${STREAMS}/BatchAppend`, {
      onMessage(message) {
        const { correlationId, answer } = appendAnswer(message);
        // The answer to one that was given up, or answered before, is dropped.
        const one = take(correlationId);
        if (answer instanceof Error) one?.reject(answer);
        else one?.resolve(answer);
      },
      onOver: (failure = new Error('the node ended the call')) => {
        if (this.batch === batch) this.batch = undefined;
        for (const id of [...pending.keys()]) take(id)?.reject(failure);
      },
    });
    const batch: Batch = { call, pending, unwritten: [] };
    return batch;
  }

  /** A call that leaves an append unanswered takes no further ones; it ends when none of its appends is waited for. */
  private giveUpLater(batch: Batch, inMs: number): NodeJS.Timeout {
    const look = () => {
      batch.timer = undefined;
      const now = Date.now();
      for (const [id, { reject, until }] of batch.pending) {
        if (until > now) {
          batch.timer = this.giveUpLater(batch, until - now);
          return;
        }
        batch.pending.delete(id);
        if (this.batch === batch) this.batch = undefined;
        reject(new Error('the node left an append unanswered'));
      }
      if (this.batch !== batch) batch.call.cancel();
    };
    // A process that stood still itself first hears what has come meanwhile.
    return setTimeout(setImmediate, inMs, look).unref();
  }
}
