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
   * @param own rate of this one alone, with twice as many at once
   */
  take(name: string, nowMs: number, own?: number): RateTaken {
    const { rate, burst } = this.of(own);
    const bucket = this.buckets.get(name) ?? { tokens: burst, at: nowMs };
    this.buckets.set(name, bucket);
    bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.at) / 1000) * rate);
    bucket.at = nowMs;
    const free = bucket.tokens >= 1;
    if (free) bucket.tokens -= 1;
    return {
      wait: free ? 0 : Math.ceil((1 - bucket.tokens) / rate),
      remaining: Math.floor(bucket.tokens),
      reset: Math.ceil((burst - bucket.tokens) / rate),
    };
  }

  /** @param own rate of one name alone */
  protected of(own?: number) {
    return own === undefined ? { rate: this.rate, burst: this.burst } : { rate: own, burst: 2 * own };
  }
}
