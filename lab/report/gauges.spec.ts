import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { referenceAxis } from '#science/spectra/axis';
import { measureGauges, SHARPNESS_BAND } from '#science/spectra/gauges/index';
import { readScanFile } from '#science/spectra/scan-file';
import { prepareSide } from '#science/spectra/scan-set';
import { countGauges, gaugeStones, planOf, TO_4000, UNPROCESSED, WITH_GOALS } from './gauges.js';

const seed = 5;

describe('on simulated stones', () => {
  it('accepts unprocessed sides, refuses moving averages, warns of polynomial smoothing', () => {
    const samples = gaugeStones({ population: 'calibration', seed, plan: planOf(12, 4), first: 0, stones: 12 });
    expect(samples).toHaveLength(2 * (1 + WITH_GOALS.length));
    for (const { treatment, values } of samples) {
      const { sides, refused, offManifold, warnedPolynomial } = countGauges(values);
      if (treatment === UNPROCESSED) expect([sides, refused, offManifold, warnedPolynomial]).toEqual([12, 0, 0, 0]);
      else if (treatment.startsWith('moving')) expect([sides, refused]).toEqual([4, 4]);
      else expect([sides, warnedPolynomial >= 3]).toEqual([4, true]);
    }
  });

  it('accepts unprocessed sides of other resolutions, of few decimals and of half the axis', () => {
    const plan = planOf(4, 4, ['honest, 3 decimals', TO_4000]);
    for (const population of ['instrument-16', 'low-noise-4']) {
      for (const { values } of gaugeStones({ population, seed, plan, first: 0, stones: 4 })) {
        expect(countGauges(values)).toMatchObject({ sides: 4, refused: 0 });
      }
    }
  });

  it('gauges a stone the same alone and in a run, and no further than planned', () => {
    const run = { population: 'calibration', seed, plan: planOf(3, 1, ['moving-average:7']) };
    const [rough, polish, ...attacked] = gaugeStones({ ...run, first: 0, stones: 3 });
    const [roughAlone, polishAlone] = gaugeStones({ ...run, first: 2, stones: 1 });
    expect([rough.values[2], polish.values[2]]).toEqual([roughAlone.values[0], polishAlone.values[0]]);
    expect(attacked.map(({ values }) => values.length)).toEqual([1, 1]);
  });
});

it('counts a side that is refused before its gauges are read as refused', () => {
  const plan = { 'reexport:32': 1 };
  const samples = gaugeStones({ population: 'calibration', seed, plan, first: 0, stones: 1 });
  for (const { values } of samples) expect(countGauges(values)).toMatchObject({ sides: 1, refused: 1 });
});

describe('the measured type IIa curve', () => {
  let root = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(root, 'package.json'))) root = dirname(root);
  const references = join(process.env.MVS_SHARED_DATA ?? join(root, '../shared/data'), 'reference-curves');
  /** Widths at half maximum of Gaussian lines, cm^-1: instruments of the 8 cm^-1 class. */
  const LINE_WIDTHS = [7, 8, 9];
  /** Absorbance of 1 mm per absorption coefficient of 1 cm^-1. */
  const PER_MILLIMETRE = 0.1 / Math.LN10;

  /** Sharpness of 1 mm of it, noise-free, on the reference axis through lines of about 8 cm^-1. */
  function measuredSharpness(): number[] {
    const file = join(references, 'quiddit3__typeIIa.csv');
    const { wavenumbers, absorbance } = readScanFile(file, new Uint8Array(readFileSync(file))).scan;
    const transmission = absorbance.map((coefficient) => 10 ** (-PER_MILLIMETRE * coefficient));
    return LINE_WIDTHS.map((width) => {
      const seen = referenceAxis().map((w) => {
        let sum = 0;
        let weights = 0;
        for (const [i, x] of wavenumbers.entries()) {
          if (Math.abs(x - w) > 2 * width) continue;
          const weight = Math.exp(-4 * Math.LN2 * ((x - w) / width) ** 2);
          weights += weight;
          sum += weight * transmission[i];
        }
        return -Math.log10(sum / weights);
      });
      const scan = { wavenumbers: referenceAxis(), absorbance: seen };
      return measureGauges(prepareSide({ side: 'polish', scans: [scan], references: [] })).sharpness;
    });
  }

  (existsSync(references) ? it : it.skip)('stands in the middle of the healthy band', () => {
    const [narrow, middle, wide] = measuredSharpness();
    expect(middle).toBeCloseTo((SHARPNESS_BAND.low + SHARPNESS_BAND.high) / 2, 3);
    for (const value of [narrow, wide]) expect(Math.abs(value - middle)).toBeLessThan(0.004);
  });
});
