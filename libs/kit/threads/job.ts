/** A pool's jobs, and its threads. */
import { isAnyArrayBuffer } from 'node:util/types';
import type { Transferable, Worker } from 'node:worker_threads';

export interface Job {
  id: number;
  lane: string;
  payload: unknown;
  transfer: Transferable[];
  large: boolean;
  by: string;
  cost: number;
  thread?: Thread;
  /** Of the pool's states, while a thread has the job. */
  slot: number;
  message?: { left: number };
  settled: boolean;
  timer: NodeJS.Timeout | undefined;
  /** On the clock of `performance.now()`. */
  deadline: number;
  signal?: AbortSignal;
  onAbort?: () => void;
  onProgress?(progress: unknown): void;
  onRead?(): void;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export interface Thread {
  worker: Worker;
  /** Resolves when its module is loaded. */
  started: Promise<void>;
  ready: boolean;
  dead: boolean;
  jobs: Map<number, Job>;
  /** Messages sent and not yet answered in full: two, so that a thread has its next batch at hand when it ends one. */
  messages: number;
  /** Ends it where it gets nothing to do. */
  idle?: NodeJS.Timeout;
}

export function hasLarge({ jobs }: Thread): boolean {
  for (const { large } of jobs.values()) if (large) return true;
  return false;
}

export const endedWith = (code: number) => new Error(`it ended with code ${code}`);

export function read(job: Job): void {
  job.onRead?.();
  job.onRead = undefined;
}

/** Overwrites the data that a job would have passed on. */
export function wipe(transfer: Transferable[]): void {
  for (const item of transfer) if (isAnyArrayBuffer(item)) new Uint8Array(item).fill(0);
}
