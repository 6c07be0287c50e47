/** Turns of the event loop, dealt by caller: so many go, then everybody else has a go. */
import { FairQueue } from './fair-queue.js';

export interface Turn {
  by: string;
  go(): void;
}

export class Turns {
  private readonly waiting = new FairQueue<Turn>();
  private dealing = false;

  /** @param atOnce turns given in one turn of the event loop */
  constructor(private readonly atOnce: number) {}

  /** @param begun whether it goes on with what was begun: it then goes before the caller's others */
  wait(turn: Turn, begun: boolean): void {
    this.waiting.add(turn.by, turn, begun);
    if (this.dealing) return;
    this.dealing = true;
    setImmediate(() => this.deal());
  }

  leave(turn: Turn): void {
    this.waiting.remove(turn.by, turn);
  }

  private deal(): void {
    for (let n = 0; n < this.atOnce; n++) this.waiting.take()?.go();
    this.dealing = this.waiting.size > 0;
    if (this.dealing) setImmediate(() => this.deal());
  }
}
