import { describe, expect, it } from '@jest/globals';
import { redisIsHere } from '../redis.js';
import { runFaults } from './faults.js';

(redisIsHere ? describe : describe.skip)('the production profile under faults', () => {
  // The cluster has more that can happen to it.
  it.each([
    ['one event store', 1, 30],
    ['a cluster of three', 3, 45],
  ])(
    'keeps what it acknowledged, once, with %s; no process dies, nothing is a 500',
    async (_, nodes, count) => {
      const report = await runFaults(count, 7, () => {}, nodes);
      expect(report.broken).toEqual([]);
      expect(report.acknowledged).toBeGreaterThan(30);
      expect(Math.min(report.findings.probing, report.findings.multi_pass)).toBeGreaterThan(0);
    },
    1_800_000,
  );
});
