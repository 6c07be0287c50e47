import { setTimeout as sleep } from 'node:timers/promises';

/** So long only (ms) that a run with a fault in it ends: nothing is measured by it. */
const IN_VAIN_MS = 240_000;

/** Resolves when it holds, asked again and again. @throws Error where it never does */
export async function until(holds: () => boolean | Promise<boolean>, everyMs = 10): Promise<void> {
  for (const end = Date.now() + IN_VAIN_MS; !(await holds()); ) {
    if (Date.now() > end) throw new Error(`waited in vain: ${holds}`);
    await sleep(everyMs);
  }
}
