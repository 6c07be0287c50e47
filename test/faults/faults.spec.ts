import { redisIsHere } from '../redis.js';
import { BY_ROLE, runFaults } from './faults.js';

(redisIsHere ? describe : describe.skip)('the production profile under faults', () => {
  // The cluster has more that can happen to it.
  it.each([
    ['one event store, replicas by role', { count: 20, roles: BY_ROLE }],
    ['a cluster of three', { count: 30, nodes: 3 }],
  ])(
    'keeps what it acknowledged, once, with %s; no process dies, nothing is a 500',
    async (_, options) => {
      const report = await runFaults({ seed: 7, ...options });
      expect(report.broken).toEqual([]);
      expect(report.acknowledged).toBeGreaterThan(30);
      expect(report.findings.probing).toBeGreaterThan(0);
      expect(report.findings.multi_pass).toBeGreaterThan(0);
    },
    1_800_000,
  );
});
