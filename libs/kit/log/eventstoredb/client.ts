/** Calls of the client package, as they must be made: repeated while the server is away, and given up in time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStoreDBClient } from '@eventstore/db-client';
import { StoreUnavailable } from '../port.js';
import { Connection, type Node } from './connection.js';
import { asOurs, isAway, mistakeOf } from './failures.js';

/** A server that says nothing to anybody for so long (ms) is away: a caller learns it then; the client alone would hang. */
export const ANSWER_WITHIN_MS = 1_700;
/** One that answers others is busy: a call waits for its turn so long (ms), as long as a claim may take. */
export const TURN_WITHIN_MS = 30_000;
/** An append that is under way for so long (ms) is sent again: the client keeps it no longer. */
export const APPEND_WITHIN_MS = 10_000;
export const RETRY_AFTER_MS = 60;

/** The time that a call may take; epoch milliseconds, and milliseconds. */
export interface WaitLimits {
  began: number;
  /** Time for which the server may say nothing to anybody. */
  silentMs: number;
  /** In all. */
  turnMs: number;
}

/** The time when a call is given up, as long as the server says no more than it has. */
export const endOf = ({ began, silentMs, turnMs }: WaitLimits, heardAt = 0): number =>
  Math.max(began + silentMs, Math.min(heardAt + silentMs, began + turnMs));

/** One call of the client. `over` says that nobody waits for it any more, `heard` is told whenever something comes. */
export type Ask<T> = (client: EventStoreDBClient, over: AbortSignal, heard: () => void) => Promise<T>;

/** One for each connection string, however many stores are open on it. */
const connections = new Map<string, { connection: Connection; stores: number }>();

export function connect(url: string): Connection {
  const held = connections.get(url) ?? { connection: new Connection(url), stores: 0 };
  if (connections.size === 0) process.on('uncaughtException', survive);
  connections.set(url, held);
  held.stores++;
  return held.connection;
}

export async function release(url: string): Promise<void> {
  const held = connections.get(url);
  if (!held || --held.stores > 0) return;
  connections.delete(url);
  await held.connection.close();
  if (connections.size === 0) process.off('uncaughtException', survive);
}

/**
 * The client throws, and rejects promises, where nobody can catch it: its error handling is not awaited, its appends run in
 * an async executor. That must not end the process. A caller that waited for it is answered in time, by a timer of ours.
 */
function survive(error: unknown): void {
  const { stack = '', message } = (error ?? {}) as Partial<Error>;
  if (!stack.includes('@eventstore/db-client')) throw error;
  process.emitWarning(`the EventStoreDB client failed by itself and is replaced: ${message}`);
  for (const { connection } of connections.values()) connection.renew();
}

/** Runs an idempotent call, again while the server is away or another leader takes over, until its time is over. */
export async function persist<T>(connection: Connection, ask: Ask<T>, waitLimits: WaitLimits): Promise<T> {
  /** An error that tells more than that there was no answer in the end. */
  let mistaken: unknown;
  for (;;) {
    const node = await connection.serving(endOf(waitLimits));
    try {
      const answer = await within(connection, node, ask, waitLimits);
      connection.trust(node);
      return answer;
    } catch (error) {
      if (!isAway(error)) {
        connection.trust(node);
        throw asOurs(error);
      }
      connection.doubt(node);
      if (mistakeOf(error) !== undefined) mistaken = error;
      if (Date.now() + RETRY_AFTER_MS >= endOf(waitLimits, node.heardAt)) throw asOurs(mistaken ?? error);
      await sleep(RETRY_AFTER_MS);
    }
  }
}

async function within<T>(connection: Connection, node: Node, ask: Ask<T>, waitLimits: WaitLimits): Promise<T> {
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let left = () => {};
  const given = new Promise<never>((_, reject) => {
    const giveUp = (why: string) => reject(new StoreUnavailable(why));
    const look = () => {
      if (over.signal.aborted) return;
      const more = endOf(waitLimits, node.heardAt) - Date.now();
      if (more <= 0) giveUp('EventStoreDB does not answer');
      // A process that stood still itself first hears what has come meanwhile.
      else timer = setTimeout(setImmediate, more, look);
    };
    look();
    left = () => giveUp('another node of EventStoreDB leads now');
    node.onLeft.add(left);
  });
  const answer = ask(node.client, over.signal, () => connection.trust(node));
  try {
    return await Promise.race([answer, given]);
  } finally {
    clearTimeout(timer);
    node.onLeft.delete(left);
    // A reason spares an exception a call.
    over.abort('over');
    answer.catch(() => {});
  }
}

/** Yields what a read gives; ends it when nobody waits for it any more. */
export async function* untilOver<T>(
  reading: AsyncIterable<T> & NodeJS.EventEmitter & { cancel(): Promise<void>; destroy(error?: Error): unknown },
  over: AbortSignal,
  heard: () => void,
): AsyncGenerator<T> {
  // A call that fails after it was given up still says so.
  reading.on('error', () => {});
  const end = () => {
    void reading.cancel().catch(() => {});
    reading.destroy(new StoreUnavailable('EventStoreDB does not answer'));
  };
  over.addEventListener('abort', end, { once: true });
  try {
    for await (const item of reading) {
      heard();
      yield item;
    }
  } finally {
    over.removeEventListener('abort', end);
  }
}
