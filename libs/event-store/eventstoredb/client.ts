import { ErrorType, EventStoreDBClient } from '@eventstore/db-client';
import { StoreUnavailable } from '../port.js';

/** A caller is told within this time (ms) that the server does not answer; the client's own deadline is not enforced. */
export const ANSWER_WITHIN_MS = 1_700;
const RETRY_AFTER_MS = 60;

/**
 * The client package keeps module-global state: disposing one of two clients rejects the other's appends. So a process
 * has one client a server, and none is disposed while another store is open.
 */
const clients = new Map<string, EventStoreDBClient>();
let open = 0;

export function clientFor(connectionString: string): EventStoreDBClient {
  const client = clients.get(connectionString) ?? EventStoreDBClient.connectionString(connectionString);
  clients.set(connectionString, client);
  open++;
  return client;
}

export async function release(): Promise<void> {
  if (--open > 0) return;
  const idle = [...clients.values()];
  clients.clear();
  for (const client of idle) await client.dispose();
}

/** Runs an idempotent call, again while the server is away, and says so in time: the client alone would hang. */
export async function persist<T>(call: () => Promise<T>, withinMs: number): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return await within(call(), deadline - Date.now());
    } catch (error) {
      if (!isAway(error)) throw error;
      if (Date.now() + RETRY_AFTER_MS >= deadline) throw unavailable(error);
      await sleep(RETRY_AFTER_MS);
    }
  }
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StoreUnavailable('EventStoreDB does not answer')), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
    promise.catch(() => {});
  }
}

/** Yields what a read gives; fails, and cancels it, when nothing comes in time. */
export async function* untilSilent<T>(
  reading: AsyncIterable<T> & { cancel(): Promise<void>; destroy(error?: Error): unknown },
): AsyncGenerator<T> {
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

/** grpc status 14 (unavailable) comes with the client's error type at first, later as a plain error with a code. */
const isAway = (error: unknown): boolean => {
  const { code, type } = error as { code?: number; type?: string };
  return (
    error instanceof StoreUnavailable ||
    code === 14 ||
    code === 4 ||
    type === ErrorType.UNAVAILABLE ||
    type === ErrorType.CANCELLED ||
    type === ErrorType.NOT_LEADER ||
    type === ErrorType.TIMEOUT ||
    type === ErrorType.DEADLINE_EXCEEDED
  );
};

/** What the client says names the server's address: it is the cause, not what a caller is told. */
const unavailable = (error: unknown): unknown =>
  isAway(error) && !(error instanceof StoreUnavailable)
    ? new StoreUnavailable('EventStoreDB is away', 1, { cause: error })
    : error;

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
