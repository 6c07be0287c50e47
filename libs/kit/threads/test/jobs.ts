// Jobs for pool.spec.ts.
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';
import Database from 'libsql';
import { Transferred } from '../protocol.js';

let calls = 0;

export function sum(values: Float32Array): number {
  return values.reduce((total, value) => total + value, 0);
}

export function doubled(values: Float32Array): Transferred<Float32Array> {
  const result = values.map((value) => 2 * value);
  return new Transferred(result, [result.buffer as ArrayBuffer]);
}

export async function whoami(ms: number): Promise<{ thread: number; calls: number }> {
  await sleep(ms);
  return { thread: threadId, calls: ++calls };
}

/** Waits until as many calls as `all` are under way at once. Throws where they are not within 20 s. */
export function meet(met: Int32Array, all: number): { thread: number } {
  Atomics.add(met, 0, 1);
  Atomics.notify(met, 0);
  for (let here = Atomics.load(met, 0); here < all; here = Atomics.load(met, 0))
    if (Atomics.wait(met, 0, here, 20_000) === 'timed-out') throw new Error(`${here} of ${all} calls at once`);
  return { thread: threadId };
}

const LONG = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1000000) SELECT max(x) FROM c';

/** Asks SQLite again and again until it is told to end. */
export async function askSqlite(report: (asked: string) => void): Promise<never> {
  for (const db = new Database(':memory:'); ; await setImmediate()) {
    db.prepare(LONG).all();
    report('asked');
  }
}

export function refuse(): never {
  throw new RangeError('not like this');
}

export function unclonable(): () => void {
  return () => {};
}

export function crash(how: 'exit' | 'throw later'): Promise<never> {
  if (how === 'exit') process.exit(3);
  setTimeout(() => {
    throw new Error('later');
  }, 1);
  return new Promise(() => {});
}

export function count(upTo: number, report: (value: number) => void): string {
  for (let at = 1; at <= upTo; at++) report(at);
  return 'counted';
}
