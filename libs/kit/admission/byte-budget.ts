/** Memory that callers share: each may hold all of it, until somebody who holds less needs some. */

/** Bytes that one request holds. */
export interface Holding {
  by: string;
  bytes: number;
  /** Called where the request has to give way to a caller that holds less; there is none while it cannot. */
  giveWay?(why: Error): void;
}

/** An exchange that ends. */
interface Ending {
  once(event: 'close', ended: () => void): unknown;
}

export class ByteBudget {
  private held = 0;
  private readonly byRequest = new WeakMap<Ending, Holding>();
  /** Each one's holdings in the order of coming, and their sum. */
  private readonly byWhom = new Map<string, { sum: number; holdings: Set<Holding> }>();

  /**
   * @param limit bytes that all requests together hold, each until its response is closed
   * @param full makes the fault of a request that finds no room, or has to give way
   */
  constructor(
    private readonly limit: number,
    private readonly full: () => Error,
  ) {}

  get heldBytes(): number {
    return this.held;
  }

  /** The share of this request; there is one per request. */
  of(response: Ending, by: string): Holding {
    const known = this.byRequest.get(response);
    if (known) return known;
    const holding: Holding = { by, bytes: 0 };
    this.byRequest.set(response, holding);
    response.once('close', () => this.release(holding));
    return holding;
  }

  /**
   * Counts bytes. Where there is no room for them, the newest holding that can gives way, of the caller that holds most.
   * @throws what `full` makes, where that would be this caller
   */
  add(holding: Holding, bytes: number): void {
    if (bytes > this.limit) throw this.full();
    while (this.held + bytes > this.limit) {
      const other = this.givesWay(holding, bytes);
      if (!other) throw this.full();
      this.release(other);
      other.giveWay?.(this.full());
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
    let found: Holding | undefined;
    for (const { sum, holdings } of this.byWhom.values()) {
      if (sum <= largest) continue;
      const newest = [...holdings].reverse().find(({ giveWay }) => giveWay);
      if (!newest) continue;
      largest = sum;
      found = newest;
    }
    return found;
  }

  private release(holding: Holding): void {
    const mine = this.byWhom.get(holding.by);
    if (!mine?.holdings.delete(holding)) return;
    mine.sum -= holding.bytes;
    this.held -= holding.bytes;
    holding.bytes = 0;
    if (mine.holdings.size === 0) this.byWhom.delete(holding.by);
  }
}
