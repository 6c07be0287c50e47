/** Results of work that is done once: the last `most` of them by name, while they are made too. A failure is not kept. */
export class Remembered<T> {
  /** The longest unused first. */
  private readonly held = new Map<string, Promise<T>>();

  constructor(private readonly most: number) {}

  get(name: string, make: () => Promise<T>): Promise<T> {
    const one =
      this.held.get(name) ??
      make().catch((error) => {
        this.held.delete(name);
        throw error;
      });
    this.held.delete(name);
    this.held.set(name, one);
    for (const longest of this.held.keys()) {
      if (this.held.size <= this.most) break;
      this.held.delete(longest);
    }
    return one;
  }
}
