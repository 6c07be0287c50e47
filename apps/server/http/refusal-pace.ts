/**
 * Refusals that cost their caller nothing to provoke, as those of a guessed key, are answered at once while they are few. Beyond
 * that each waits, its body unread: so guessing keeps the guesser's connections busy, not the service.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { RateLimit } from './rate-limit.js';

/** Of all callers together, as those behind one proxy share its address, and a guesser has as many addresses as it wants. */
const A_SECOND = 50;
const AT_ONCE = 100;
const WAIT_MS = 1_000;

export class RefusalPace {
  private readonly atOnce = new RateLimit(A_SECOND, AT_ONCE);

  /** @param now milliseconds on a clock that never steps back */
  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly wait: () => Promise<unknown> = () => sleep(WAIT_MS),
  ) {}

  /** Resolves when the refusal may be answered. */
  async turn(): Promise<void> {
    if (this.atOnce.take('', this.now()).wait > 0) await this.wait();
  }
}
