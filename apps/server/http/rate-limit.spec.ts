import { describe, expect, it } from '@jest/globals';
import { RateLimit } from './rate-limit.js';

describe('rate limit', () => {
  it('lets a burst through, then the rate', () => {
    const limit = new RateLimit(10, 3);
    const wait = (at: number) => limit.take('a', at).wait;
    expect([0, 0, 0].map(wait)).toEqual([0, 0, 0]);
    expect([0, 99, 100, 100].map(wait)).toEqual([1, 1, 0, 1]);
    expect([0, 0, 0, 0].map(() => wait(60_000) > 0)).toEqual([false, false, false, true]);
  });

  it('keeps keys apart', () => {
    const limit = new RateLimit(1, 1);
    expect(['a', 'b', 'a'].map((key) => limit.take(key, 0).wait)).toEqual([0, 0, 1]);
  });

  it('says how long to wait', () => {
    const limit = new RateLimit(0.25, 1);
    limit.take('a', 0);
    expect(limit.take('a', 0).wait).toBe(4);
  });

  it('says what is left, when all is free again, and the policy', () => {
    const limit = new RateLimit(1000, 2000);
    const headers = limit.headers(limit.take('a', 0));
    expect(headers).toEqual({
      'ratelimit-limit': '2000',
      'ratelimit-remaining': '1999',
      'ratelimit-reset': '1',
      'ratelimit-policy': '2000;w=2',
    });
    for (let i = 0; i < 1999; i++) limit.take('a', 0);
    expect(limit.headers(limit.take('a', 0))).toMatchObject({ 'ratelimit-remaining': '0', 'ratelimit-reset': '2' });
  });
});
