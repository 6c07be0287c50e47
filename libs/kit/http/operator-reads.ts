/** Operators' reads in hand: so many of one credential at once, the rest wait for their turn. */
import type { ServerResponse } from 'node:http';
import { ConcurrencyLimit } from '#kit/admission/concurrency-limit';
import { ClientGone, Problem } from './problem.js';

/** At once, of all operators together; each has one at least. */
const AT_ONCE = 2;
const MAX_WAITING = 256;

export class OperatorReads {
  private readonly limit = new ConcurrencyLimit({
    shared: AT_ONCE,
    alone: AT_ONCE,
    maxWaiting: MAX_WAITING,
    fault: (reason) =>
      reason === 'cancelled'
        ? new ClientGone()
        : new Problem('busy', ': others of this operator are being answered', { headers: { 'retry-after': '1' } }),
    now: () => performance.now(),
  });

  /** @param timeoutMs longest wait */
  constructor(private readonly timeoutMs: number) {}

  /** Resolves with its turn, which lasts until the response is closed. @throws Problem (503), ClientGone */
  async enter(operator: string, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    const left = () => gone.abort();
    response.once('close', left);
    const leave = await this.limit.enter({ by: operator, timeoutMs: this.timeoutMs, signal: gone.signal });
    if (response.destroyed) leave();
    else response.once('close', leave);
  }
}
