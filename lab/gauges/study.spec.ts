import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FITTED, type Gauges, SHARPNESS_BAND } from '#science/spectra/gauges/index';
import { measuredSharpness, refit, withNewest } from './fit.js';
import { countGauges, gaugeStones, planOf, TO_4000, UNPROCESSED, WITH_GOALS } from './study.js';

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
  (existsSync(references) ? it : it.skip)('stands in the middle of the healthy band', () => {
    const [narrow, middle, wide] = measuredSharpness(references);
    expect(middle).toBeCloseTo((SHARPNESS_BAND.low + SHARPNESS_BAND.high) / 2, 3);
    for (const value of [narrow, wide]) expect(Math.abs(value - middle)).toBeLessThan(0.004);
  });
});

describe('refit', () => {
  const sides = (detailResidual: number, sharpness = 0.05): Gauges[] =>
    Array.from({ length: 9 }, () => ({
      detailResidual,
      measuredResidual: detailResidual,
      sharpness,
      locallyPolynomial: -0.1,
    }));

  it('moves the offsets by as much as the medians are off, and centres the sharpness', () => {
    const now = FITTED.masked;
    const fitted = refit([{ full: sides(0.155), to4000: sides(0.04) }], [0.1, 0.105, 0.2]);
    expect(fitted.detailOffset).toBeCloseTo(now.detailOffset - 0.1, 3);
    expect(fitted.shortAxis).toBeCloseTo(now.shortAxis + 0.1, 3);
    expect(fitted.sharpnessScale).toBeCloseTo(now.sharpnessScale / 2, 3);
    const source = withNewest('const NEWEST: FittedConstants = { detailOffset: 1 };\nrest', fitted);
    expect(source).toContain(`{ detailOffset: ${fitted.detailOffset}, `);
    expect(source).toMatch(/ };\nrest$/);
  });
});
