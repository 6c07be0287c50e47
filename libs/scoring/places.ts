/**
 * Places for claims in work, dealt by key: a claim takes one once its upload is in memory, and leaves it when its answer is
 * stored. All stages of a claim have lines of their own, fair ones too; but whoever sends a hundred claims at once keeps each
 * of them full, and another key's claim waits a little at every one. Here it waits once.
 */
import { FairOrder } from '#threads';
import {
  JobCancelled,
  type JobOptions,
  type QueueState,
  type ScoringQueue,
  ScoringUnavailable,
  type UnavailableReason,
} from './port.js';

/** A key counts as one that asks for so long after its last claim. */
const PRESENT_MS = 1_000;

export interface PlacesOptions {
  /** Of all keys together where several ask; each has one at least. */
  shared: number;
  /** Of a key while nobody else asks. */
  alone: number;
  /** Claims that wait, at most. */
  maxWaiting: number;
  /** Milliseconds on a clock that never steps back. */
  now(): number;
}

interface Waiting {
  by: string;
  enter(): void;
  refuse(error: Error): void;
}

export class Places {
  private readonly line = new FairOrder<Waiting>();
  private readonly inWork = new Map<string, number>();
  /** When each key last came or left, the longest ago first. */
  private readonly seen = new Map<string, number>();

  constructor(private readonly options: PlacesOptions) {}

  /** The queue's, with those that wait here. */
  async state(queue: Pick<ScoringQueue, 'state'>): Promise<QueueState> {
    const state = await queue.state();
    return { ...state, waiting: state.waiting + this.line.size };
  }

  /**
   * Resolves with a place, to be left by calling what it resolves with.
   * @throws ScoringUnavailable (full, timed_out), JobCancelled
   */
  async enter({ by = '', timeoutMs, signal }: JobOptions): Promise<() => void> {
    this.see(by);
    if (!this.free(by)) await this.turn(by, timeoutMs, signal);
    else this.take(by);
    return () => this.leave(by);
  }

  private free(by: string): boolean {
    const { alone, shared } = this.options;
    const room = this.seen.size > 1 ? Math.max(1, Math.floor(shared / this.seen.size)) : alone;
    return (this.inWork.get(by) ?? 0) < room;
  }

  private take(by: string): void {
    this.inWork.set(by, (this.inWork.get(by) ?? 0) + 1);
  }

  private leave(by: string): void {
    const left = (this.inWork.get(by) ?? 0) - 1;
    if (left > 0) this.inWork.set(by, left);
    else this.inWork.delete(by);
    this.see(by);
    for (;;) {
      const next = this.line.take((one) => this.free(one.by));
      if (!next) return;
      this.take(next.by);
      next.enter();
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

  private turn(by: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        act();
      };
      const one: Waiting = {
        by,
        enter: () => settle(resolve),
        refuse: (error) => {
          this.line.remove(by, one);
          settle(() => reject(error));
        },
      };
      const refuse = (reason: UnavailableReason) => one.refuse(new ScoringUnavailable(reason));
      const onAbort = () => one.refuse(new JobCancelled());
      const timer = setTimeout(() => refuse('timed_out'), timeoutMs);
      signal?.addEventListener('abort', onAbort);
      if (signal?.aborted) return onAbort();
      if (this.line.size >= this.options.maxWaiting) {
        const other = this.line.givesWay(by);
        if (!other) return refuse('full');
        other.refuse(new ScoringUnavailable('full'));
      }
      this.line.add(by, one);
    });
  }
}
