import { setImmediate, setTimeout } from 'node:timers/promises';
import type { RecordedEvent, Subscription, SubscriptionHandlers } from '../port.js';

/** A sleeper that is woken lets the appends of so many milliseconds gather, so that it reads them in one go. */
const GATHER_MILLISECONDS = 10;

/** Notifies sleepers that the log has grown; growth between two reads is never missed. */
export class Growth {
  #count = 0;
  #sleepers = new Set<() => void>();

  get count(): number {
    return this.#count;
  }

  notify(): void {
    this.#count++;
    const sleepers = this.#sleepers;
    this.#sleepers = new Set();
    for (const wake of sleepers) wake();
  }

  /** Resolves once the count is another than `seen`. */
  after(seen: number): Promise<void> {
    if (seen !== this.#count) return Promise.resolve();
    return new Promise((wake) => this.#sleepers.add(wake));
  }
}

/** The next events after a position, all of those up to `scannedTo` that a filter lets pass. */
export interface Step {
  events: Iterable<RecordedEvent>;
  scannedTo: number;
  /** Nothing was stored beyond when they were looked for. */
  atEnd: boolean;
}

/**
 * Hands over one event at a time, after a position; sleeps at the log's end until it grows.
 * @param next what follows a position
 */
export function follow(
  next: (position: number) => Step,
  growth: Growth,
  position: number,
  handlers: SubscriptionHandlers,
): Subscription {
  let closed = false;

  const run = async () => {
    let caughtUp = false;
    while (!closed) {
      const seen = growth.count;
      const { events, scannedTo, atEnd } = next(position);
      for (const event of events) {
        const handled = handlers.onEvent(event);
        if (handled) await handled;
        if (closed) return;
      }
      if (scannedTo > position) {
        position = scannedTo;
        handlers.onCheckpoint?.(BigInt(scannedTo));
      }
      if (!atEnd) await setImmediate();
      else {
        if (!caughtUp) {
          caughtUp = true;
          handlers.onCaughtUp?.();
        }
        await growth.after(seen);
        if (!closed) await setTimeout(GATHER_MILLISECONDS);
      }
    }
  };

  const running = setImmediate()
    .then(run)
    .catch((error: Error) => {
      if (!closed) handlers.onDropped?.(error);
      closed = true;
    });
  return {
    close: () => {
      closed = true;
      growth.notify();
      return running;
    },
  };
}
