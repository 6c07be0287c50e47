/**
 * Jobs on worker threads: a bounded queue that is fair between callers, batches of waiting jobs, time-outs, cancellation,
 * and threads that are replaced when they crash or hang. The pool knows nothing of the jobs' work.
 *
 * Who goes next: the lane of the lowest rank, and in it the caller that has had least. A thread has one message in work and
 * one at hand. Where all threads have both, the first job of a caller that has none in hand goes too, before what is at hand.
 * A large job has a thread to itself, and one thread is kept for others. A spare lane gets threads that have nothing in hand.
 */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { type Transferable, Worker } from 'node:worker_threads';
import { FairQueue } from '#kit/admission/fair-queue';
import type { WaitLimits } from '#kit/admission/wait-queue';
import { endedWith, hasLarge, type Job, read, type Thread, wipe } from './job.js';
import { type FaultReason, faultSentences, type LaneOptions, type PoolOptions, type RunOptions } from './options.js';
import {
  type BatchMessage,
  CALL,
  type Call,
  END,
  type Result,
  STATE,
  type ThreadData,
  type ThreadMessage,
} from './protocol.js';

const MESSAGES_AHEAD = 2;
/** With that of a newcomer, who waits for one turn at most. */
const MESSAGES_AT_MOST = 3;
const GRACE_MS = 2000;

export class ThreadPool {
  private readonly threads: Thread[] = [];
  private readonly waiting = new Map<string, FairQueue<Job>>();
  private readonly order: string[];
  private readonly running = new Map<number, Job>();
  /** Most threads. */
  readonly size: number;
  private readonly maxWaiting: number;
  private readonly lanes: Record<string, LaneOptions>;
  private readonly states: Int32Array;
  private readonly slots: number[];
  private nextId = 1;
  private closed = false;
  private failures = 0;
  /** Threads that have had work; the pool keeps as many. */
  private wanted = 0;
  private respawn: NodeJS.Timeout | undefined;
  private scheduled = false;

  constructor(private readonly options: PoolOptions = {}) {
    const { threads = availableParallelism(), maxWaiting = Number.POSITIVE_INFINITY, lanes } = options;
    if (!Number.isSafeInteger(threads) || threads < 1) throw new RangeError(`a pool cannot have ${threads} threads`);
    this.size = threads;
    this.maxWaiting = maxWaiting;
    this.lanes = { ...lanes, [CALL]: { batch: 1, rank: Number.POSITIVE_INFINITY, spare: Number.POSITIVE_INFINITY } };
    this.order = Object.keys(this.lanes).sort((a, b) => this.lanes[a].rank - this.lanes[b].rank);
    for (const lane of this.order) this.waiting.set(lane, new FairQueue((job) => job.cost));
    const inHand = threads * MESSAGES_AT_MOST * Math.max(...Object.values(this.lanes).map(({ batch }) => batch));
    this.states = new Int32Array(new SharedArrayBuffer(4 * inHand));
    this.slots = [...this.states.keys()];
  }

  /** Starts every thread. Resolves when all have loaded their module; rejects with the first fault. */
  async ready(): Promise<void> {
    while (this.threads.length < this.size) this.spawn();
    await Promise.all(this.threads.map(({ started }) => started));
  }

  /**
   * Runs `exportName(...args, report)` of a module on an idle thread. The function may return a
   * promise, and `new Transferred(value, buffers)` to hand buffers over without copying. Its reports reach
   * `onProgress`, its errors reject the promise. A module stays loaded in its thread, with everything that it keeps.
   *
   * @param module URL of a built module, written as a `new URL` of a relative path and `import.meta.url`: the bundler finds it by that
   */
  run<T>(module: URL | string, exportName: string, args: unknown[] = [], options: RunOptions = {}): Promise<T> {
    return this.submit(CALL, { module: String(module), exportName, args } satisfies Call, options);
  }

  /** Runs the handler of a lane on a payload. */
  submit<T>(lane: string, payload: unknown, options: RunOptions): Promise<T> {
    const refusal = this.refusalOf(lane, options);
    if (refusal) {
      wipe(options.transfer ?? []);
      options.onRead?.();
      return Promise.reject(refusal);
    }
    const { timeoutMs, signal, by = '', transfer = [], large = false, cost = 1, onProgress, onRead } = options;
    return new Promise<T>((resolve, reject) => {
      const job: Job = {
        ...{ id: this.nextId++, lane, payload, transfer, large, by, cost, signal, onProgress, onRead },
        slot: -1,
        settled: false,
        timer:
          timeoutMs === undefined ? undefined : setTimeout(() => this.cancel(job, this.fault('timed_out')), timeoutMs),
        deadline: performance.now() + (timeoutMs ?? Number.POSITIVE_INFINITY),
        resolve: resolve as (value: unknown) => void,
        reject,
      };
      if (signal) {
        job.onAbort = () => this.cancel(job, this.fault('cancelled'));
        signal.addEventListener('abort', job.onAbort, { once: true });
      }
      this.waiting.get(lane)!.add(by, job);
      this.schedule();
    });
  }

