/** Calls of the client package, as they must be made: repeated while the server is away, and given up in time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStoreDBClient } from '@eventstore/db-client';
import { StoreUnavailable } from '../port.js';
import { Connection, type Node } from './connection.js';
import { asOurs, isAway, mistakeOf } from './failures.js';

/** A caller learns within this time (ms) that the server does not answer; the client alone would hang. */
export const ANSWER_WITHIN_MS = 1_700;
export const RETRY_AFTER_MS = 60;

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
 * an async executor. That must not end the process. Whoever waited for it is answered in time, by a timer of ours.
 */
function survive(error: unknown): void {
  const { stack = '', message } = (error ?? {}) as Partial<Error>;
  if (!stack.includes('@eventstore/db-client')) throw error;
  process.emitWarning(`the EventStoreDB client failed by itself and is replaced: ${message}`);
  for (const { connection } of connections.values()) connection.renew();
}

/** Runs an idempotent call, again while the server is away or another leader takes over, until the deadline (epoch ms). */
export async function persist<T>(
  connection: Connection,
  call: (client: EventStoreDBClient) => Promise<T>,
  deadline: number,
): Promise<T> {
  /** What tells more than that there was no answer in the end. */
  let mistaken: unknown;
  for (;;) {
    const node = await connection.serving(deadline);
    try {
      const answer = await within(call(node.client), node, deadline);
      connection.trust(node);
      return answer;
    } catch (error) {
      if (!isAway(error)) {
        connection.trust(node);
        throw asOurs(error);
      }
      connection.doubt(node);
      if (mistakeOf(error) !== undefined) mistaken = error;
      if (Date.now() + RETRY_AFTER_MS >= deadline) throw asOurs(mistaken ?? error);
      await sleep(RETRY_AFTER_MS);
    }
  }
}

async function within<T>(answer: Promise<T>, { onLeft }: Node, deadline: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let left = () => {};
  const given = new Promise<never>((_, reject) => {
    const giveUp = (why: string) => reject(new StoreUnavailable(why));
    timer = setTimeout(() => giveUp('EventStoreDB does not answer'), deadline - Date.now());
    left = () => giveUp('another node of EventStoreDB leads now');
    onLeft.add(left);
  });
  try {
    return await Promise.race([answer, given]);
  } finally {
    clearTimeout(timer);
    onLeft.delete(left);
    answer.catch(() => {});
  }
}

/** Yields what a read gives; fails, and cancels it, when nothing comes in time. */
export async function* untilSilent<T>(
  reading: AsyncIterable<T> & NodeJS.EventEmitter & { cancel(): Promise<void>; destroy(error?: Error): unknown },
): AsyncGenerator<T> {
  // What fails after it was given up still says so.
  reading.on('error', () => {});
  const silent = () => {
    void reading.cancel().catch(() => {});
    reading.destroy(new StoreUnavailable('EventStoreDB does not answer'));
  };
  let timer = setTimeout(silent, ANSWER_WITHIN_MS);
  try {
    for await (const item of reading) {
      clearTimeout(timer);
      yield item;
      timer = setTimeout(silent, ANSWER_WITHIN_MS);
    }
  } finally {
    clearTimeout(timer);
  }
}
