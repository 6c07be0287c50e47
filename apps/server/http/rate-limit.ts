/** A token bucket a key: `rate` requests a second, `burst` at once after a pause. */
export interface RateTaken {
  /** 0, or the whole seconds until a request is free again. */
  wait: number;
  /** Requests free now. */
  remaining: number;
  /** Whole seconds until all are free again. */
  reset: number;
}

export class RateLimit {
  private readonly buckets = new Map<string, { tokens: number; at: number }>();

  constructor(
    private readonly rate: number,
    private readonly burst: number,
  ) {}

  /**
   * Takes one request out of the key's bucket.
   * @param nowMs a clock that never steps back
   */
  take(key: string, nowMs: number): RateTaken {
    const bucket = this.buckets.get(key) ?? { tokens: this.burst, at: nowMs };
    this.buckets.set(key, bucket);
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

  /** `RateLimit-*` of an answer, after draft-ietf-httpapi-ratelimit-headers-06. */
  headers({ remaining, reset }: RateTaken): Record<string, string> {
    const { rate, burst } = this;
    return {
      'ratelimit-limit': String(burst),
      'ratelimit-remaining': String(remaining),
      'ratelimit-reset': String(reset),
      'ratelimit-policy': `${burst};w=${Math.ceil(burst / rate)}`,
    };
  }

  /** Forgets a key, as when it is revoked. */
  forget(key: string): void {
    this.buckets.delete(key);
  }
}
