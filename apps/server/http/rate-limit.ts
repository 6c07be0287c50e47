/** A token bucket a key: `rate` requests a second, `burst` at once after a pause. */
export class RateLimit {
  private readonly buckets = new Map<string, { tokens: number; at: number }>();

  constructor(
    private readonly rate: number,
    private readonly burst: number,
  ) {}

  /**
   * Takes one request out of the key's bucket.
   * @param nowMs a clock that never steps back
   * @returns 0, or the whole seconds until a request is free again
   */
  take(key: string, nowMs: number): number {
    const bucket = this.buckets.get(key);
    if (!bucket) {
      this.buckets.set(key, { tokens: this.burst - 1, at: nowMs });
      return 0;
    }
    bucket.tokens = Math.min(this.burst, bucket.tokens + ((nowMs - bucket.at) / 1000) * this.rate);
    bucket.at = nowMs;
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / this.rate);
    bucket.tokens -= 1;
    return 0;
  }

  /** Forgets a key, as when it is revoked. */
  forget(key: string): void {
    this.buckets.delete(key);
  }
}
