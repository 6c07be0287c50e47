/** Turns of the event loop, dealt by caller: some go, then everybody else has a go. */
import { FairQueue } from './fair-queue.js';

/** What is left, after each shorter turn, of how long one may take: a turn that takes long comes once in many. */
const FORGETS = 0.95;

export interface Turn {
  by: string;
  go(): void;
}

export class Turns {
  private readonly waiting = new FairQueue<Turn>();
  private dealing = false;
  /** What the turns given last took, and how long one may take by those before. */
  private tookMs = 0;
  private eachMs = 0;

  /**
   * @param atOnce turns given in one turn of the event loop, at most
   * @param withinMs no further one is given once those before took so long, or if it would take longer by what the last ones took
   * @param rest times that others have the event loop, after turns that took long, for themselves before the next
   */
  constructor(
    private readonly atOnce: number,
    private readonly withinMs: number,
    private readonly rest = 0,
  ) {}

  /** @param begun whether it goes on with what was begun: it then goes before the caller's others */
  wait(turn: Turn, begun: boolean): void {
    this.waiting.add(turn.by, turn, begun);
    if (this.dealing) return;
    this.dealing = true;
    this.tookMs = 0;
    setImmediate(() => this.dispatch());
  }

  /** What a turn let come took so long: bytes are read after it is over. */
  took(ms: number): void {
    this.eachMs = Math.max(ms, FORGETS * this.eachMs);
    if (this.dealing) this.tookMs += ms;
  }

  leave(turn: Turn): void {
    this.waiting.remove(turn.by, turn);
  }

  /** Does work in steps, each further one in a turn of its own. @param step tells whether there are more */
  async work(by: string, step: () => boolean): Promise<void> {
    if (!step()) return;
    await new Promise<void>((resolve, reject) => {
      const turn: Turn = {
        by,
        go: () => {
          try {
            if (step()) this.wait(turn, true);
            else resolve();
          } catch (error) {
            reject(error);
          }
        },
      };
      this.wait(turn, true);
    });
  }

  private dispatch(): void {
    const restMs = this.rest * this.tookMs;
    if (restMs < 1) this.deal();
    else setTimeout(() => this.deal(), restMs);
  }

  private deal(): void {
    this.dealing = this.waiting.size > 0;
    if (!this.dealing) return;
    const began = performance.now();
    const until = began + this.withinMs;
    let n = 0;
    for (; n < this.atOnce && (n === 0 || performance.now() + n * this.eachMs < until); n++) this.waiting.take()?.go();
    this.tookMs = performance.now() - began;
    setImmediate(() => this.dispatch());
  }
}
