/**
 * Work on a thing, and what must not happen beside it: any number hold it at once; what ends it waits for all of them, and
 * a holder that comes meanwhile waits for that.
 */
export class Holds {
  private readonly held = new Map<string, number>();
  /** Resolved when the last hold on a thing is let go, for the caller that waits to end it. */
  private readonly freed = new Map<string, () => void>();
  private readonly ending = new Map<string, Promise<void>>();

  /** Resolves with what lets go; at once, unless the thing is being ended. */
  async hold(thing: string): Promise<() => void> {
    for (let ending = this.ending.get(thing); ending; ending = this.ending.get(thing)) await ending;
    this.held.set(thing, (this.held.get(thing) ?? 0) + 1);
    let holds = true;
    return () => {
      if (!holds) return;
      holds = false;
      const left = this.held.get(thing)! - 1;
      if (left > 0) this.held.set(thing, left);
      else {
        this.held.delete(thing);
        this.freed.get(thing)?.();
      }
    };
  }

  /** Does the work once the thing is not held; it cannot be held before the work is done. */
  async end<T>(thing: string, work: () => Promise<T>): Promise<T> {
    for (let ending = this.ending.get(thing); ending; ending = this.ending.get(thing)) await ending;
    let over!: () => void;
    this.ending.set(
      thing,
      new Promise<void>((resolve) => {
        over = resolve;
      }),
    );
    try {
      if (this.held.has(thing)) await new Promise<void>((resolve) => this.freed.set(thing, resolve));
      return await work();
    } finally {
      this.freed.delete(thing);
      this.ending.delete(thing);
      over();
    }
  }
}
