import { createHash } from 'node:crypto';
import { readScanFiles } from '#science/spectra/files';
import { readJsonClaim } from '#science/spectra/json';
import { prepareSide } from '#science/spectra/scan-set';
import { parseAttack, populationNamed, randomised, SCAN_FORMATS, simulateStone, stoneFiles } from './index.js';

const sha256 = (parts: Uint8Array[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

describe('files of simulated stones', () => {
  /** A seed gives the same bytes on every machine and on Node 20 to 24; a change here is a change of every figure. */
  it.each([
    ['calibration', 'csv', '', '52f9160a7a0c5db8c15196a47e6908944306714478e9cda6ee28841a08d80826'],
    ['client-a', 'opus', '', '7a00ea42ce29dac817ad174fb3387ec73a55d9772a484bd7356659a6e0e359a7'],
    ['client-b', 'dpt', '', 'a9862d41d8e3203e76b5128560024169bc10fb0d73bb0a62ce1f9c5c690a8b03'],
    ['client-c', 'json', '', '5ba0832c87c9c06245ea1b5f05ee9276b36291c21f368131237ec1463655d929'],
    [
      'instrument-16',
      'csv',
      'gaussian:2+reexport:32',
      '5fd11098bb7b775eb3d6d021408656c724097f44c5e5ab174db4af331ff89f9b',
    ],
    [
      'low-noise-4',
      'opus',
      'savitzky-golay:11:3+noise:0.0003',
      'cbdfe9354e13451bd624e0abb9d02522be75d9d5e58a800857cde4875f2095ad',
    ],
    ['randomised', 'csv', 'moving-average:7', '72bf59e55122d932132869915a87effb733b1de41dbf5f23dee9dbca9e79532b'],
    ['calibration', 'dpt', 'low-rank:12', '6380b2d4d66838e347bfbc2789dbc4fb4d0c5e893275afaa2c4fceea2d0aa751'],
    ['client-a', 'csv', 'noise-free', '9c411af3d2905f60b44b4921288f57c1cd8005d147effb6c606ea8cbbcf4dd6a'],
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
