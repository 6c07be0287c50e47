import { referenceAxis } from '#science/spectra/axis';
import { POPULATIONS, populationNamed, randomised, simulateStone } from './index.js';

describe('a simulated stone', () => {
  it('is a pure function of population, seed and number, whatever was made before', () => {
    const first = simulateStone(POPULATIONS.calibration, 3, 17);
    for (const population of Object.values(POPULATIONS)) simulateStone(population, 3, 17);
    for (let block = 0; block < 6; block++) simulateStone(randomised(10), 3, 10 * block);
    expect(simulateStone(POPULATIONS.calibration, 3, 17)).toEqual(first);
    expect(simulateStone(POPULATIONS.calibration, 4, 17).rough[0]).not.toEqual(first.rough[0]);
  });

  it('keeps its first scans when more are taken', () => {
    const few = simulateStone(POPULATIONS['client-a'], 1, 5, { roughScans: 2, polishScans: 1 });
    const many = simulateStone(POPULATIONS['client-a'], 1, 5, { roughScans: 6, polishScans: 3 });
    expect(many.rough.slice(0, 2)).toEqual(few.rough);
    expect(many.polish.slice(0, 1)).toEqual(few.polish);
  });

  it.each(Object.keys(POPULATIONS))('has six rough scans and one polish of finite values in %s', (name) => {
    for (let stone = 0; stone < 20; stone++) {
      const { rough, polish } = simulateStone(populationNamed(name), 2, stone);
      expect([rough.length, polish.length]).toEqual([6, 1]);
      for (const { wavenumbers, absorbance } of [...rough, ...polish]) {
        expect(absorbance.length).toBe(wavenumbers.length);
        expect(absorbance.every((a) => a > -0.5 && a < 4)).toBe(true);
      }
    }
  });

  it('stands on the reference axis itself in the calibration population', () => {
    const { rough } = simulateStone(POPULATIONS.calibration, 1, 0);
    expect(rough[0].wavenumbers).toEqual(referenceAxis());
  });
});
