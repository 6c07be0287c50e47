/** Callers who wait for their turn, in the order of who has had least. Too long a wait or too many waiting ends it. */
import { FairQueue } from './fair-queue.js';

/** Limits of a wait. */
export interface WaitLimits {
  /** The wait is given up after so many milliseconds. */
  timeoutMs?: number;
  /** Aborting gives it up at once. */
  signal?: AbortSignal;
  /** The caller: those who wait are served in turn, and where too many wait the one with most of them is refused first. */
  by?: string;
}

export type WaitEnded = 'full' | 'timed_out' | 'cancelled';

interface Waiting {
  by: string;
  cost: number;
  go(): void;
  refuse(error: Error): void;
}

export class WaitQueue {
  private readonly order = new FairQueue<Waiting>(({ cost }) => cost);

  /** @param maxWaiting where more come, the newest of the caller with most of them gives way to one with fewer */
  constructor(
    private readonly maxWaiting: number,
    private readonly fault: (reason: WaitEnded) => Error,
  ) {}

  get size(): number {
    return this.order.size;
  }

  /** Resolves when its turn comes. @param cost above 0 @throws what `fault` makes */
  wait({ by = '', timeoutMs, signal }: WaitLimits, cost = 1): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        act();
      };
      const one: Waiting = {
        by,
        cost,
        go: () => settle(resolve),
        refuse: (error) => {
          this.order.remove(by, one);
          settle(() => reject(error));
        },
      };
      const refuse = (reason: WaitEnded) => one.refuse(this.fault(reason));
      const onAbort = () => refuse('cancelled');
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => refuse('timed_out'), timeoutMs);
      signal?.addEventListener('abort', onAbort);
      if (signal?.aborted) return onAbort();
      if (this.order.size >= this.maxWaiting) {
        const other = this.order.givesWay(by);
        if (!other) return refuse('full');
        other.refuse(this.fault('full'));
      }
      this.order.add(by, one);
    });
  }

  /** Lets the next one go, of those who may. @returns its caller and cost; undefined where none could go */
  next(may: (by: string) => boolean = () => true): { by: string; cost: number } | undefined {
    const one = this.order.take(({ by }) => may(by));
    one?.go();
    return one;
  }
}
