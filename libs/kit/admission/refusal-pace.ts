/**
 * The pace of refusals that a caller can provoke at no cost, for example by guessing keys, or by long malformed bodies.
 * A few are answered at once; the others wait with their bodies unread. So they keep the caller's connections busy, not the
 * service.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { TokenBuckets } from './token-buckets.js';

/** For all callers together: callers behind one proxy share its address, and a guesser has as many addresses as it wants. */
const A_SECOND = 50;
const AT_ONCE = 100;
const WAIT_MS = 1_000;

export class RefusalPace {
  private readonly atOnce = new TokenBuckets(A_SECOND, AT_ONCE);

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

/** Of one caller: whose long bodies are refused. Each brings what its connection held already, and ends it. */
const BODIES_A_SECOND = 5;
const BODIES_AT_ONCE = 20;
const BODY_WAIT_MS = 200;

/** The pace of refusals of bodies whose rest is not read. */
export class BodyRefusalPace {
  private readonly callers = new TokenBuckets(BODIES_A_SECOND, BODIES_AT_ONCE);

  /** @param now milliseconds on a clock that never steps back */
  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly wait: () => Promise<unknown> = () => sleep(BODY_WAIT_MS, undefined, { ref: false }),
  ) {}

  /** Resolves when the caller may have its refusal. */
  async turn(by: string): Promise<void> {
    while (this.callers.take(by, this.now()).wait > 0) await this.wait();
  }
}
