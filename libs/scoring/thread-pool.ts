/**
 * Jobs on worker threads: bounded waiting in turns by who asks, batches of what waits together, time-outs, cancellation,
 * and threads that are replaced when they crash or hang. Knows nothing of what the jobs do.
 */
import { isAnyArrayBuffer } from 'node:util/types';
import { type TransferListItem, Worker } from 'node:worker_threads';
import { FairOrder } from './fair-order.js';
import { JobCancelled, type JobOptions, ScoringUnavailable } from './port.js';

/** What goes to a thread: jobs of one lane that were waiting together. */
export interface BatchMessage {
  lane: string;
  /** It goes before messages that the thread has at hand and has not begun. */
  first: boolean;
  jobs: { id: number; payload: unknown }[];
}

/** One of three: how far the job is, what came of it, or why nothing did (as the lane's `revive` understands it). */
export type Result = { id: number } & ({ progress: unknown } | { value: unknown } | { error: unknown });

/** What a thread answers, job by job or for a whole batch. */
export interface ResultMessage {
  results: Result[];
}

export interface LaneOptions {
  /** Most jobs in one message. */
  batch: number;
  /** Lanes of lower rank go first. */
  rank: number;
  /**
   * Jobs that go to a thread only while it has nothing in hand. So many may wait, and they count against nobody else.
   */
  spare?: number;
  /** Makes the rejection out of what the thread sent as `error`. */
  revive?(error: unknown): Error;
}

export interface PoolOptions {
  /** Module that the threads run: it answers each BatchMessage on `parentPort` and says `'ready'` first. */
  module: URL;
  workerData?: unknown;
  threads: number;
  maxWaiting: number;
  lanes: Record<string, LaneOptions>;
  /** Time beyond its own time-out that a running job has before its thread is taken for hung. */
  graceMs?: number;
  onThreadLost?(error: Error): void;
}

export interface RunOptions extends JobOptions {
  transfer?: TransferListItem[];
  /** Large jobs never hold all threads at once, so that small ones keep flowing. */
  large?: boolean;
  /** How much of a turn the job takes, in any unit above 0: by it those who ask are kept even. */
  cost?: number;
  onProgress?(progress: unknown): void;
}

interface Job {
  id: number;
  lane: string;
  payload: unknown;
  transfer: TransferListItem[];
  large: boolean;
  by: string;
  cost: number;
  thread?: Thread;
  message?: { left: number };
  settled: boolean;
  timer: NodeJS.Timeout;
  /** On the clock of `performance.now()`. */
  deadline: number;
  signal?: AbortSignal;
  onAbort?: () => void;
  onProgress?(progress: unknown): void;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

interface Thread {
  worker: Worker;
  ready: boolean;
  dead: boolean;
  jobs: Map<number, Job>;
  /** Messages sent and not wholly answered: two, so that a thread has its next batch at hand when it ends one. */
  messages: number;
}

const MESSAGES_AHEAD = 2;
/** One more for the first job of somebody who has none in hand: who comes to a busy pool waits for no more than a turn. */
const MESSAGES_AT_MOST = 3;

export class ThreadPool {
  private readonly threads: Thread[] = [];
  private readonly waiting = new Map<string, FairOrder<Job>>();
  private readonly order: string[];
  private readonly running = new Map<number, Job>();
  private nextId = 1;
  private closed = false;
  private failures = 0;
  private respawn: NodeJS.Timeout | undefined;
  private scheduled = false;

  constructor(private readonly options: PoolOptions) {
    this.order = Object.keys(options.lanes).sort((a, b) => options.lanes[a].rank - options.lanes[b].rank);
    for (const lane of this.order) this.waiting.set(lane, new FairOrder((job) => job.cost));
    for (let i = 0; i < options.threads; i++) this.spawn();
  }

  /** Resolves when every thread is ready, rejects with the first thread's fault. */
  async ready(): Promise<void> {
    await Promise.all(
      this.threads.map(
        ({ worker }) =>
          new Promise<void>((resolve, reject) => {
            worker.once('message', () => resolve());
            worker.once('error', reject);
          }),
      ),
    );
  }

