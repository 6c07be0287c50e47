/** The parts of a pool, and the wishes of a job. */
import type { Transferable } from 'node:worker_threads';
import type { WaitLimits } from '#kit/admission/wait-queue';

export interface LaneOptions {
  /** Most jobs in one message. */
  batch: number;
  /** Lanes of lower rank go first. */
  rank: number;
  /**
   * Jobs that go to a thread only while it has nothing in hand. So many may wait, and they do not count against other jobs.
   */
  spare?: number;
}

export const faultSentences = {
  full: 'too many jobs are waiting',
  timed_out: 'the job took too long',
  worker_lost: 'a worker thread was lost',
  closed: 'the thread pool is closed',
  cancelled: 'the caller gave the job up',
} as const;

/** Reasons why a job may end through no fault of its own. */
export type FaultReason = keyof typeof faultSentences;

export interface PoolOptions {
  /** At the most; they start when there is work, and idle ones do not keep the process alive. One a core by default. */
  threads?: number;
  /** Module whose `lanes(data)` gives the handlers of the lanes in each thread. */
  module?: URL;
  data?: unknown;
  lanes?: Record<string, LaneOptions>;
  maxWaiting?: number;
  /** A thread that has had nothing in hand for so long ends, and its memory with it; the next job starts one. By default none ends. */
  idleMs?: number;
  /** Time that a thread has to end a job that was given up; then it is taken for hung and replaced. 2 s by default. */
  graceMs?: number;
  /** Its jobs are in SQLite, where a thread that is terminated takes the process with it: one that works ends between two calls. */
  inSqlite?: boolean;
  onThreadLost?(error: Error): void;
  /** Makes the rejection of a job that ends through no fault of its own. */
  fault?(reason: FaultReason, cause?: Error): Error;
  /** Makes the rejection out of what the thread sent as a job's `error`; that itself by default. */
  revive?(error: unknown): Error;
}

export interface RunOptions extends WaitLimits {
  /** Buffers and ports of the payload that move to the thread. */
  transfer?: Transferable[];
  /** Large jobs never hold all threads at once, so that small ones keep flowing. */
  large?: boolean;
  /** Share of a turn that the job takes, in any unit above 0: callers are kept even by it. */
  cost?: number;
  onProgress?(progress: unknown): void;
  /**
   * Called where no thread will touch the payload any more: its thread has said something of the job, be it progress, or
   * the job was dropped before it came to one. Never called where the thread was lost before it said anything.
   */
  onRead?(): void;
}
