import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fitOf, loadUsual, type SessionType, shippedLotModel } from '#lots';
import { ThreadPool } from '#threads';
import { lotFiles } from './lot-files.js';
import { type TrainedOnOwn, trainOnOwn } from './own.js';
import { ownLines } from './own-page.js';
import { listOwnParcels, readOwnParcels } from './own-parcels.js';

const shipped = shippedLotModel();
let root: string;
const at = (...parts: string[]) => join(root, ...parts);
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'mvs-own-'));
});
afterAll(() => rmSync(root, { recursive: true }));

/** Parcels of a trader who sends 12 stones at a time. */
function write(folder: string, session: SessionType, parcels: number, stones = 12): void {
  const order = { family: 'test' as const, seed: 31, stones, session, scans: 3, substitution: 0, twins: false };
  for (let parcel = 0; parcel < parcels; parcel++) {
    const { name, files } = lotFiles({ ...order, parcel, named: true });
    for (const visit of ['enrol', 'return']) mkdirSync(at(folder, session, name, visit), { recursive: true });
    for (const { name: file, data } of files) writeFileSync(at(folder, session, name, file), data);
  }
}
const read = async (folder: string, told: string[] = []) =>
  readOwnParcels(await listOwnParcels(at(folder)), shipped, (line) => told.push(line));

describe('a folder of own parcels', () => {
  beforeAll(() => write('few', 'shaken', 5));

  it('has a folder for each session type', async () => {
    mkdirSync(at('heap', 'heap'), { recursive: true });
    await expect(read('heap')).rejects.toThrow(/heap is no session type: .*shaken, table-up, culet-focus/);
    mkdirSync(at('empty'));
    await expect(read('empty')).rejects.toThrow(/holds no parcels: they are folders <session type>/);
    await expect(read('nowhere')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is refused with too few parcels of a session type', async () => {
    await expect(read('few')).rejects.toThrow(/shaken holds 5 parcels, and bars take 6 .*: add parcels, or leave /);
  });

  it('is refused with more parcels than a training takes', async () => {
    for (let parcel = 0; parcel <= 100; parcel++) mkdirSync(at('many', 'shaken', `p${parcel}`), { recursive: true });
    await expect(read('many')).rejects.toThrow(/many holds 101 parcels, and a training takes 100: keep the latest/);
  });

  it('is refused with the file, stone or visit that cannot be used', async () => {
    write('wrong', 'shaken', 6);
    const parcel = ['wrong', 'shaken', 'test-31-0'];
    renameSync(at(...parcel, 'return'), at(...parcel, 'later'));
    await expect(read('wrong')).rejects.toThrow(/test-31-0\/return is missing: a parcel is scanned on two visits/);
    renameSync(at(...parcel, 'later'), at(...parcel, 'return'));
    writeFileSync(at(...parcel, 'return', 'M03_2.csv'), 'no scan');
    await expect(read('wrong')).rejects.toThrow(/test-31-0\/return: .*M03_2.csv/);
    rmSync(at(...parcel, 'return', 'M03_2.csv'));
    await expect(read('wrong')).rejects.toThrow(/every stone needs at least 3 scans.*M03 has 2/);
    for (const k of [1, 3]) rmSync(at(...parcel, 'return', `M03_${k}.csv`));
    await expect(read('wrong')).rejects.toThrow(/there are 11 .*a parcel holds 12 to 200/);
    rmSync(at(...parcel, 'return'), { recursive: true });
    mkdirSync(at(...parcel, 'return'));
    await expect(read('wrong')).rejects.toThrow(/return: .*holds no scan files/);
  });

  it('is refused where the enrolment came back as the return, or nothing is named alike', async () => {
    const rough = { family: 'test' as const, seed: 31, parcel: 0, stones: 12, session: 'shaken' as const, scans: 3 };
    const { files } = lotFiles({ ...rough, substitution: 0, twins: false, named: true });
    const put = (folder: string, rename: (file: string) => string) => {
      write(folder, 'shaken', 6);
      rmSync(at(folder, 'shaken', 'test-31-0', 'return'), { recursive: true });
      mkdirSync(at(folder, 'shaken', 'test-31-0', 'return'));
      for (const { name, data } of files)
        if (name.startsWith('enrol/')) writeFileSync(at(folder, 'shaken', 'test-31-0', rename(name)), data);
    };
    put('copied', (file) => file.replace('enrol/', 'return/'));
    await expect(read('copied')).rejects.toThrow(/a scan of the enrolment was sent back/);
    put('renamed', (file) => file.replace('enrol/M', 'return/X').replace('_1', '_4'));
    await expect(read('renamed')).rejects.toThrow(
      /test-31-0.*(enrolment was sent back|0 stones that were scanned on both)/,
    );
  });

  it('leaves out a stone that one visit lacks, and says so', async () => {
    write('alone', 'shaken', 6, 13);
    for (const k of [1, 2, 3]) rmSync(at('alone', 'shaken', 'test-31-2', 'return', `M13_${k}.csv`));
    const told: string[] = [];
    const parcels = await read('alone', told);
    expect(parcels.map(({ enrol: stones }) => stones.length)).toEqual([13, 13, 12, 13, 13, 13]);
    expect(told).toEqual([expect.stringMatching(/test-31-2\/M13 is left out: one of its visits is missing/)]);
  });
});

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
