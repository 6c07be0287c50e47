import { existsSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { hostileRequest, makeMaterial } from './requests.js';
import { soak } from './soak.js';

it('sends the same requests for a seed on every run', async () => {
  const [one, two] = [await makeMaterial(1), await makeMaterial(1)];
  for (let n = 0; n < 200; n++) {
    const [a, b] = [hostileRequest(1, n, one, 'key'), hostileRequest(1, n, two, 'key')];
    expect([b.kind, b.delivery]).toEqual([a.kind, a.delivery]);
    // A zip names the time of its packing.
    if (!a.bytes.includes('.zip')) expect(a.bytes.equals(b.bytes)).toBe(true);
  }
});

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
