/** JSON bodies that would hold up the event loop: a thread parses them, and gives what is wanted of them. */
import { limits } from '#config/limits';
import { ThreadPool } from '#kit/threads/pool';
import type { Read, Wanted } from './large-json-thread.js';
import { Problem } from './problem.js';

export type { Wanted };

const THREAD = new URL('./large-json-thread.js', import.meta.url);

export class LargeJson {
  /** It starts with the first such body. */
  private readonly pool = new ThreadPool({
    threads: 1,
    fault: (reason, cause) =>
      new Problem('busy', reason === 'worker_lost' ? ': the body took more memory than there is' : undefined, {
        cause,
      }),
  });

  /** @param timeoutMs longest wait for a body's turn and its reading */
  constructor(private readonly timeoutMs: number) {}

  /** @throws Problem (400, 413, 503) */
  async read(body: Uint8Array<ArrayBuffer>, by: string, wanted: Wanted): Promise<unknown> {
    const options = { by, cost: body.length, timeoutMs: this.timeoutMs, transfer: [body.buffer] };
    const read = await this.pool.run<Read>(THREAD, 'readItems', [body, wanted], options);
    if ('refused' in read) throw new Problem(read.refused, read.why);
    return read.value;
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}

/** Refuses what nests deeper than it may, before anything walks it by calling itself. @throws Problem (400) */
export function refuseDeep(value: unknown): void {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const nested = level.filter((one) => typeof one === 'object' && one !== null) as object[];
    if (nested.length > 0 && depth === limits.jsonDepth)
      throw new Problem('invalid_json', `: more than ${limits.jsonDepth} levels of nesting`);
    level = nested.flatMap((one) => Object.values(one));
  }
}
