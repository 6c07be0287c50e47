/** Turns of the event loop, dealt by caller: some go, then everybody else has a go. */
import { FairQueue } from './fair-queue.js';

export interface Turn {
  by: string;
  go(): void;
}

export class Turns {
  private readonly waiting = new FairQueue<Turn>();
  private dealing = false;

  /**
   * @param atOnce turns given in one turn of the event loop, at most
   * @param withinMs no further one is given once those before took so long
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
    setImmediate(() => this.dispatch());
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
    const began = performance.now();
    const until = began + this.withinMs;
    for (let n = 0; n < this.atOnce && (n === 0 || performance.now() < until); n++) this.waiting.take()?.go();
    this.dealing = this.waiting.size > 0;
    if (!this.dealing) return;
    const restMs = this.rest * (performance.now() - began);
    if (restMs < 1) setImmediate(() => this.dispatch());
    else setTimeout(() => this.dispatch(), restMs);
  }
}
