/**
 * Places for claims in work, dealt by key: a claim takes one once its upload is in memory, and leaves it when its answer is
 * stored. All stages of a claim have lines of their own, fair ones too; but whoever sends a hundred claims at once keeps each
 * of them full, and another key's claim waits a little at every one. Here it waits once.
 */
import type { Upload } from '#uploads';
import type { JobOptions, QueueState, ScoringQueue } from './port.js';
import { dataOf, sizeOf } from './transfer.js';
import { WaitQueue } from './wait-queue.js';

/** A key counts as one that asks for so long after its last claim. */
const PRESENT_MS = 1_000;

/** An upload takes a place for each of so many bytes: large ones keep every stage busy for longer. */
const PLACE_BYTES = 1024 * 1024;

export interface AdmissionOptions extends JobOptions {
  upload?: Upload;
}

export interface ConcurrencyLimitOptions {
  /** Of all keys together where several ask; each has one at least. */
  shared: number;
  /** Of a key while nobody else asks. */
  alone: number;
  /** Claims that wait, at most. */
  maxWaiting: number;
  /** Milliseconds on a clock that never steps back. */
  now(): number;
}

export class ConcurrencyLimit {
  private readonly line: WaitQueue;
  private readonly inWork = new Map<string, number>();
  /** When each key last came or left, the longest ago first. */
  private readonly seen = new Map<string, number>();

  constructor(private readonly options: ConcurrencyLimitOptions) {
    this.line = new WaitQueue(options.maxWaiting);
  }

  /** The queue's, with those that wait here. */
  async state(queue: Pick<ScoringQueue, 'state'>): Promise<QueueState> {
    const state = await queue.state();
    return { ...state, waiting: state.waiting + this.line.size };
  }

  /**
   * Resolves with a place, to be left by calling what it resolves with.
   * @throws ScoringUnavailable (full, timed_out), JobCancelled
   */
  async enter({ upload, ...options }: AdmissionOptions): Promise<() => void> {
    const { by = '' } = options;
    const taken = Math.max(1, Math.ceil(upload ? sizeOf(dataOf(upload)) / PLACE_BYTES : 1));
    this.see(by);
    if (!this.free(by)) await this.line.wait(options, taken);
    else this.take(by, taken);
    return () => this.leave(by, taken);
  }

  /** Who has any left may have more than are left, for one large upload. */
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
      const next = this.line.next((one) => this.free(one));
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
