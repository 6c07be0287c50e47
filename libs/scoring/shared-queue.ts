/** Turns by who asks, in front of a queue that many edges share and that serves in the order of coming. */

import { WaitQueue } from '#admission';
import {
  type JobOptions,
  type QueueState,
  type ScoredSides,
  type ScoringJob,
  type ScoringQueue,
  ScoringUnavailable,
  type SpectraJob,
  waitFault,
} from './port.js';

/** Jobs of this edge in the shared queue for each worker there: enough to keep it busy, and few to wait behind. */
const JOBS_A_WORKER = 4;
const MIN_JOBS = 8;
/** Shortest time between two counts of the workers. */
const COUNT_EVERY_MS = 2_000;

export class SharedQueue<Job extends SpectraJob = ScoringJob, Scored = ScoredSides>
  implements ScoringQueue<Job, Scored>
{
  private readonly waitQueue: WaitQueue;
  private inHand = 0;
  private room = MIN_JOBS;
  private counted = Number.NEGATIVE_INFINITY;
  private closed = false;

  constructor(
    private readonly queue: ScoringQueue<Job, Scored>,
    maxWaiting: number,
  ) {
    this.waitQueue = new WaitQueue(maxWaiting, waitFault);
  }

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
      if (error instanceof ScoringUnavailable && error.reason === 'unreachable') this.waitQueue.refuseAll(error);
      throw error;
    } finally {
      this.inHand--;
      this.next();
    }
  }

  /** Resolves with a place among the jobs in hand; without one nothing is left of the spectra. */
  private async turn({ spectra }: Job, options: JobOptions): Promise<void> {
    try {
      if (this.closed) throw new ScoringUnavailable('closed');
      await this.waitQueue.wait(options);
    } catch (error) {
      spectra.fill(0);
      throw error;
    }
  }

  private next(): void {
    while (this.inHand < this.room) {
      if (this.waitQueue.next() === undefined) return;
      this.inHand++;
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
    return { ...state, waiting: state.waiting + this.waitQueue.size };
  }

  close(): Promise<void> {
    this.closed = true;
    this.waitQueue.refuseAll(new ScoringUnavailable('closed'));
    return this.queue.close();
  }
}
