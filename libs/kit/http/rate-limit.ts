import { type RateTaken, TokenBuckets } from '#kit/admission/token-buckets';

/** Requests of each key. */
export class RateLimit extends TokenBuckets {
  /** `RateLimit-*` of an answer, after draft-ietf-httpapi-ratelimit-headers-06. */
  headers({ remaining, reset }: RateTaken, own?: number): Record<string, string> {
    const { rate, burst } = this.of(own);
    return {
      'ratelimit-limit': String(burst),
      'ratelimit-remaining': String(remaining),
      'ratelimit-reset': String(reset),
      'ratelimit-policy': `${burst};w=${Math.ceil(burst / rate)}`,
    };
  }
}
