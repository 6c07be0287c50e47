import { expect, it } from '@jest/globals';
import { killRounds } from './test/killing.js';

// Two hundred rounds: npm run bench kill
it('kill -9 at ten random points under load: what was told is stored, once, and told again', async () => {
  const { faults, told, cutOff } = await killRounds(10, 1);
  expect(faults).toEqual([]);
  expect(told).toBeGreaterThan(50);
  expect(cutOff).toBeGreaterThan(9);
}, 300_000);
