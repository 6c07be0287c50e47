import { type Cell, simulate, type Times } from './simulation.js';

const NONE: Times = { client: 0, edge: 0, reading: 0, redis: 0, worker: 0, log: 0, folding: 0, trip: 0 };
const CELL: Cell = { claims: 1, threads: 1, operators: 1, workers: 1, logSlots: 1 };
const EACH: Times = { client: 0, edge: 2, reading: 1, redis: 0.5, worker: 3, log: 0.8, folding: 1, trip: 0.5 };

describe('a cell as queues', () => {
  it('answers one client after all steps and trips', () => {
    const { p50, claimsPerSecond } = simulate(CELL, EACH, { clients: 1, requests: 4000, seed: 1 });
    expect(p50).toBeGreaterThan(0.97 * 8.8);
    expect(p50).toBeLessThan(1.03 * 8.8);
    expect(claimsPerSecond).toBeCloseTo(1000 / 8.8, -1);
  });

  it('goes as fast as its slowest part, twice as fast with two of them', () => {
    const load = { clients: 40, requests: 4000, seed: 2 };
    const one = simulate(CELL, EACH, load);
    expect(one.claimsPerSecond / (1000 / 3)).toBeCloseTo(1, 1);
    expect(one.busy.worker).toBeGreaterThan(0.98);
    const two = simulate({ ...CELL, workers: 2 }, EACH, load);
    expect(two.claimsPerSecond / (1000 / 2)).toBeCloseTo(1, 1);
    expect(two.busy.edge).toBeGreaterThan(0.98);
  });

  it('does no more than its cores, whatever the parts', () => {
    const cell = { ...CELL, claims: 4, workers: 4, cores: 2 };
    const { claimsPerSecond } = simulate(cell, EACH, { clients: 40, requests: 4000, seed: 3 });
    // 8.3 ms of processor time a claim, folding among it.
    expect(claimsPerSecond / (2000 / 8.3)).toBeCloseTo(1, 1);
  });

  it('lets claims wait as a queue with one server and times that differ by half does', () => {
    // Pollaczek and Khinchin: rho = 0.6, and a squared coefficient of variation of 1/12.
    const times = { ...NONE, worker: 6 };
    const { p50, p99 } = simulate(CELL, times, { rate: 100, requests: 200_000, seed: 4 });
    const mean = 6 + (0.6 * 6 * (1 + 1 / 12)) / (2 * 0.4);
    expect(p50).toBeLessThan(mean);
    expect(p99).toBeGreaterThan(2 * mean);
  });

  it('is the same for the same seed, and another for another', () => {
    const load = { rate: 200, requests: 2000, seed: 5 };
    expect(simulate(CELL, EACH, load)).toEqual(simulate(CELL, EACH, load));
    expect(simulate(CELL, EACH, { ...load, seed: 6 }).p50).not.toBe(simulate(CELL, EACH, load).p50);
  });

  it('has claims wait for a part that is away, and folds later what it could not fold', () => {
    const load = { rate: 100, requests: 2000, seed: 7 };
    const whole = simulate(CELL, EACH, load);
    const away = simulate(CELL, EACH, load, { part: 'worker', from: 5000, for: 2000 });
    expect(away.longest).toBeGreaterThan(2000);
    expect(away.longest).toBeLessThan(3000);
    expect(away.p50).toBeLessThan(2 * whole.p50);
    const folding = simulate(CELL, EACH, load, { part: 'folding', from: 1000, for: 60_000 });
    expect([folding.p99 < 2 * whole.p99, folding.unfolded > 1000]).toEqual([true, true]);
  });
});
