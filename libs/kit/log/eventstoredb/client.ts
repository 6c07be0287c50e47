/** Calls of a node, as they must be made: repeated while the server is away, and given up in time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '../port.js';
import { Connection, type Node } from './connection.js';
import { asOurs, isAway, mistakeOf } from './failures.js';
import type { Waiting } from './streams.js';

/** A server that refuses or breaks connections, or has no leader, for so long (ms) is away: a caller learns it then. */
export const AWAY_WITHIN_MS = 1_700;
/** One that says nothing while its connection stands pauses or is busy: a call waits so long (ms), as long as a claim may take. */
export const ANSWER_WITHIN_MS = 30_000;
export const RETRY_AFTER_MS = 60;

/** The time that a call may take; epoch milliseconds, and milliseconds. */
export interface WaitLimits {
  began: number;
  /** For which the server may be away. */
  awayMs: number;
  /** In all. */
  answerMs: number;
}

/** The time when a call is given up, however the server is. */
export const endOf = ({ began, answerMs }: WaitLimits): number => began + answerMs;

/** One call of a node. */
export type Ask<T> = (node: Node, waiting: Waiting) => Promise<T>;

/** One for each connection string, however many stores are open on it. */
const connections = new Map<string, { connection: Connection; stores: number }>();

/** @returns `release` gives it back. */
export function connect(url: string) {
  const held = connections.get(url) ?? { connection: new Connection(url), stores: 0 };
  connections.set(url, held);
  held.stores++;
  const release = () => {
    if (--held.stores > 0) return;
    connections.delete(url);
    held.connection.close();
  };
  return { connection: held.connection, release };
}

/** Runs an idempotent call, again while the server is away or another leader takes over, until its time is over. */
export async function persist<T>(connection: Connection, ask: Ask<T>, waitLimits: WaitLimits): Promise<T> {
  const { awayMs } = waitLimits;
  const end = endOf(waitLimits);
  let failedAt: number | undefined;
  /** An error that tells more than that there was no answer in the end. */
  let mistaken: unknown;
  for (;;) {
    const node = await connection.serving(Math.min(end, (failedAt ?? Date.now()) + awayMs));
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
      failedAt ??= Date.now();
      // One that answers others meanwhile is not away.
      const away = Math.max(failedAt, node.heardAt) + awayMs;
      if (Date.now() + RETRY_AFTER_MS >= Math.min(end, away)) throw asOurs(mistaken ?? error);
      await sleep(RETRY_AFTER_MS);
    }
  }
}

async function within<T>(connection: Connection, node: Node, ask: Ask<T>, waitLimits: WaitLimits): Promise<T> {
  const { began, awayMs } = waitLimits;
  const end = endOf(waitLimits);
  const waiting: Waiting = { heard: () => connection.trust(node) };
  let over = false;
  let timer: NodeJS.Timeout | undefined;
  let left = () => {};
  const given = new Promise<never>((_, reject) => {
    const giveUp = (why: string) => {
      reject(new StoreUnavailable(why));
      waiting.cancel?.();
    };
    const look = () => {
      if (over) return;
      const now = Date.now();
      if (now >= end) return giveUp('EventStoreDB does not answer');
      const silent = now - Math.max(began, node.heardAt);
      // Another node may lead meanwhile.
      if (silent >= awayMs) connection.doubt(node);
      // A process that stood still itself first hears what has come meanwhile.
      timer = setTimeout(setImmediate, Math.min(end - now, silent < awayMs ? awayMs - silent : awayMs), look);
    };
    look();
    left = () => giveUp('another node of EventStoreDB leads now');
    node.onLeft.add(left);
  });
  const answer = ask(node, waiting);
  try {
    return await Promise.race([answer, given]);
  } finally {
    clearTimeout(timer);
    node.onLeft.delete(left);
    over = true;
    answer.catch(() => {});
  }
}
