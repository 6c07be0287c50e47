import { TokenBuckets } from './token-buckets.js';

describe('token buckets', () => {
  it('lets a burst through, then the rate', () => {
    const limit = new TokenBuckets(10, 3);
    const wait = (at: number) => limit.take('a', at).wait;
    expect([0, 0, 0].map(wait)).toEqual([0, 0, 0]);
    expect([0, 99, 100, 100].map(wait)).toEqual([1, 1, 0, 1]);
    expect([0, 0, 0, 0].map(() => wait(60_000) > 0)).toEqual([false, false, false, true]);
  });

  it('keeps keys apart', () => {
    const limit = new TokenBuckets(1, 1);
    expect(['a', 'b', 'a'].map((key) => limit.take(key, 0).wait)).toEqual([0, 0, 1]);
  });

  it('says how long to wait', () => {
    const limit = new TokenBuckets(0.25, 1);
    limit.take('a', 0);
    expect(limit.take('a', 0).wait).toBe(4);
  });
});
