import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { ThreadPool } from '#compute';
import { POPULATIONS } from '#simulator';
import type { Gauges, Side } from '#spectra';
import { FIT_TREATMENTS, FITTED_ON, fittedSource, refit } from '../gauges/fit.js';
import {
  countGauges,
  type GaugeRun,
  type GaugeSample,
  HONEST,
  shareOf,
  type Treatment,
  treatmentsOf,
  WITH_GOALS,
} from '../gauges/study.js';
import { type Progress, showProgress } from '../progress.js';

/** Stones that fit the gauges, and stones that try them: never the same. */
const FIT_SEED = 40_961;
const CHECK_SEED = 88_411;
const FITTED_FILE = join('libs', 'spectra', 'gauges', 'fitted.ts');
const STUDY = new URL('../gauges/study.js', import.meta.url);
const RUN_STONES = 50;

export function register(program: Command): void {
  const gauges = program.command('gauges').description('Fit and check the integrity gauges on simulated populations.');
  gauges
    .command('fit')
    .description(`Refit the gauges' constants on honest simulated stones of ${FITTED_ON.join(', ')}.`)
    .option('--stones <n>', 'stones a population', wholeNumber, 1000)
    .option('--seed <n>', 'seed of the stones', wholeNumber, FIT_SEED)
    .option('--write', `write ${FITTED_FILE} instead of printing it (in a checkout; build again afterwards)`)
    .addHelpText('after', '\nExamples:\n  mvs gauges fit\n  mvs gauges fit --stones 3000 --write')
    .action(fit);
  gauges
    .command('check')
    .description('Count how the gauges judge honest and attacked sides; prints the tables of docs/gauges.md.')
    .option('--honest <n>', 'honest stones a population; each gives a rough and a polish side', wholeNumber, 2500)
    .option(
      '--attacked <n>',
      'stones a population and attack that has a goal; the others get 30% of them',
      wholeNumber,
      1000,
    )
    .option('--seed <n>', 'seed of the stones; the fit must not have used it', wholeNumber, CHECK_SEED)
    .option('--population <name...>', 'populations', Object.keys(POPULATIONS))
    .addHelpText(
      'after',
      '\nExamples:\n  mvs gauges check\n  mvs gauges check --population client-b --honest 500 --attacked 200',
    )
    .action(check);
}

async function fit(options: { stones: number; seed: number; write?: true }): Promise<void> {
  const honest = await onAllThreads(
    async (measure) =>
      Promise.all(
        FITTED_ON.map(async (population) => {
          const [full, to4000] = await Promise.all(
            FIT_TREATMENTS.map((treatment) => measure({ population, treatment, seed: options.seed }, options.stones)),
          );
          return {
            full: [...full.rough, ...full.polish],
            to4000: [...to4000.rough, ...to4000.polish],
            polish: full.polish,
          };
        }),
      ),
    FITTED_ON.length * FIT_TREATMENTS.length * options.stones,
  );
  const source = fittedSource(refit(honest));
  if (options.write) writeFileSync(FITTED_FILE, source);
  else process.stdout.write(source);
}

async function check(options: { honest: number; attacked: number; seed: number; population: string[] }): Promise<void> {
  const stones = (treatment: Treatment) => {
    if (treatment === HONEST) return options.honest;
    return WITH_GOALS.includes(treatment) ? options.attacked : Math.ceil(0.3 * options.attacked);
  };
  const total = options.population.flatMap(treatmentsOf).reduce((sum, treatment) => sum + stones(treatment), 0);
  await onAllThreads(async (measure) => {
    for (const population of options.population) {
      console.log(`### Simulated population ${population}, seed ${options.seed}\n\n${HEAD}`);
      for (const treatment of treatmentsOf(population)) {
        const sides = await measure({ population, treatment, seed: options.seed }, stones(treatment));
        for (const side of ['rough', 'polish'] as const) console.log(line(treatment, side, sides[side]));
      }
      console.log('');
    }
  }, total);
}

type Measure = (
  what: Pick<GaugeRun, 'population' | 'treatment' | 'seed'>,
  stones: number,
) => Promise<Record<Side, Gauges[]>>;

async function onAllThreads<T>(work: (measure: Measure) => Promise<T>, total: number): Promise<T> {
  const pool = new ThreadPool();
  const progress = showProgress('gauging stones', total);
  try {
    return await work((what, stones) => gather(pool, progress, what, stones));
  } finally {
    progress.stop();
    await pool.close();
  }
}

async function gather(
  pool: ThreadPool,
  progress: Progress,
  what: Parameters<Measure>[0],
  stones: number,
): ReturnType<Measure> {
  const runs: GaugeRun[] = [];
  for (let first = 0; first < stones; first += RUN_STONES)
    runs.push({ ...what, first, stones: Math.min(RUN_STONES, stones - first) });
  const parts = await Promise.all(
    runs.map(async (run) => {
      const part = await pool.run<GaugeSample[]>(STUDY, 'gaugeStones', [run]);
      progress.advance(run.stones);
      return part;
    }),
  );
  const ofSide = (side: Side) =>
    parts
      .flat()
      .filter((sample) => sample.side === side)
      .flatMap(({ values }) => values);
  return { rough: ofSide('rough'), polish: ofSide('polish') };
}

const HEAD = `| treatment | side | sides | refused (95% interval) | residual outside its band | locally polynomial | warned so, not refused | sharpness in band | residual: median, 0.5% to 99.5% |
|---|---|---:|---:|---:|---:|---:|---:|---:|`;

function line(treatment: Treatment, side: Side, values: Gauges[]): string {
  const { sides, refused, offManifold, polynomial, warnedPolynomial, sharp } = countGauges(values);
  const percent = (share: number) => `${(100 * share).toFixed(2)}%`;
  const { share, interval } = shareOf(refused, sides);
  const residuals = values.map(({ detailResidual }) => detailResidual).sort((a, b) => a - b);
  const at = (q: number) => residuals[Math.min(sides - 1, Math.floor(q * sides))].toFixed(2);
  const rest = [offManifold, polynomial, warnedPolynomial, sharp].map((count) => percent(count / sides));
  return `| ${treatment} | ${side} | ${sides} | ${percent(share)} (${interval.map(percent).join(' to ')}) | ${rest.join(' | ')} | ${at(0.5)}, ${at(0.005)} to ${at(0.995)} |`;
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('It must be a whole number above 0.');
  return number;
}
