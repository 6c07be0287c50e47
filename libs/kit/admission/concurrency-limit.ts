/**
 * Work in hand, dealt by caller: a claim takes a place once its upload is in memory, and leaves it when its answer is
 * stored. All stages of a claim have fair queues of their own; but a caller who sends a hundred claims at once keeps each of
 * them full, and another caller's claim waits a little at every one. Here it waits once.
 */
import { type WaitEnded, type WaitLimits, WaitQueue } from './wait-queue.js';

/** A caller counts as present for so long after its last work. */
const PRESENT_MS = 1_000;

export interface ConcurrencyLimitOptions {
  /** Places of all callers together where several are present; each has one at least. */
  shared: number;
  /** Places of a caller while no other is present. */
  alone: number;
  maxWaiting: number;
  fault(reason: WaitEnded): Error;
  /** Milliseconds on a clock that never steps back. */
  now(): number;
}

export class ConcurrencyLimit {
  private readonly waitQueue: WaitQueue;
  private readonly inWork = new Map<string, number>();
  /** Time when each caller last came or left, the longest ago first. */
  private readonly seen = new Map<string, number>();

  constructor(private readonly options: ConcurrencyLimitOptions) {
    this.waitQueue = new WaitQueue(options.maxWaiting, options.fault);
  }

  get waiting(): number {
    return this.waitQueue.size;
  }

  /**
   * Resolves with a place, to be left by calling what it resolves with.
   * @param places that the work takes, above 0
   * @throws what `fault` makes
   */
  async enter(limits: WaitLimits, places = 1): Promise<() => void> {
    const { by = '' } = limits;
    this.see(by);
    if (this.free(by)) this.take(by, places);
    else await this.waitQueue.wait(limits, places);
    return () => this.leave(by, places);
  }

  /** A caller that has any left may take more than are left, for one large upload. */
  private free(by: string): boolean {
    const { alone, shared } = this.options;
    const room = this.seen.size > 1 ? Math.max(1, Math.floor(shared / this.seen.size)) : alone;
    return (this.inWork.get(by) ?? 0) < room;
  }

  private take(by: string, places: number): void {
    this.inWork.set(by, (this.inWork.get(by) ?? 0) + places);
  }

  private leave(by: string, places: number): void {
    const left = (this.inWork.get(by) ?? 0) - places;
    if (left > 0) this.inWork.set(by, left);
    else this.inWork.delete(by);
    this.see(by);
    for (;;) {
      const next = this.waitQueue.next((one) => this.free(one));
      if (next === undefined) return;
      this.take(next.by, next.cost);
    }
  }

  private see(by: string): void {
    const now = this.options.now();
    this.seen.delete(by);
    this.seen.set(by, now);
    for (const [key, at] of this.seen) {
      if (now - at <= PRESENT_MS) return;
      this.seen.delete(key);
    }
  }
}
