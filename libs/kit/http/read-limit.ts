/** Reads in hand: so many of one credential at once, the rest wait for their turn. */
import type { ServerResponse } from 'node:http';
import { ConcurrencyLimit } from '#kit/admission/concurrency-limit';
import { ClientGone, Problem } from './problem.js';

/** Of one credential alone; of all together where several read, each of which has one at least. */
const AT_ONCE = 2;
const MAX_WAITING = 256;

export class ReadLimit {
  private readonly limit = new ConcurrencyLimit({
    shared: AT_ONCE,
    alone: AT_ONCE,
    maxWaiting: MAX_WAITING,
    fault: (reason) =>
      reason === 'cancelled'
        ? new ClientGone()
        : new Problem('busy', ': other reads of this credential are not answered yet', {
            headers: { 'retry-after': '1' },
          }),
    now: () => performance.now(),
  });

  /** @param timeoutMs longest wait */
  constructor(private readonly timeoutMs: number) {}

  /** Resolves with a turn, which lasts until the response is closed. @throws Problem (503), ClientGone */
  async enter(by: string, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const leave = await this.limit.enter({ by, timeoutMs: this.timeoutMs, signal: gone.signal });
    if (response.destroyed) leave();
    else response.once('close', leave);
  }
}
