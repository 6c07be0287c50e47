/** Calls of the client package, as they must be made: repeated while the server is away, and given up in time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorType, type EventStoreDBClient } from '@eventstore/db-client';
import { StoreUnavailable } from '../port.js';
import { Connection, type Node } from './connection.js';

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
      if (Date.now() + RETRY_AFTER_MS >= deadline) throw asOurs(error);
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

const STATUS = { invalidArgument: 3, permissionDenied: 7 };

/** Answers that do not change by asking again. */
const DECIDED: ReadonlySet<unknown> = new Set([
  ErrorType.WRONG_EXPECTED_VERSION,
  ErrorType.STREAM_NOT_FOUND,
  ErrorType.STREAM_DELETED,
  ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
  ErrorType.INVALID_ARGUMENT,
  ErrorType.ACCESS_DENIED,
  STATUS.invalidArgument,
  STATUS.permissionDenied,
]);

type Failure = { code?: number; type?: string };

/**
 * Whether the server or the way to it is to blame. Every failure is, but for a decision: a node that starts or is busy, one
 * that does not lead, one that stops (status 2 or 13) and the client itself all say it in words of their own.
 */
export const isAway = (error: unknown): boolean => {
  const { code, type } = error as Failure;
  return !DECIDED.has(type) && !DECIDED.has(code);
};

/** What the client says may name the server's address: it is the cause, not what a caller gets. */
export function asOurs(error: unknown): Error {
  const { code, type } = error as Failure;
  if (type === ErrorType.ACCESS_DENIED || code === STATUS.permissionDenied)
    return new StoreUnavailable('EventStoreDB denies access: its user or password is not right', 1, { cause: error });
  if (!isAway(error) || error instanceof StoreUnavailable) return error as Error;
  return new StoreUnavailable('EventStoreDB is away', 1, { cause: error });
}
