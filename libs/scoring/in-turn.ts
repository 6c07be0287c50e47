/** Turns by who asks, in front of a queue that many edges share and that serves in the order of coming. */
import { FairOrder } from '#threads';
import {
  JobCancelled,
  type JobOptions,
  type QueueState,
  type ScoredSides,
  type ScoringJob,
  type ScoringQueue,
  ScoringUnavailable,
  type SpectraJob,
  type UnavailableReason,
} from './port.js';

/** Jobs of this edge in the shared queue for each worker there: enough to keep it busy, and few to wait behind. */
const JOBS_A_WORKER = 4;
const MIN_JOBS = 8;
/** How often the workers are counted, at most. */
const COUNT_EVERY_MS = 2_000;

interface Waiting {
  by: string;
  spectra: Float32Array;
  go(): void;
  refuse(error: Error): void;
}

export class InTurn<Job extends SpectraJob = ScoringJob, Scored = ScoredSides> implements ScoringQueue<Job, Scored> {
  private readonly waiting = new FairOrder<Waiting>();
  private inHand = 0;
  private room = MIN_JOBS;
  private counted = Number.NEGATIVE_INFINITY;
  private closed = false;

  constructor(
    private readonly queue: ScoringQueue<Job, Scored>,
    private readonly maxWaiting: number,
  ) {}

  /** Jobs of a shadow model have a bound of their own in the queue. */
  async score(job: Job, options: JobOptions): Promise<Scored> {
    if (job.shadow) return this.queue.score(job, options);
    const began = performance.now();
    this.count(began);
    if (this.inHand >= this.room) await this.turn(job, options);
    else this.inHand++;
    try {
      const timeoutMs = Math.max(1, options.timeoutMs - (performance.now() - began));
      return await this.queue.score(job, { ...options, timeoutMs });
    } catch (error) {
      // Nobody waits for the same answer after another time-out.
      if (error instanceof ScoringUnavailable && error.reason === 'unreachable')
        for (const one of this.waiting.all()) one.refuse(error);
      throw error;
    } finally {
      this.inHand--;
      this.next();
    }
  }

  /** Resolves with a place among the jobs in hand. */
  private turn({ spectra }: Job, { by = '', timeoutMs, signal }: JobOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        act();
      };
      const one: Waiting = {
        by,
        spectra,
        go: () => settle(resolve),
        refuse: (error) => {
          this.waiting.remove(by, one);
          spectra.fill(0);
          settle(() => reject(error));
        },
      };
      const refuse = (reason: UnavailableReason) => one.refuse(new ScoringUnavailable(reason));
      const onAbort = () => one.refuse(new JobCancelled());
      const timer = setTimeout(() => refuse('timed_out'), timeoutMs);
      signal?.addEventListener('abort', onAbort);
      if (this.closed) return refuse('closed');
      if (signal?.aborted) return onAbort();
      if (this.waiting.size >= this.maxWaiting) {
        const other = this.waiting.givesWay(by);
        if (!other) return refuse('full');
        other.refuse(new ScoringUnavailable('full'));
      }
      this.waiting.add(by, one);
    });
  }

  private next(): void {
    while (this.inHand < this.room) {
      const one = this.waiting.take();
      if (!one) return;
      this.inHand++;
      one.go();
    }
  }

  private count(now: number): void {
    if (now - this.counted < COUNT_EVERY_MS) return;
    this.counted = now;
    this.queue.state().then(
      ({ workers }) => {
        this.room = Math.max(MIN_JOBS, JOBS_A_WORKER * workers.length);
        this.next();
      },
      () => {},
    );
  }

  async state(): Promise<QueueState> {
    const state = await this.queue.state();
    return { ...state, waiting: state.waiting + this.waiting.size };
  }

  close(): Promise<void> {
    this.closed = true;
    for (const one of this.waiting.all()) one.refuse(new ScoringUnavailable('closed'));
    return this.queue.close();
  }
}
