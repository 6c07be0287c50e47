import { join } from 'node:path';
import { MODEL_FILE, shippedModelFolder } from '#science/matching/shipped';
import { SECOND_FAMILY } from '../second-family/populations.js';
import type { Chapter } from './chapter.js';
import { drawCharts } from './charts.js';
import { drawFamilies } from './charts-families.js';
import { PARTS, type Parts, type Sizes } from './figures.js';
import { measureClaims, measureGaugesOf } from './measure-claims.js';
import { measureFamily } from './measure-families.js';
import { measureOwnPairs } from './measure-own-pairs.js';
import { measureReal } from './measure-real.js';
import { LADDER_POPULATIONS, measureCoverage, measureLadder, measureScans } from './measure-scores.js';
import { measureSensitivity } from './measure-sensitivity.js';
import { ACCURACY_SEED, accuracyPage } from './page.js';
import { worstOfFamilies } from './page-families.js';

const FULL: Sizes = {
  families: 1000,
  pairs: { stones: 1000, counts: [100, 300, 1000] },
  sensitivity: 500,
  ladder: 3000,
  other: 3000,
  gauges: { unprocessed: 2500, attacked: 1000, others: 300 },
  claims: 1000,
};
const QUICK: Sizes = {
  families: 12,
  pairs: { stones: 12, counts: [8] },
  sensitivity: 10,
  ladder: 60,
  other: 40,
  gauges: { unprocessed: 6, attacked: 4, others: 2 },
  claims: 4,
};
const COVERED = ['calibration', 'client-a'];

/** By part, where it goes through several. */
const POPULATIONS: Partial<Record<keyof Parts, readonly string[]>> = {
  families: SECOND_FAMILY,
  pairs: SECOND_FAMILY,
  ladders: LADDER_POPULATIONS,
  gauges: LADDER_POPULATIONS,
  coverage: COVERED,
};

/** Accuracy of the shipped model. */
export const accuracy: Chapter<Parts> = {
  name: 'accuracy',
  seed: ACCURACY_SEED,
  parts: PARTS,
  modelFree: ['gauges'],
  ofData: 'real',
  steps: (part) => POPULATIONS[part]?.length ?? 1,
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
      families: async () =>
        (await each(SECOND_FAMILY, (one) => measureFamily(means, pool, one, sizes.families))).flat(),
      pairs: async () => {
        const { stones, counts } = sizes.pairs;
        return (await each(SECOND_FAMILY, (one) => measureOwnPairs(means, one, stones, counts))).flat();
      },
      real: async () =>
        (await each(data === undefined ? [] : [data], (folder) => measureReal(matcher, asset, folder)))[0],
      sensitivity: async () =>
        (await each(['calibration'], (one) => measureSensitivity(means, one, sizes.sensitivity)))[0],
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
    };
  },
  draw: (parts, source) => ({ ...drawFamilies(parts, source), ...drawCharts(parts, source) }),
  block: ({ families, pairs }) =>
    families && { page: 'results.md', name: 'families', text: worstOfFamilies(families, pairs) },
  page: accuracyPage,
};
