/**
 * A fair queue (start-time fair queueing). Every waiting caller gets the same share of the work, whatever the sizes of its
 * items: the next one is the caller that has had least since there was a queue. A caller that waits alone may have all of
 * it. The same for bodies that are read, jobs of threads and workers, and claims that wait to be let in.
 */
export class FairQueue<T> {
  private readonly lines = new Map<string, Line<T>>();
  /** Share of the caller served last when it was served: a new caller begins there. */
  private served = 0;
  size = 0;

  /** @param cost of an item, in any unit above 0 */
  constructor(private readonly cost: (thing: T) => number = () => 1) {}

  /** @param front before all other items of the same caller, for work that goes on */
  add(by: string, thing: T, front = false): void {
    let line = this.lines.get(by);
    if (!line) {
      line = { waiting: [], had: this.served };
      this.lines.set(by, line);
    }
    if (front) line.waiting.unshift(thing);
    else line.waiting.push(thing);
    this.size++;
  }

  /** Takes out the next item. @param fits whether an item can be used now; others are skipped */
  take(fits: (thing: T) => boolean = () => true): T | undefined {
    let best: { by: string; line: Line<T>; at: number } | undefined;
    for (const [by, line] of this.lines) {
      if (best && line.had >= best.line.had) continue;
      const at = line.waiting.findIndex(fits);
      if (at >= 0) best = { by, line, at };
    }
    if (!best) return undefined;
    const { by, line, at } = best;
    const [thing] = line.waiting.splice(at, 1);
    this.served = Math.max(this.served, line.had);
    line.had += this.cost(thing);
    this.taken(by, line);
    return thing;
  }

  remove(by: string, thing: T): boolean {
    const line = this.lines.get(by);
    const at = line?.waiting.lastIndexOf(thing) ?? -1;
    if (!line || at < 0) return false;
    line.waiting.splice(at, 1);
    this.taken(by, line);
    return true;
  }

  /**
   * The item that gives way to one more of a caller where no more may wait: the newest of the caller with most waiting.
   * Undefined where that is the caller itself, or where no caller has more than it would have then.
   */
  givesWay(by: string): T | undefined {
    let most: Line<T> | undefined;
    for (const line of this.lines.values()) if (!most || line.waiting.length > most.waiting.length) most = line;
    const own = (this.lines.get(by)?.waiting.length ?? 0) + 1;
    return most && most.waiting.length > own ? most.waiting.at(-1) : undefined;
  }

  /** All waiting items. */
  all(): T[] {
    return [...this.lines.values()].flatMap(({ waiting }) => waiting);
  }

  private taken(by: string, line: Line<T>): void {
    this.size--;
    if (line.waiting.length === 0) this.lines.delete(by);
  }
}

interface Line<T> {
  waiting: T[];
  /** Cost of the items that it was given, on the common scale. */
  had: number;
}
