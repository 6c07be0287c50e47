import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Subscription, SubscriptionHandlers, Upcast } from '../port.js';
import type { Window } from './reader.js';
import { readRow } from './row.js';

/** A sleeper that is woken lets the appends of so many milliseconds gather, so that it reads them in one go. */
const GATHER_MILLISECONDS = 10;

/** Notifies sleepers that the log has grown; a growth between two looks is never missed. */
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

/** Reads windows from `after` on, handing over one event at a time; sleeps at the log's end until it grows. */
export function follow(
  readWindow: (after: number) => Window,
  growth: Growth,
  after: number,
  handlers: SubscriptionHandlers,
  upcast?: Upcast,
): Subscription {
  let closed = false;

  const run = async () => {
    let position = after;
    let caughtUp = false;
    while (!closed) {
      const seen = growth.count;
      const { rows, scannedTo, atEnd } = readWindow(position);
      for (const row of rows) {
        const handled = handlers.onEvent(readRow(row, upcast));
        if (handled) await handled;
        if (closed) return;
      }
      if (scannedTo > position) {
        position = scannedTo;
        handlers.onCheckpoint?.(BigInt(position));
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
