import { describe, expect, it } from '@jest/globals';
import { redisIsHere } from '../redis.js';
import { runFaults } from './faults.js';

(redisIsHere ? describe : describe.skip)('the production profile under faults', () => {
  it('keeps what it acknowledged, once, through thirty random faults', async () => {
    const report = await runFaults(30, 7, () => {});
    expect(report.broken).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(30);
    expect(Math.min(report.findings.probing, report.findings.multi_pass)).toBeGreaterThan(0);
  }, 400_000);
});
