import { existsSync } from 'node:fs';
import { soak } from './soak.js';

// The whole: npm run soak
(existsSync('/proc/self/status') ? it : it.skip)(
  'half a minute of the soak: no 5xx but 503, memory bounded, the log sound',
  async () => {
    const { faults, rssMiB, statuses, sent, idleOpened } = await soak({
      seed: 1,
      requests: 100_000,
      seconds: 30,
      idle: 400,
      drips: 10,
      guesses: 200,
    });
    expect(faults).toEqual([]);
    expect(sent).toBeGreaterThan(100);
    expect(idleOpened).toBe(400);
    for (const status of [200, 400, 401, 415, 422]) expect(statuses[status]).toBeGreaterThan(0);
    expect(rssMiB[1]).toBeLessThan(800);
  },
);
