import { describe, expect, it } from '@jest/globals';
import { RateLimit } from './rate-limit.js';

describe('rate limit', () => {
  it('lets a burst through, then the rate', () => {
    const limit = new RateLimit(10, 3);
    expect([0, 0, 0].map(() => limit.take('a', 0))).toEqual([0, 0, 0]);
    expect(limit.take('a', 0)).toBe(1);
    expect(limit.take('a', 99)).toBe(1);
    expect(limit.take('a', 100)).toBe(0);
    expect(limit.take('a', 100)).toBe(1);
    expect([0, 0, 0, 0].map(() => limit.take('a', 60_000) > 0)).toEqual([false, false, false, true]);
  });

  it('keeps keys apart', () => {
    const limit = new RateLimit(1, 1);
    expect([limit.take('a', 0), limit.take('b', 0), limit.take('a', 0)]).toEqual([0, 0, 1]);
  });

  it('says how long to wait', () => {
    const limit = new RateLimit(0.25, 1);
    limit.take('a', 0);
    expect(limit.take('a', 0)).toBe(4);
  });
});
