/** The root digest of a population's bundle, made on a thread: of a long log it takes minutes, and calls do not wait for it. */
import { upcast } from '#catalogue/upcast';
import type { ThreadPool } from '#kit/threads/pool';
import { auditRoot } from './bundle.js';
import { type CheckedLog, openReader } from './log-passes.js';

export const rootOnThread = (pool: Pick<ThreadPool, 'run'>, log: CheckedLog, population: string): Promise<string> =>
  pool.run(new URL('./root.js', import.meta.url), 'rootOf', [log, population]);

/** Run by the thread. */
export async function rootOf(log: CheckedLog, population: string): Promise<string> {
  const reader = await openReader(log, { upcast });
  try {
    return await auditRoot({ reader, seals: reader.seals, population });
  } finally {
    await reader.close();
  }
}