  private fault(reason: FaultReason, cause?: Error): Error {
    if (this.options.fault) return this.options.fault(reason, cause);
    return new Error(cause ? `${faultSentences[reason]}: ${cause.message}` : faultSentences[reason], { cause });
  }

  /** If too many wait, the newest job of the caller with most jobs in the lane gives way to one of a caller with fewer. */
  private refusalOf(lane: string, { signal, by = '' }: WaitLimits): Error | undefined {
    if (this.closed) return this.fault('closed');
    if (signal?.aborted) return this.fault('cancelled');
    const { spare } = this.lanes[lane];
    let waiting = 0;
    if (spare !== undefined) waiting = this.waiting.get(lane)!.size;
    else for (const [name, jobs] of this.waiting) if (this.lanes[name].spare === undefined) waiting += jobs.size;
    if (waiting < (spare ?? this.maxWaiting)) return undefined;
    const other = this.waiting.get(lane)!.givesWay(by);
    if (!other) return this.fault('full');
    this.cancel(other, this.fault('full'));
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
    for (const jobs of this.waiting.values()) for (const job of jobs.all()) this.cancel(job, this.fault('closed'));
    for (const job of [...this.running.values()]) this.settle(job, this.fault('closed'));
    await Promise.all([...this.threads].map((thread) => this.end(thread)));
  }

