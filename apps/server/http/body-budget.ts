/** Memory for bodies and the turns in which they are read: both are shared by who sends them. */
import type { ServerResponse } from 'node:http';
import { FairOrder } from '#threads';
import { Problem } from './problem.js';

/** A body may bring so many bytes before it waits for its turn, and so many more with each turn. */
export const TURN_BYTES = 64 * 1024;
/** Turns given in one turn of the event loop: half a megabyte is read, then everybody else has a go. */
const TURNS = 8;
/** Time over which the rate of an upload is looked at. */
export const RATE_WINDOW_MS = 5_000;

/** A body that waits for its turn to be read on. */
export interface Reader {
  by: string;
  go(): void;
}

/** What one request holds of the memory for bodies. */
export interface Holding {
  by: string;
  bytes: number;
  /** To be called where the request has to give way to somebody who holds less. */
  giveWay(why: Problem): void;
}

export class BodyBudget {
  private held = 0;
  private readonly byRequest = new WeakMap<ServerResponse, Holding>();
  /** Each one's holdings in the order of coming, and their sum. */
  private readonly byWhom = new Map<string, { sum: number; holdings: Set<Holding> }>();
  private readonly waiting = new FairOrder<Reader>();
  private dealing = false;

  /**
   * @param limit bytes of bodies that all requests together hold, each until its response is closed
   * @param minRate bytes a second that an upload has to bring; slower ones end with 408
   */
  constructor(
    private readonly limit: number,
    readonly minRate = 0,
  ) {}

  get heldBytes(): number {
    return this.held;
  }

  /** What this request holds; there is one holding a request. */
  of(response: ServerResponse, by: string): Holding {
    const known = this.byRequest.get(response);
    if (known) return known;
    const holding: Holding = { by, bytes: 0, giveWay: () => {} };
    this.byRequest.set(response, holding);
    response.once('close', () => this.release(holding));
    return holding;
  }

  /**
   * Counts bytes of a body. One sender may hold all the memory there is; where somebody else needs some of it, the newest
   * bodies of who holds most give way.
   * @throws Problem (503) where that would be this sender
   */
  add(holding: Holding, bytes: number): void {
    if (bytes > this.limit) throw full();
    while (this.held + bytes > this.limit) {
      const other = this.givesWay(holding, bytes);
      if (!other) throw full();
      this.release(other);
      other.giveWay(full());
    }
    const mine = this.byWhom.get(holding.by) ?? { sum: 0, holdings: new Set() };
    this.byWhom.set(holding.by, mine);
    mine.holdings.add(holding);
    mine.sum += bytes;
    holding.bytes += bytes;
    this.held += bytes;
  }

  private givesWay({ by }: Holding, bytes: number): Holding | undefined {
    let largest = (this.byWhom.get(by)?.sum ?? 0) + bytes;
    let found: Set<Holding> | undefined;
    for (const { sum, holdings } of this.byWhom.values()) {
      if (sum <= largest) continue;
      largest = sum;
      found = holdings;
    }
    return found && [...found].at(-1);
  }

  private release(holding: Holding): void {
    const mine = this.byWhom.get(holding.by);
    if (!mine?.holdings.delete(holding)) return;
    mine.sum -= holding.bytes;
    this.held -= holding.bytes;
    holding.bytes = 0;
    if (mine.holdings.size === 0) this.byWhom.delete(holding.by);
  }

  /** Puts a body in the line of its sender; one that was begun goes before those that were not. */
  wait(reader: Reader, begun: boolean): void {
    this.waiting.add(reader.by, reader, begun);
    if (this.dealing) return;
    this.dealing = true;
    setImmediate(() => this.deal());
  }

  leave(reader: Reader): void {
    this.waiting.remove(reader.by, reader);
  }

  private deal(): void {
    for (let turn = 0; turn < TURNS; turn++) this.waiting.take()?.go();
    this.dealing = this.waiting.size > 0;
    if (this.dealing) setImmediate(() => this.deal());
  }
}

const full = () => new Problem('bodies_full', undefined, { headers: { 'retry-after': '1' } });
