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
    ['calibration', 'csv', '', '6081ee9725928280f54e536a196ee6d1bf68b62041e09ec624341ea51e0e0ee5'],
    ['client-a', 'opus', '', '5155c72c7c6f236da237142bacad6b619e6338fb169ead60f7e40c727ac3dfea'],
    ['client-b', 'dpt', '', '1c9df8b90d839c8422047a85f7fe055fbd3b83c72a7e6a4377b8d844a8c2444d'],
    ['client-c', 'json', '', '40f432bfdcbb015f221047be873ee8f603cc6a6caa3421b927e9fee4e999bc2e'],
    [
      'instrument-16',
      'csv',
      'gaussian:2+reexport:32',
      '09207f9f1689af8f02f673a89654e9405df511ecc46b9a05af1e524d5ad8d0c7',
    ],
    [
      'low-noise-4',
      'opus',
      'savitzky-golay:11:3+noise:0.0003',
      'f031479de4e5fa49bf23ee3b52b5b50542a873878ff5418021908de18b35b860',
    ],
    ['randomised', 'csv', 'moving-average:7', 'd766dedea77b130acf9f7130b33082e6d96f8dbdee3c9c4293ae34092794b216'],
    ['calibration', 'dpt', 'low-rank:12', 'b53353b0c188fe5bc49cb3be652ef5828e7a2449b357331daaf7eb48af038b22'],
    ['client-a', 'csv', 'noise-free', '15ed59fd0b2df2ef3974f0a84a9f1153842b950c6dbf7260438fbca1292e941f'],
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
