import { setTimeout as sleep } from 'node:timers/promises';
import { paceOf } from './pace.js';

it('lets go no faster than the rate, and at once without one', async () => {
  const took = async (perSecond?: number) => {
    const pace = paceOf(perSecond);
    const began = performance.now();
    for (let turn = 0; turn < 5; turn++) await pace();
    return performance.now() - began;
  };
  // Four pauses of 50 ms; a timer may end a millisecond early.
  expect(await took(20)).toBeGreaterThan(190);
  const pace = paceOf();
  expect(await Promise.race([pace().then(() => 'at once'), sleep(10_000, 'later', { ref: false })])).toBe('at once');
});
