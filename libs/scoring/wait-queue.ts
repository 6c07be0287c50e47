/** A line of those who wait for their turn, in the order of who has had least; too long a wait or a line ends it. */
import { FairOrder } from '#threads';
import { JobCancelled, type JobOptions, ScoringUnavailable, type UnavailableReason } from './port.js';

interface Waiting {
  by: string;
  cost: number;
  go(): void;
  refuse(error: Error): void;
}

export class WaitQueue {
  private readonly order = new FairOrder<Waiting>(({ cost }) => cost);

  /** @param maxWaiting where more come, the newest of who has most of them gives way to one who has less */
  constructor(private readonly maxWaiting: number) {}

  get size(): number {
    return this.order.size;
  }

  /** Resolves when its turn comes. @param cost of what it is let in for, above 0 @throws ScoringUnavailable (full, timed_out), JobCancelled, or what `refuseAll` is given */
  wait({ by = '', timeoutMs, signal }: JobOptions, cost = 1): Promise<void> {
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
      const refuse = (reason: UnavailableReason) => one.refuse(new ScoringUnavailable(reason));
      const onAbort = () => one.refuse(new JobCancelled());
      const timer = setTimeout(() => refuse('timed_out'), timeoutMs);
      signal?.addEventListener('abort', onAbort);
      if (signal?.aborted) return onAbort();
      if (this.order.size >= this.maxWaiting) {
        const other = this.order.givesWay(by);
        if (!other) return refuse('full');
        other.refuse(new ScoringUnavailable('full'));
      }
      this.order.add(by, one);
    });
  }

  /** Lets the next one go, of those who may. @returns who asked for it; undefined where nobody went */
  next(may: (by: string) => boolean = () => true): { by: string; cost: number } | undefined {
    const one = this.order.take(({ by }) => may(by));
    one?.go();
    return one;
  }

  refuseAll(error: Error): void {
    for (const one of this.order.all()) one.refuse(error);
  }
}
