/** A bounded cache of the entries put or read most recently. */
export class Recent<Key, Value> {
  private newer = new Map<Key, Value>();
  private older = new Map<Key, Value>();

  constructor(private readonly capacity: number) {}

  put(key: Key, value: Value): void {
    if (this.newer.size >= this.capacity / 2) {
      this.older = this.newer;
      this.newer = new Map();
    }
    this.newer.set(key, value);
  }

  get(key: Key): Value | undefined {
    const kept = this.newer.get(key);
    if (kept !== undefined) return kept;
    const found = this.older.get(key);
    if (found !== undefined) this.put(key, found);
    return found;
  }

  /** A miss is not kept. */
  of<Found extends Value | undefined>(key: Key, read: () => Found): Value | Found {
    const kept = this.get(key);
    if (kept !== undefined) return kept;
    const found = read();
    if (found !== undefined) this.put(key, found as Value);
    return found;
  }

  delete(key: Key): void {
    this.newer.delete(key);
    this.older.delete(key);
  }

  clear(): void {
    this.newer.clear();
    this.older.clear();
  }
}
