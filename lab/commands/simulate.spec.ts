import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mvs as runMvs } from '../../apps/cli/test/mvs.js';
import { decoy, populationNamed, simulateStone, stoneFiles } from '../simulator/index.js';

const mvs = (...args: string[]) => runMvs(args);

describe('mvs simulate', () => {
  let folder: string;
  const at = (...parts: string[]) => join(folder, ...parts);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mvs-simulate-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('writes what the library simulates, decoys and look-alikes in folders of their own', async () => {
    const more = ['--rough', '2', '--decoys', '1', '--look-alikes', '2', '--first', '3'];
    const { code, out } = await mvs('simulate', '--out', at('a'), '--seed', '5', '--stones', '2', ...more);
    expect([code, out]).toEqual([0, `18 simulated files of 2 calibration stones, seed 5: ${at('a')}\n`]);
    const population = populationNamed('calibration');
    for (const { name, data } of stoneFiles(simulateStone(population, 5, 4, { roughScans: 2 }), 'csv'))
      expect(new Uint8Array(await readFile(at('a', name)))).toEqual(data);
    const other = decoy(population, 5, 3, 1);
    expect(await readdir(at('a', 'decoys', 'CAL5N3'))).toEqual([`${other.id}_rough_1.csv`, `${other.id}_rough_2.csv`]);
    expect((await readdir(at('a', 'look-alikes', 'CAL5N3'))).length).toBe(4);
  });

  it("gives a mixed-up stone another one's polish under its own name", async () => {
    const calls = [['--mixed-up'], ['--mixed-up', 'look-alike'], []].map(async (mixed, n) => {
      await mvs('simulate', '--out', at(`m${n}`), '--stones', '1', ...mixed);
      const side = (side: string) => readFile(at(`m${n}`, `CAL1N0_${side}_1.csv`), 'utf8');
      return [await side('rough'), await side('polish')];
    });
    const written = await Promise.all(calls);
    expect(new Set(written.map(([rough]) => rough)).size).toBe(1);
    expect(new Set(written.map(([, polish]) => polish)).size).toBe(3);
  });

  it('applies an attack to every scan, and writes JSON claims', async () => {
    const attack = ['--attack', 'moving-average:9', '--format', 'json', '--stones', '1'];
    expect((await mvs('simulate', '--out', at('j'), ...attack)).code).toBe(0);
    const body = JSON.parse(await readFile(at('j', 'CAL1N0.json'), 'utf8'));
    const [raw] = simulateStone(populationNamed('calibration'), 1, 0).rough;
    const mean = raw.absorbance.subarray(96, 105).reduce((sum, a) => sum + a, 0) / 9;
    expect(body.rough.spectra[0][100]).toBeCloseTo(mean, 5);
    expect([body.rough.spectra.length, body.polish.spectra.length]).toEqual([6, 1]);
  });

  it.each([
    [['--attack', 'moving-average:8'], /odd number/],
    [['--attack', 'blur'], /is no attack; there are moving-average/],
    [['--population', 'nowhere'], /calibration, client-a/],
    [['--stones', '0'], /whole number from 1/],
    [['--format', 'xls'], /csv, dpt, opus, json/],
  ])('answers 3 to %j', async (args, sentence) => {
    const { code, error } = await mvs('simulate', '--out', at('none'), ...args);
    expect([code, error]).toEqual([3, expect.stringMatching(sentence)]);
    expect(existsSync(at('none'))).toBe(false);
  });
});

describe('mvs lots simulate', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mvs-lots-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('writes lots as a trader would send them, and the truth with them', async () => {
    const order = ['--stones', '10', '--scans', '1', '--substitute', '0.2', '--twins', '--seed', '3'];
    const { code, out } = await mvs('lots', 'simulate', '--out', folder, ...order);
    expect([code, out]).toEqual([0, `21 files of 1 simulated lot of 10 (test, shaken, seed 3): ${folder}\n`]);
    const lot = join(folder, 'test-3-0');
    expect((await readdir(join(lot, 'enrol'))).sort()[9]).toBe('M10_1.csv');
    expect((await readdir(join(lot, 'return'))).sort()[0]).toBe('P01_1.csv');
    const truth = JSON.parse(await readFile(join(lot, 'truth.json'), 'utf8'));
    expect(truth).toMatchObject({ simulated: true, family: 'test', session: 'shaken', twins: true });
    expect(Object.values(truth.return).filter((is) => `${is}`.startsWith('twin of M')).length).toBe(2);
  });

  it.each([
    [['--stones', '9'], /from 10 to 60/],
    [['--substitute', '0.5'], /from 0 to 0.4/],
    [['--session-type', 'heap'], /shaken, table-up, culet-focus/],
    [['--family', 'fifth'], /training, .*calibration, test, newest, second, third/],
  ])('answers 3 to %j', async (args, sentence) => {
    const { code, error } = await mvs('lots', 'simulate', '--out', join(folder, 'none'), ...args);
    expect([code, error]).toEqual([3, expect.stringMatching(sentence)]);
    expect(existsSync(join(folder, 'none'))).toBe(false);
  });
});
