import { ErrorType, EventStoreDBClient } from '@eventstore/db-client';
import { StoreUnavailable } from '../port.js';

/** A caller is told within this time (ms) that the server does not answer; the client's own deadline is not enforced. */
export const ANSWER_WITHIN_MS = 1_700;
const RETRY_AFTER_MS = 60;

/** A server or cluster, and the client that serves it now: to be asked for at every call. */
export interface Connection {
  readonly url: string;
  client: EventStoreDBClient;
}

/**
 * The client package keeps module-global state: disposing one of two clients rejects the other's appends. So a process
 * has one client a server, and none is disposed while another store is open.
 */
const connections = new Map<string, Connection>();
let open = 0;

export function connect(url: string): Connection {
  const connection = connections.get(url) ?? { url, client: EventStoreDBClient.connectionString(url) };
  connections.set(url, connection);
  open++;
  return connection;
}

export async function release(): Promise<void> {
  if (--open > 0) return;
  const idle = [...connections.values()];
  connections.clear();
  for (const { client } of idle) await client.dispose();
}

/** Runs an idempotent call, again while the server is away, and says so in time: the client alone would hang. */
export async function persist<T>(
  connection: Connection,
  call: (client: EventStoreDBClient) => Promise<T>,
  withinMs: number,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const { client } = connection;
    try {
      return await within(call(client), deadline - Date.now());
    } catch (error) {
      if (!isAway(error)) throw asOurs(error);
      if (isStuck(error) && connection.client === client) {
        connection.client = EventStoreDBClient.connectionString(connection.url);
      }
      if (Date.now() + RETRY_AFTER_MS >= deadline) throw asOurs(error);
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

const STATUS = { unavailable: 14, invalidArgument: 3, permissionDenied: 7 };

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
 * Whether the server or the way to it is to blame. Every failure is, but for a decision and a mistake of ours: a node
 * that starts or is busy answers appends with an error that the client does not recognise, a stopping one with status 2
 * or 13, a cluster without a node with a plain error.
 */
export const isAway = (error: unknown): boolean => {
  const { code, type } = error as Failure;
  return !DECIDED.has(type) && !DECIDED.has(code) && !(error instanceof TypeError);
};

/**
 * What the client cannot learn when it first appends (which calls the server has, where a cluster's nodes are) it never
 * asks for again: each later append fails with the same error. Only where the server was unavailable it forgets it.
 */
const isStuck = (error: unknown): boolean => {
  const { code, type } = error as Failure;
  return type === undefined && code !== STATUS.unavailable && !(error instanceof StoreUnavailable);
};

/** What the client says may name the server's address: it is the cause, not what a caller is told. */
export function asOurs(error: unknown): Error {
  const { code, type } = error as Failure;
  if (type === ErrorType.ACCESS_DENIED || code === STATUS.permissionDenied)
    return new StoreUnavailable('EventStoreDB denies access: its user or password is not right', 1, { cause: error });
  if (!isAway(error) || error instanceof StoreUnavailable) return error as Error;
  return new StoreUnavailable('EventStoreDB is away', 1, { cause: error });
}

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
