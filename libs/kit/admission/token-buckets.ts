/** A token bucket for each name. */
export interface RateTaken {
  /** 0, or the whole seconds until a request is free again. */
  wait: number;
  /** Requests free now. */
  remaining: number;
  /** Whole seconds until all are free again. */
  reset: number;
}

export class TokenBuckets {
  private readonly buckets = new Map<string, { tokens: number; at: number }>();

  /** @param rate requests a second @param burst requests at once after a pause */
  constructor(
    readonly rate: number,
    readonly burst: number,
  ) {}

  /**
   * Takes one request out of the bucket.
   * @param nowMs a clock that never steps back
   */
  take(name: string, nowMs: number): RateTaken {
    const bucket = this.buckets.get(name) ?? { tokens: this.burst, at: nowMs };
    this.buckets.set(name, bucket);
    bucket.tokens = Math.min(this.burst, bucket.tokens + ((nowMs - bucket.at) / 1000) * this.rate);
    bucket.at = nowMs;
    const free = bucket.tokens >= 1;
    if (free) bucket.tokens -= 1;
    return {
      wait: free ? 0 : Math.ceil((1 - bucket.tokens) / this.rate),
      remaining: Math.floor(bucket.tokens),
      reset: Math.ceil((this.burst - bucket.tokens) / this.rate),
    };
  }

  /** Forgets a bucket, for example of a key that is revoked. */
  forget(name: string): void {
    this.buckets.delete(name);
  }
}
