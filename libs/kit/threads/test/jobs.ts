// Jobs for pool.spec.ts.
import { setTimeout as sleep } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';
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
