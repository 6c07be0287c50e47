import { setImmediate } from 'node:timers/promises';

/** Work in steps of about a millisecond: run it in one go, or with a turn of the event loop after each step. */
export type Work<T> = Generator<undefined, T, undefined>;

/** Bytes of input (or of numbers) that one step may touch. */
export const STEP_BYTES = 128 * 1024;

export function finish<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

export async function finishSliced<T>(work: Work<T>): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await setImmediate();
  }
}
