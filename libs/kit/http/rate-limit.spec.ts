import { RateLimit } from './rate-limit.js';

describe('headers of a rate limit', () => {
  it('say what is left, when all is free again, and the policy', () => {
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
