import { join } from 'node:path';
import { MODEL_FILE, shippedModelFolder } from '#matching';
import type { Chapter } from './chapter.js';
import { drawCharts } from './charts.js';
import { PARTS, type Parts, type Sizes } from './figures.js';
import { measureClaims, measureGaugesOf, measureReal } from './measure-claims.js';
import { LADDER_POPULATIONS, measureCoverage, measureLadder, measureScans } from './measure-scores.js';
import { ACCURACY_SEED, accuracyPage } from './page.js';

const FULL: Sizes = { ladder: 3000, other: 3000, gauges: { honest: 2500, attacked: 1000, others: 300 }, claims: 1000 };
const QUICK: Sizes = { ladder: 60, other: 40, gauges: { honest: 6, attacked: 4, others: 2 }, claims: 4 };
const COVERED = ['calibration', 'client-a'];

/** How the shipped model does. */
export const accuracy: Chapter<Parts> = {
  name: 'accuracy',
  seed: ACCURACY_SEED,
  parts: PARTS,
  steps: (part) =>
    part === 'ladders' || part === 'gauges' ? LADDER_POPULATIONS.length : part === 'coverage' ? COVERED.length : 1,
  measure(means) {
    const { pool, asset, seed, matcher, data, advance } = means;
    const sizes = means.quick ? QUICK : FULL;
    const modelFile = join(shippedModelFolder(), MODEL_FILE);
    const each = async <T>(of: readonly string[], measure: (one: string) => Promise<T>): Promise<T[]> => {
      const results: T[] = [];
      for (const one of of) {
        results.push(await measure(one));
        advance();
      }
      return results;
    };
    return {
      ladders: () => each(LADDER_POPULATIONS, (population) => measureLadder(means, population, sizes.ladder)),
      scans: async () => (await each(['calibration'], (one) => measureScans(means, one, sizes.other))).flat(),
      coverage: async () => (await each(COVERED, (one) => measureCoverage(means, one, sizes.other))).flat(),
      gauges: async () =>
        (await each(LADDER_POPULATIONS, (one) => measureGaugesOf(pool, one, seed, sizes.gauges))).flat(),
      claims: async () => {
        const measure = (population: string) =>
          measureClaims(pool, asset, modelFile, { population, seed, claims: sizes.claims });
        return (await each(['calibration'], measure)).flat();
      },
      real: async () => (await each([data], (folder) => measureReal(matcher, asset, folder))).flat(),
    };
  },
  draw: drawCharts,
  page: accuracyPage,
};
