/**
 * Whose turn it is among things that wait. Everybody who waits gets the same share of the work, in whatever sizes it comes:
 * next is the one who has had least since there was a queue (start-time fair queueing). Nobody else waiting, one may have
 * all of it. Pure, and the same for bodies that are read and for claims that are scored.
 */
export class FairOrder<T> {
  private readonly lines = new Map<string, Line<T>>();
  /** What the one served last had had when it was served: who comes new begins there. */
  private served = 0;
  size = 0;

  /** @param cost of a thing, in any unit above 0 */
  constructor(private readonly cost: (thing: T) => number = () => 1) {}

  /** @param front before everything of the same one's, as for work that goes on */
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

  /** Takes out what comes next. @param fits whether a thing can be used now; what cannot is passed over */
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
   * What has to give way, where no more may wait, to one thing more of somebody's: the newest of who has most waiting.
   * Undefined where that would be nobody but the one who asks, or nobody with more than it would have then.
   */
  givesWay(by: string): T | undefined {
    let most: Line<T> | undefined;
    for (const line of this.lines.values()) if (!most || line.waiting.length > most.waiting.length) most = line;
    const own = (this.lines.get(by)?.waiting.length ?? 0) + 1;
    return most && most.waiting.length > own ? most.waiting.at(-1) : undefined;
  }

  /** Everything that waits, as it stands. */
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
  /** Cost of what it was given, on the scale on which all began alike. */
  had: number;
}
