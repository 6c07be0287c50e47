import { beforeAll, describe, expect, it } from '@jest/globals';
import { ThreadPool } from '#kit/threads/pool';
import { fitOf } from '#science/lots/fit';
import type { SessionType } from '#science/lots/model';
import { loadUsual } from '#science/lots/reference-lots';
import { type TrainedOnOwn, trainOnOwn } from './own.js';
import { ownLines } from './own-page.js';
import { read, shipped, write } from './test/parcels.js';

describe('a model of own parcels', () => {
  let trained: TrainedOnOwn;
  let taken: TrainedOnOwn;
  beforeAll(async () => {
    write('own', 'shaken', 6);
    const plan = { name: 'house', seed: 1, parcels: 4, stones: 20, bars: 1, cohort: { parcels: 1, stones: 40 } };
    const pool = new ThreadPool({ threads: 2 });
    try {
      trained = await trainOnOwn(plan, await read('own'), pool, () => {});
      taken = await trainOnOwn(plan, await read('own'), pool, () => {}, shipped);
    } finally {
      await pool.close();
    }
  });

  it('has bars, a cohort and a place of its own where there are parcels, and simulated bars elsewhere', () => {
    const { model, usual, types } = trained;
    expect(types).toEqual(['shaken']);
    expect(model.sessionOffset).toBe('removed');
    // 40 simulated stones and all 72 of the parcels.
    expect(model.cohort.length / 96).toBe(40 + 72);
    expect(usual.own).toMatchObject({ session_types: ['shaken'], centre: expect.any(Array) });
    expect(usual.own?.centre).not.toEqual(usual.centre);
    const sizes = (type: SessionType) => usual.cells.flatMap((c) => (c.session_type === type ? [c.lot_size] : []));
    expect(sizes('shaken')).toEqual([10]);
    expect(sizes('table-up')).toEqual([10, 20, 40, 60]);
    // With lots of one size alone the slope is another model's.
    expect(model.bars.shaken.genuine.slope).toBe(shipped.bars.shaken.genuine.slope);
    expect(loadUsual(JSON.stringify(usual), model)).toEqual(usual);
  });

  it('takes the encoder of another model as it is, where one is given', () => {
    expect(taken.model.projection).toEqual(shipped.projection);
    expect(trained.model.projection).not.toEqual(shipped.projection);
    expect(taken.model.cohort.length).toBe(trained.model.cohort.length);
    expect(taken.model.bars.shaken).not.toEqual(shipped.bars.shaken);
  });

  it('judges by session type where lots usually lie', () => {
    const { usual } = trained;
    const centre = Float64Array.from(usual.own!.centre);
    const at = (session: SessionType) => fitOf(usual, { session, size: 10, centre, share: 0 })!.distance.value;
    expect(at('shaken')).toBe(0);
    expect(at('table-up')).toBeGreaterThan(0);
  });

  it('says what it does on these parcels beside the shipped one, and which bars are simulated', () => {
    const { types, compared } = trained;
    expect(compared.map(({ shipped: one, own }) => [one.lots, own.lots, own.lot_size])).toEqual([[24, 24, 10]]);
    const lines = ownLines(types, compared).join('\n');
    expect(lines).toMatch(/shaken, 10 stones, 24 lots\n +shipped model +[\d.]+% .*\n +your model +[\d.]+% /);
    expect(lines).toContain('Bars of table-up and culet-focus are those of simulated parcels');
    expect(lines).toContain('Bars of shaken were set at 10 stones and are extended to larger lots');
  });
});