  /** Jobs that arrive in one turn of the event loop are dealt out together. */
  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    queueMicrotask(() => {
      this.scheduled = false;
      this.dispatch();
    });
  }

  private dispatch(): void {
    for (const lane of this.order) {
      const jobs = this.waiting.get(lane)!;
      const inHand = this.lanes[lane].spare === undefined ? MESSAGES_AHEAD - 1 : 0;
      while (jobs.size > 0) {
        const thread = this.idlest(inHand);
        if (!thread) break;
        const share = Math.ceil(jobs.size / Math.max(1, this.threads.length));
        const picked = this.pick(jobs, Math.min(share, this.lanes[lane].batch));
        if (picked.length === 0) break;
        this.send(thread, lane, picked);
      }
    }
    for (const lane of this.order) if (this.lanes[lane].spare === undefined) this.dealNewcomers(lane);
    this.grow();
  }

  /** Starts threads for the waiting jobs, beyond those that are starting already. */
  private grow(): void {
    if (this.closed || this.respawn || this.threads.length >= this.size) return;
    const starting = this.threads.filter(({ ready }) => !ready).length;
    for (let n = this.counts().waiting - starting; n > 0 && this.threads.length < this.size; n--) this.spawn();
  }

  /** If every thread has enough at hand, jobs of callers that have none in hand still go, and go first. */
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

  /** @param inHand most messages that the thread may have in hand */
  private idlest(inHand: number): Thread | undefined {
    let best: Thread | undefined;
    for (const thread of this.threads) {
      if (!thread.ready || thread.messages > inHand || hasLarge(thread)) continue;
      if (!best || thread.jobs.size < best.jobs.size) best = thread;
    }
    return best;
  }

  /** Takes the next jobs out of their lane. */
  private pick(jobs: FairQueue<Job>, max: number): Job[] {
    const room = this.threads.filter(hasLarge).length < Math.max(1, this.threads.length - 1);
    const picked: Job[] = [];
    while (picked.length < max) {
      const job = jobs.take((one) => !one.large || (room && picked.length === 0));
      if (!job) break;
      picked.push(job);
      if (job.large) break;
    }
    return picked;
  }

  private send(thread: Thread, lane: string, jobs: Job[], first = false): void {
    for (const job of jobs) {
      job.slot = this.slots.pop()!;
      Atomics.store(this.states, job.slot, 0);
    }
    const message: BatchMessage = { lane, first, jobs: jobs.map(({ id, slot, payload }) => ({ id, slot, payload })) };
    const transfer: Transferable[] = [];
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
    clearTimeout(thread.idle);
    if (thread.messages++ === 0) thread.worker.ref();
    try {
      thread.worker.postMessage(message, transfer);
    } catch (error) {
      // The payload cannot be cloned: the thread has seen nothing of it.
      this.receive(
        thread,
        jobs.map(({ id }) => ({ id, error })),
      );
    }
  }

  private spawn(): void {
    const { module, data } = this.options;
    const workerData: ThreadData = { module: module && String(module), data, states: this.states };
    const worker = new Worker(new URL('./thread.js', import.meta.url), { workerData });
    const started = new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.once('error', reject);
      worker.once('exit', (code) => reject(endedWith(code)));
    });
    // The caller who waits for it reports it.
    started.catch(() => {});
    const thread: Thread = { worker, started, ready: false, dead: false, jobs: new Map(), messages: 0 };
    this.wanted = Math.max(this.wanted, this.threads.push(thread));
    worker.on('message', (message: ThreadMessage) => {
      if (message === 'ready') {
        thread.ready = true;
        this.failures = 0;
        this.rest(thread);
      } else {
        this.receive(thread, message.results);
      }
      this.dispatch();
    });
    worker.on('error', (error: Error) => this.onThreadLost(thread, error));
    worker.on('messageerror', (error: Error) => this.onThreadLost(thread, error));
    worker.on('exit', (code) => this.onThreadLost(thread, endedWith(code)));
  }

  private receive(thread: Thread, results: Result[]): void {
    for (const result of results) {
      const job = thread.jobs.get(result.id);
      if (!job) continue;
      read(job);
      if ('progress' in result) {
        if (!job.settled) job.onProgress?.(result.progress);
        continue;
      }
      thread.jobs.delete(job.id);
      this.running.delete(job.id);
      this.slots.push(job.slot);
      if (--job.message!.left === 0 && --thread.messages === 0) this.rest(thread);
      // After a pause of the process the answer may come before the timer.
      if (performance.now() >= job.deadline) this.settle(job, this.fault('timed_out'));
      else if ('value' in result) this.settle(job, undefined, result.value);
      else this.settle(job, this.options.revive?.(result.error) ?? (result.error as Error));
    }
  }

  /** The thread has nothing in hand: it keeps no process alive, and may end. */
  private rest(thread: Thread): void {
    thread.worker.unref();
    const { idleMs } = this.options;
    if (idleMs === undefined) return;
    thread.idle = setTimeout(() => {
      this.wanted--;
      void this.end(thread);
    }, idleMs).unref();
  }

  private end(thread: Thread): Promise<unknown> {
    clearTimeout(thread.idle);
    const { worker, ready, messages } = thread;
    thread.dead = true;
    thread.ready = false;
    this.threads.splice(this.threads.indexOf(thread), 1);
    if (!this.options.inSqlite || (ready && messages === 0)) return worker.terminate();
    worker.postMessage(END);
    return once(worker, 'exit').catch(() => {});
  }

  /** Ends the job for its caller: a waiting job is dropped, a running one is told to end and its result discarded. */
  private cancel(job: Job, error: Error): void {
    if (job.thread) this.giveUp(job, job.thread);
    else {
      this.waiting.get(job.lane)!.remove(job.by, job);
      wipe(job.transfer);
      job.payload = undefined;
      read(job);
    }
    this.settle(job, error);
  }

  /** A thread that works on a job and does not end it hangs, and only its end frees its memory. */
  private giveUp(job: Job, thread: Thread): void {
    Atomics.or(this.states, job.slot, STATE.givenUp);
    const look = setInterval(() => {
      const holds = !thread.dead && thread.jobs.has(job.id);
      if (holds && !(Atomics.load(this.states, job.slot) & STATE.begun)) return;
      clearInterval(look);
      if (holds) this.onThreadLost(thread, new Error('worker thread hangs'));
    }, this.options.graceMs ?? GRACE_MS).unref();
  }

  private settle(job: Job, error: Error | undefined, value?: unknown): void {
    if (job.settled) return;
    job.settled = true;
    clearTimeout(job.timer);
    if (job.onAbort) job.signal?.removeEventListener('abort', job.onAbort);
    if (error) job.reject(error);
    else job.resolve(value);
  }

  private onThreadLost(thread: Thread, error: Error): void {
    if (thread.dead) return;
    const { ready } = thread;
    void this.end(thread);
    for (const job of thread.jobs.values()) {
      this.running.delete(job.id);
      this.slots.push(job.slot);
      this.settle(job, this.fault('worker_lost', error));
    }
    if (this.closed) return;
    this.options.onThreadLost?.(error);
    // No caller waits without end for a thread that cannot start.
    if (!ready)
      for (const jobs of this.waiting.values())
        for (const job of jobs.all()) if (job.timer === undefined) this.cancel(job, this.fault('worker_lost', error));
    // The first restart is at once; later ones wait, so that there is no tight loop.
    const delay = Math.min(5000, 50 * 2 ** this.failures++ - 50);
    this.respawn ??= setTimeout(() => {
      this.respawn = undefined;
      while (!this.closed && this.threads.length < this.wanted) this.spawn();
    }, delay);
  }
}
