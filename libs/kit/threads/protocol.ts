/** The agreement between a pool and its threads. */
import type { Transferable } from 'node:worker_threads';

/** Tells a thread to end by itself. */
export const END = 'end';

/** The lane that every pool has: any export of any module. */
export const CALL = 'call';

export interface ThreadData {
  /** URL of the module that exports `lanes`, and what it is called with. */
  module?: string;
  data: unknown;
  /** Shared by all threads of the pool: by slot, what is known of a job in hand, as a sum of `STATE`. */
  states: Int32Array;
}

export const STATE = { begun: 1, givenUp: 2 } as const;

/** A message to a thread, or `END`: jobs of one lane that were waiting together. */
export interface BatchMessage {
  lane: string;
  /** It goes before messages that the thread has at hand and has not begun. */
  first: boolean;
  jobs: { id: number; slot: number; payload: unknown }[];
}

export type Jobs<T> = {
  id: number;
  payload: T;
  /** To be called now and then. @throws where the caller has given the job up: whatever comes of it is not read */
  goOn(): void;
}[];

/** One of three: how far the job is, what came of it, or why nothing did (as the pool's `revive` understands it). */
export type Result = { id: number } & ({ progress: unknown } | { value: unknown } | { error: unknown });

/** A thread's answer, job by job or for a whole batch; `ready` once it has loaded its module. */
export type ThreadMessage = 'ready' | { results: Result[] };

export type Reply = (results: Result[], transfer?: Transferable[]) => void;

/** Works on the jobs of one lane and replies one end of each. An error that it throws ends those without a reply. */
export type Handler = (jobs: Jobs<never>, reply: Reply) => Promise<void>;

/** A handler for each lane. */
export type Handlers = Record<string, Handler>;

export interface Call {
  module: string;
  exportName: string;
  args: unknown[];
}

/** A called function's result whose buffers move to the caller instead of being copied. */
export class Transferred<T> {
  constructor(
    readonly value: T,
    readonly transfer: Transferable[],
  ) {}
}
