import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from './exit.js';

/** Waits for the next turn, so that turns are no more than a rate. */
export type Pace = (signal?: AbortSignal) => Promise<void>;

/** @param perSecond undefined for no bound */
export function paceOf(perSecond?: number): Pace {
  let next = 0;
  return async (signal) => {
    if (perSecond === undefined) return;
    const now = performance.now();
    const at = Math.max(now, next);
    next = at + 1000 / perSecond;
    await sleep(at - now, undefined, { signal });
  };
}

/** The value of `--rate`. */
export function rateOf(text: string): number {
  const rate = Number(text);
  if (!(rate > 0 && rate <= 1_000)) throw new UsageError(`--rate: ${text} is no number above 0 and up to 1000`);
  return rate;
}
