import { killRounds } from './test/killing.js';

// Two hundred rounds: npm run bench kill
it('kill -9 at ten random points under load: what was answered is stored, once, and answered again', async () => {
  const { faults, answered, cutOff } = await killRounds(10, 1);
  expect(faults).toEqual([]);
  expect(answered).toBeGreaterThan(50);
  expect(cutOff).toBeGreaterThan(9);
});
