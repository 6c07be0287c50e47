import { setTimeout as sleep } from 'node:timers/promises';

/** So long only (ms) that a run with a fault in it ends: nothing is measured by it. */
const IN_VAIN_MS = 240_000;

/** What takes long is asked about more seldom: asking takes time from what is waited for. */
const SELDOM_MS = 100;

/** Resolves when it holds, asked again and again. @throws Error where it never does */
export async function until(holds: () => boolean | Promise<boolean>, everyMs = 10): Promise<void> {
  for (const began = Date.now(); !(await holds()); ) {
    const waited = Date.now() - began;
    if (waited > IN_VAIN_MS) throw new Error(`waited in vain: ${holds}`);
    await sleep(Math.max(everyMs, Math.min(waited / 10, SELDOM_MS)));
  }
}
