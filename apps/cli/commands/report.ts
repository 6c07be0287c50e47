import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { simdCompute, ThreadPool } from '#compute';
import { MODEL_FILE, shippedModel, shippedModelFolder } from '#matching';
import { Matcher, shippedCalibration } from '../matcher.js';
import { showProgress } from '../progress.js';
import { drawCharts } from '../report/charts.js';
import { type Figures, PARTS, type PartName, type Parts, type Sizes } from '../report/figures.js';
import { measureClaims, measureGaugesOf, measureReal } from '../report/measure-claims.js';
import {
  LADDER_POPULATIONS,
  measureCoverage,
  measureLadder,
  measureScans,
  type Scoring,
} from '../report/measure-scores.js';
import { accuracyPage } from '../report/page.js';

/** The final test's stones: nothing was trained, chosen or calibrated on this seed. */
export const REPORT_SEED = 424_242;
const FULL: Sizes = { ladder: 3000, other: 3000, gauges: { honest: 2500, attacked: 1000, others: 300 }, claims: 1000 };
const QUICK: Sizes = { ladder: 60, other: 40, gauges: { honest: 6, attacked: 4, others: 2 }, claims: 4 };

interface Options {
  out: string;
  quick?: true;
  part?: PartName[];
  pages?: true;
  seed: number;
  data: string;
}

export function register(program: Command): void {
  program
    .command('report')
    .description('Measure the shipped model on simulated stones; write accuracy.md and its pictures.')
    .option('--out <folder>', 'folder of accuracy.md; pictures and figures.json go into its folder accuracy', 'docs')
    .addOption(new Option('--part <name...>', 'measure these parts and keep the other figures').choices(PARTS))
    .option('--pages', 'write the page anew from the figures there are, without measuring')
    .option('--quick', 'few stones: shows that the report works, says little')
    .option('--seed <n>', 'seed of the stones', wholeNumber, REPORT_SEED)
    .option('--data <folder>', 'folder of the public scans; left out where it is missing', '../shared/data')
    .addHelpText(
      'after',
      `
Examples:
  mvs report
  mvs report --part ladders
  mvs report --quick --out report`,
    )
    .action(report);
}

async function report(options: Options): Promise<void> {
  const folder = join(options.out, 'accuracy');
  const file = join(folder, 'figures.json');
  const matcher = await Matcher.open(shippedModel());
  const pool = new ThreadPool();
  const asset = shippedCalibration(matcher.model);
  const { seed } = options;
  const sizes = options.quick ? QUICK : FULL;
  const figures = figuresOf(file, matcher.model.digest, asset.bank_digest, seed);
  const scoring: Scoring = {
    model: matcher.model,
    compute: simdCompute(),
    asset,
    seed,
    threads: availableParallelism(),
  };
  const modelFile = join(shippedModelFolder(), MODEL_FILE);
  const each = async <T>(populations: readonly string[], measure: (population: string) => Promise<T>): Promise<T[]> => {
    const results: T[] = [];
    for (const population of populations) {
      results.push(await measure(population));
      progress.advance();
    }
    return results;
  };
  const measure: { [part in PartName]: () => Promise<Parts[part]> } = {
    ladders: () => each(LADDER_POPULATIONS, (population) => measureLadder(scoring, population, sizes.ladder)),
    scans: async () => (await each(['calibration'], (one) => measureScans(scoring, one, sizes.other))).flat(),
    coverage: async () =>
      (await each(['calibration', 'client-a'], (one) => measureCoverage(scoring, one, sizes.other))).flat(),
    gauges: async () =>
      (await each(LADDER_POPULATIONS, (one) => measureGaugesOf(pool, one, seed, sizes.gauges))).flat(),
    claims: async () =>
      (
        await each(['calibration'], (population) =>
          measureClaims(pool, asset, modelFile, { population, seed, claims: sizes.claims }),
        )
      ).flat(),
    real: async () => (await each([options.data], (data) => measureReal(matcher, asset, data))).flat(),
  };
  const wanted = options.pages ? [] : (options.part ?? PARTS);
  const steps = { ladders: LADDER_POPULATIONS.length, scans: 1, coverage: 2, gauges: LADDER_POPULATIONS.length };
  const progress = showProgress(
    'measuring',
    wanted.reduce((sum, part) => sum + ((steps as Record<string, number>)[part] ?? 1), 0),
  );
  mkdirSync(folder, { recursive: true });
  try {
    for (const part of wanted) {
      Object.assign(figures.parts, { [part]: await measure[part]() });
      writeFileSync(file, `${JSON.stringify(figures, rounded)}\n`);
    }
  } finally {
    progress.stop();
    await pool.close();
    await matcher.close();
  }
  // What is written is what is read: a page made from the file later is the same.
  const written = figuresOf(file, matcher.model.digest, asset.bank_digest, seed);
  for (const [name, picture] of Object.entries(drawCharts(written.parts))) writeFileSync(join(folder, name), picture);
  writeFileSync(join(options.out, 'accuracy.md'), accuracyPage(written, asset));
  console.log(`written to ${join(options.out, 'accuracy.md')}`);
}

/** The figures measured before, where they are of this model, asset and seed. */
function figuresOf(file: string, model: string, asset: string, seed: number): Figures {
  if (existsSync(file)) {
    const figures: Figures = JSON.parse(readFileSync(file, 'utf8'));
    if (figures.model === model && figures.asset === asset && figures.seed === seed) return figures;
  }
  return { model, asset, seed, parts: {} };
}

/** Five significant decimals: far finer than any interval. */
const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Math.round(value * 1e5) / 1e5 : value);

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('It must be a whole number above 0.');
  return number;
}
