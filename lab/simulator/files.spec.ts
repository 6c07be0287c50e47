import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { prepareSide, readJsonClaim, readScanFiles } from '#spectra';
import { parseAttack, populationNamed, randomised, SCAN_FORMATS, simulateStone, stoneFiles } from './index.js';

const sha256 = (parts: Uint8Array[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

describe('files of simulated stones', () => {
  /** A seed gives the same bytes on every machine and on Node 20 to 24; a change here is a change of every figure. */
  it.each([
    ['calibration', 'csv', '', '1fdbf8ef1510b09876301b0407980416176f248bae4d374a7d41e11b88b735bf'],
    ['client-a', 'opus', '', 'be5ba520fd361060d4acaf231bc680d7b79ee19de99f4e263851f889f5bae6ea'],
    ['client-b', 'dpt', '', 'bf8ec239970cba1fe9b4320e5d662dd5785fe7d4f43f9e270434579e39037b56'],
    ['client-c', 'json', '', 'fcd50b26071f5fa05296d65c1d44e142612625a3047362080a45c845fb60fed9'],
    [
      'instrument-16',
      'csv',
      'gaussian:2+reexport:32',
      'c89aa29045dca17190a23498079c7f9321188d5f2f68eb3e18ca9186d4c6e0ab',
    ],
    [
      'low-noise-4',
      'opus',
      'savitzky-golay:11:3+noise:0.0003',
      '6ba1916a37a3d0c9e4ad89062e87f08ce2a8386fcdbdc4fc576babd3ae87c84f',
    ],
    ['randomised', 'csv', 'moving-average:7', '0eda82131b7f895154663cbd2d92d0e5653ce994b06b0f86b24a59812fbb2419'],
    ['calibration', 'dpt', 'low-rank:12', 'd2e856bd49be470b7e6d82170b00e2f3fb456c3700b326d5570dd7bfeaa2b3ec'],
    ['client-a', 'csv', 'noise-free', '9cfd4c8cff80f58326df61860fb8b1d8b5ca227dd5aaae612ac9a94a93a7e460'],
  ] as const)('have golden bytes: %s as %s %s', (name, format, text, golden) => {
    const population = populationNamed(name);
    const attack = text === '' ? undefined : parseAttack(text, population);
    const files = [0, 1, 600].flatMap((number) => {
      const stone = simulateStone(population, 7, number, { noise: attack?.noiseFree ? 0 : 1 });
      return stoneFiles(attack?.apply(stone) ?? stone, format);
    });
    expect(sha256(files.map(({ data }) => data))).toBe(golden);
  });

  it('are named after the stone, the side and the scan', () => {
    const stone = simulateStone(populationNamed('calibration'), 1, 4, { roughScans: 2 });
    const names = SCAN_FORMATS.map((format) => stoneFiles(stone, format).map(({ name }) => name));
    expect(names).toEqual([
      ['CAL1N4_rough_1.csv', 'CAL1N4_rough_2.csv', 'CAL1N4_polish_1.csv'],
      ['CAL1N4_rough_1.dpt', 'CAL1N4_rough_2.dpt', 'CAL1N4_polish_1.dpt'],
      ['CAL1N4_rough_1.0', 'CAL1N4_rough_2.0', 'CAL1N4_polish_1.0'],
      ['CAL1N4.json'],
    ]);
  });

  it.each(['calibration', 'client-a', 'client-b', 'low-noise-4'])('read back as measured: %s', async (name) => {
    const stone = simulateStone(populationNamed(name), 1, 2, { roughScans: 3 });
    const texts = stoneFiles(stone, 'dpt').filter(({ name }) => name.includes('rough'));
    const claim = readJsonClaim(stoneFiles(stone, 'json')[0].data);
    const fromText = prepareSide(await readScanFiles('rough', texts));
    expect(prepareSide(claim.side('rough')).digest).toBe(fromText.digest);
    expect(fromText.shortCoverage).toBe(false);
    const binary = stoneFiles(stone, 'opus').filter(({ name }) => name.includes('rough'));
    const { scans } = await readScanFiles('rough', binary);
    const ascending = [...stone.rough[0].absorbance];
    if (stone.rough[0].wavenumbers[0] > stone.rough[0].wavenumbers[1]) ascending.reverse();
    expect([...scans[0].absorbance]).toEqual(ascending.map(Math.fround));
  });

  it('stop at 4000 cm^-1 on some sides of randomised populations', () => {
    const population = randomised(20);
    const last = Array.from({ length: 40 }, (_, block) =>
      Array.from({ length: 5 }, (_, k) => simulateStone(population, 3, block * 20 + k, { roughScans: 1 }).rough[0]),
    );
    const ends = last.flat().map(({ wavenumbers }) => Math.max(wavenumbers[0], wavenumbers[wavenumbers.length - 1]));
    expect(ends.some((end) => end <= 4000 && end > 3980)).toBe(true);
    expect(ends.some((end) => end > 5988)).toBe(true);
  });
});