  run<T>(lane: string, payload: unknown, options: RunOptions): Promise<T> {
    const refusal = this.refusalOf(lane, options);
    if (refusal) {
      wipe(options.transfer ?? []);
      return Promise.reject(refusal);
    }
    return new Promise<T>((resolve, reject) => {
      const job: Job = {
        id: this.nextId++,
        lane,
        payload,
        transfer: options.transfer ?? [],
        large: options.large ?? false,
        by: options.by ?? '',
        cost: options.cost ?? 1,
        settled: false,
        timer: setTimeout(() => this.expire(job), options.timeoutMs),
        deadline: performance.now() + options.timeoutMs,
        signal: options.signal,
        onProgress: options.onProgress,
        resolve: resolve as (value: unknown) => void,
        reject,
      };
      if (options.signal) {
        job.onAbort = () => this.giveUp(job, new JobCancelled());
        options.signal.addEventListener('abort', job.onAbort, { once: true });
      }
      this.waiting.get(lane)!.add(job.by, job);
      this.schedule();
    });
  }

  /** Where too many wait, the newest job of who has most in the lane gives way to one of who has less. */
  private refusalOf(lane: string, { signal, by = '' }: RunOptions): Error | undefined {
    if (this.closed) return new ScoringUnavailable('closed');
    if (signal?.aborted) return new JobCancelled();
    const { spare } = this.options.lanes[lane];
    let waiting = 0;
    if (spare !== undefined) waiting = this.waiting.get(lane)!.size;
    else
      for (const [name, jobs] of this.waiting) if (this.options.lanes[name].spare === undefined) waiting += jobs.size;
    if (waiting < (spare ?? this.options.maxWaiting)) return undefined;
    const other = this.waiting.get(lane)!.givesWay(by);
    if (!other) return new ScoringUnavailable('full');
    this.giveUp(other, new ScoringUnavailable('full'));
    return undefined;
  }

  counts(): { waiting: number; active: number; threads: number } {
    let waiting = 0;
    for (const jobs of this.waiting.values()) waiting += jobs.size;
    return { waiting, active: this.running.size, threads: this.threads.filter((thread) => thread.ready).length };
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.respawn);
    for (const jobs of this.waiting.values())
      for (const job of jobs.all()) this.giveUp(job, new ScoringUnavailable('closed'));
    for (const job of [...this.running.values()]) this.settle(job, new ScoringUnavailable('closed'));
    await Promise.all(this.threads.map(({ worker }) => worker.terminate()));
  }

