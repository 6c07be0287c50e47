/** The parts of the report on the shipped model's accuracy. */
import { join } from 'node:path';
import type { ThreadPool } from '#kit/threads/pool';
import { MODEL_FILE, shippedModelFolder } from '#science/matching/shipped';
import type { Matcher } from '../../apps/cli/matcher.js';
import { SECOND_FAMILY } from '../second-family/populations.js';
import type { PartName, Parts, Sizes } from './figures.js';
import { measureClaims, measureGaugesOf } from './measure-claims.js';
import { measureReal } from './measure-real.js';
import {
  LADDER_POPULATIONS,
  type MeasuredModel,
  measureCoverage,
  measureLadder,
  measureScans,
} from './measure-scores.js';

/** Stones on which nothing was trained, chosen or calibrated. */
export const REPORT_SEED = 424_242;

const FULL: Sizes = {
  families: 1000,
  ladder: 3000,
  other: 3000,
  gauges: { unprocessed: 2500, attacked: 1000, others: 300 },
  claims: 1000,
};
const QUICK: Sizes = {
  families: 12,
  ladder: 60,
  other: 40,
  gauges: { unprocessed: 6, attacked: 4, others: 2 },
  claims: 4,
};
const COVERED = ['calibration', 'client-a'];

/** By part, where it goes through several. */
const POPULATIONS: Partial<Record<PartName, readonly string[]>> = {
  families: SECOND_FAMILY,
  ladders: LADDER_POPULATIONS,
  gauges: LADDER_POPULATIONS,
  coverage: COVERED,
};

/** Steps that the progress bar counts. */
export const stepsOf = (part: PartName): number => POPULATIONS[part]?.length ?? 1;

export interface Means extends MeasuredModel {
  matcher: Matcher;
  pool: ThreadPool;
  /** Few stones: shows that the report works. */
  quick: boolean;
  /** Stones a population in place of the report's own numbers, but for the gauges. */
  stones?: number;
  /** Folder of the public scans. */
  data?: string;
  /** Reports to the progress bar that another step is done. */
  advance(): void;
}

function sizesOf({ quick, stones }: Means): Sizes {
  const given = stones && { families: stones, ladder: stones, other: stones, claims: stones };
  return { ...(quick ? QUICK : FULL), ...given };
}

export function measuring(means: Means): { [part in PartName]: () => Promise<Parts[part]> } {
  const { pool, asset, seed, matcher, data, advance } = means;
  const sizes = sizesOf(means);
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
    families: () => each(SECOND_FAMILY, (population) => measureLadder(means, population, sizes.families)),
    real: async () =>
      (await each(data === undefined ? [] : [data], (folder) => measureReal(matcher, asset, folder)))[0] ?? null,
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
}
