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
    ['calibration', 'csv', '', 'c7d565c46b5122abbe251d2bb601e9b1afa57240d057b3f4005c72942f67c878'],
    ['client-a', 'opus', '', '444bff5cdb612edeffc3fe3c6579584563ec3c299b5ac6cc6de1dc0dcbf6e84f'],
    ['client-b', 'dpt', '', '16b500e07f1a8b9b11052faa46cb4a9458acf34628ffcf289be03a26cd17e9aa'],
    ['client-c', 'json', '', '17e94f79e99c5826d09f21e1462d31a31a5a8c0ca57b5181749732f1a03e284f'],
    [
      'instrument-16',
      'csv',
      'gaussian:2+reexport:32',
      '9ccbeaed3ed5e96f24abfb6129034da3901cde68cafec233a4c00b325885e782',
    ],
    [
      'low-noise-4',
      'opus',
      'savitzky-golay:11:3+noise:0.0003',
      'b3952406f817e6397ba2b51b88183d15d9d493a3f7296a96fcc5f879acf5fb95',
    ],
    ['randomised', 'csv', 'moving-average:7', '3ddd4a6c81881bea02416a4d45f752a4859a0985651c5d8d56a83d2ba87fb6f1'],
    ['calibration', 'dpt', 'low-rank:12', 'c8a872457be0924f50be6717483d7ed46bf0d8e04529d40cb0e1bdea2e0df6bd'],
    ['client-a', 'csv', 'noise-free', 'bef64564d3d03b7d4e3179b23510c9a17f7e1ab6da8b5cb55ea0fe3fb1e2a342'],
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