  /** Jobs that come in one turn of the loop are dealt together. */
  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    queueMicrotask(() => {
      this.scheduled = false;
      this.deal();
    });
  }

  private deal(): void {
    for (const lane of this.order) {
      const jobs = this.waiting.get(lane)!;
      const inHand = this.options.lanes[lane].spare === undefined ? MESSAGES_AHEAD - 1 : 0;
      while (jobs.size > 0) {
        const thread = this.idlest(inHand);
        if (!thread) break;
        const share = Math.ceil(jobs.size / Math.max(1, this.threads.length));
        const picked = this.pick(jobs, Math.min(share, this.options.lanes[lane].batch));
        if (picked.length === 0) break;
        this.send(thread, lane, picked);
      }
    }
    for (const lane of this.order) if (this.options.lanes[lane].spare === undefined) this.dealNewcomers(lane);
  }

  /** Where every thread has enough at hand, jobs of those who have none in hand still go, and go first. */
  private dealNewcomers(lane: string): void {
    const jobs = this.waiting.get(lane)!;
    if (jobs.size === 0) return;
    const served = new Set<string>();
    for (const { by } of this.running.values()) served.add(by);
    for (;;) {
      const thread = this.idlest(MESSAGES_AT_MOST - 1);
      const job = thread && jobs.take((one) => !one.large && !served.has(one.by));
      if (!thread || !job) return;
      served.add(job.by);
      this.send(thread, lane, [job], true);
    }
  }

  /** @param inHand messages that the thread may have in hand at most */
  private idlest(inHand: number): Thread | undefined {
    let best: Thread | undefined;
    for (const thread of this.threads) {
      if (!thread.ready || thread.messages > inHand) continue;
      if (this.hasLarge(thread)) continue;
      if (!best || thread.jobs.size < best.jobs.size) best = thread;
    }
    return best;
  }

  private hasLarge(thread: Thread): boolean {
    for (const job of thread.jobs.values()) if (job.large) return true;
    return false;
  }

  /** Takes the next jobs out of their lane. */
  private pick(jobs: FairOrder<Job>, most: number): Job[] {
    let large = 0;
    for (const thread of this.threads) if (this.hasLarge(thread)) large++;
    const room = large < Math.max(1, this.threads.length - 1);
    const picked: Job[] = [];
    while (picked.length < most) {
      const job = jobs.take((one) => !one.large || (room && picked.length === 0));
      if (!job) break;
      picked.push(job);
      if (job.large) break;
    }
    return picked;
  }

  private send(thread: Thread, lane: string, jobs: Job[], first = false): void {
    const message: BatchMessage = { lane, first, jobs: jobs.map(({ id, payload }) => ({ id, payload })) };
    const transfer: TransferListItem[] = [];
    const sent = { left: jobs.length };
    for (const job of jobs) {
      job.thread = thread;
      job.message = sent;
      job.payload = undefined;
      transfer.push(...job.transfer);
      job.transfer = [];
      thread.jobs.set(job.id, job);
      this.running.set(job.id, job);
    }
    thread.messages++;
    thread.worker.postMessage(message, transfer);
  }

  private spawn(): void {
    const worker = new Worker(this.options.module, { workerData: this.options.workerData });
    const thread: Thread = { worker, ready: false, dead: false, jobs: new Map(), messages: 0 };
    this.threads.push(thread);
    worker.on('message', (message: 'ready' | ResultMessage) => {
      if (message === 'ready') {
        thread.ready = true;
        this.failures = 0;
      } else {
        this.receive(thread, message);
      }
      this.deal();
    });
    worker.on('error', (error: Error) => this.lose(thread, error));
    worker.on('messageerror', (error: Error) => this.lose(thread, error));
    worker.on('exit', (code) => this.lose(thread, new Error(`worker thread ended with ${code}`)));
  }

  private receive(thread: Thread, message: ResultMessage): void {
    for (const result of message.results) {
      const job = thread.jobs.get(result.id);
      if (!job) continue;
      if ('progress' in result) {
        if (!job.settled) job.onProgress?.(result.progress);
        continue;
      }
      thread.jobs.delete(job.id);
      this.running.delete(job.id);
      if (--job.message!.left === 0) thread.messages--;
      // The answer may come before the timer to a process that stood still.
      if (performance.now() >= job.deadline) this.settle(job, new ScoringUnavailable('timed_out'));
      else if ('value' in result) this.settle(job, undefined, result.value);
      else this.settle(job, this.options.lanes[job.lane].revive?.(result.error) ?? new Error(String(result.error)));
    }
  }

  private expire(job: Job): void {
    const { thread } = job;
    this.giveUp(job, new ScoringUnavailable('timed_out'));
    if (!thread) return;
    // The answer is late: if the thread is not heard of at all, it hangs, and only its end frees what it holds.
    setTimeout(() => {
      if (!thread.dead && thread.jobs.has(job.id)) this.lose(thread, new Error('worker thread hangs'));
    }, this.options.graceMs ?? 5000).unref();
  }

  /** Ends the job for its caller; one that waits is dropped, one that runs is answered to nobody. */
  private giveUp(job: Job, error: Error): void {
    if (!job.thread) {
      this.waiting.get(job.lane)!.remove(job.by, job);
      wipe(job.transfer);
      job.payload = undefined;
    }
    this.settle(job, error);
  }

  private settle(job: Job, error: Error | undefined, value?: unknown): void {
    if (job.settled) return;
    job.settled = true;
    clearTimeout(job.timer);
    if (job.onAbort) job.signal?.removeEventListener('abort', job.onAbort);
    if (error) job.reject(error);
    else job.resolve(value);
  }

  private lose(thread: Thread, error: Error): void {
    if (thread.dead) return;
    thread.dead = true;
    thread.ready = false;
    this.threads.splice(this.threads.indexOf(thread), 1);
    void thread.worker.terminate();
    for (const job of thread.jobs.values()) {
      this.running.delete(job.id);
      this.settle(job, new ScoringUnavailable('worker_lost', 1, { cause: error }));
    }
    if (this.closed) return;
    this.options.onThreadLost?.(error);
    // At once the first time; a thread that cannot even start is not tried in a tight loop.
    const delay = Math.min(5000, 50 * 2 ** this.failures++ - 50);
    this.respawn = setTimeout(() => {
      while (!this.closed && this.threads.length < this.options.threads) this.spawn();
    }, delay);
  }
}

/** Overwrites what a job would have passed on. */
function wipe(transfer: TransferListItem[]): void {
  for (const item of transfer) if (isAnyArrayBuffer(item)) new Uint8Array(item).fill(0);
}
