import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { ThreadPool } from '#kit/threads/pool';
import type { Gauges } from '#science/spectra/gauges/index';
import type { Side } from '#science/spectra/refusal';
import { io } from '../../apps/cli/io.js';
import { print } from '../../apps/cli/print.js';
import { type Progress, showProgress } from '../../apps/cli/progress.js';
import { writeBlock } from '../blocks.js';
import { FITTED_ON, measuredSharpness, refit, withNewest } from '../gauges/fit.js';
import {
  countGauges,
  type GaugeRun,
  type GaugeSample,
  MOVING_AVERAGES,
  POLYNOMIALS,
  planOf,
  shareOf,
  TO_4000,
  type Treatment,
  treatmentName,
  treatmentsOf,
  UNPROCESSED,
  WITH_GOALS,
} from '../gauges/study.js';
import { POPULATIONS } from '../simulator/index.js';
import { register as registerInstruments } from './gauge-instruments.js';
import { register as registerLattice } from './gauge-lattice.js';
import { wholeNumber } from './whole-number.js';

/** Stones that fit the gauges, and stones that try them: never the same. */
const FIT_SEED = 40_961;
const CHECK_SEED = 88_411;
const FITTED_FILE = join('libs', 'science', 'spectra', 'gauges', 'fitted.ts');
const STUDY = new URL('../gauges/study.js', import.meta.url);
const RUN_STONES = 50;
const PAGE = join('reports', 'gauges-check.md');

export function register(gauges: Command): void {
  gauges
    .command('fit')
    .description(
      `Refit the gauges' constants on a measured curve and on unprocessed simulated stones of ${FITTED_ON.join(', ')}.`,
    )
    .option('--stones <n>', 'stones per population', wholeNumber, 1000)
    .option('--seed <n>', 'seed of the stones', wholeNumber, FIT_SEED)
    .requiredOption('--references <folder>', 'folder of the measured reference curves')
    .option('--json', 'print the answer as JSON')
    .option('--write', `write ${FITTED_FILE} instead of printing it (in a checkout; build again afterwards)`)
    .addHelpText('after', '\nExample:\n  mvs gauges fit --references curves --stones 3000 --write')
    .action(fit);
  gauges
    .command('check')
    .description(
      `Count how the gauges judge unprocessed and attacked sides, by treatment, side and population; ${PAGE} has the summary.`,
    )
    .option(
      '--unprocessed <n>',
      'unprocessed stones per population; each gives a rough and a polish side',
      wholeNumber,
      2500,
    )
    .option(
      '--attacked <n>',
      'stones per population and attack that has a goal; the others get 30% of them',
      wholeNumber,
      1000,
    )
    .option('--seed <n>', 'seed of the stones; the fit must not have used it', wholeNumber, CHECK_SEED)
    .option('--population <name...>', 'populations', Object.keys(POPULATIONS))
    .option('--json', 'print the answer as JSON')
    .option('--write', `write the summary into ${PAGE} (in a checkout) instead of printing all tables`)
    .addHelpText(
      'after',
      '\nExamples:\n  mvs gauges check\n  mvs gauges check --population client-b --unprocessed 500 --attacked 200',
    )
    .action(check);
  registerInstruments(gauges);
  registerLattice(gauges);
}

async function fit(options: {
  stones: number;
  seed: number;
  references: string;
  json?: true;
  write?: true;
}): Promise<void> {
  const { stones, seed, references, json, write } = options;
  const measured = measuredSharpness(references);
  const plan = planOf(stones, stones, [TO_4000]);
  const unprocessed = await onAllThreads(FITTED_ON.length * stones, (measure) =>
    Promise.all(
      FITTED_ON.map(async (population) => {
        const gauged = await measure({ population, seed, plan });
        return {
          full: [...gauged(UNPROCESSED, 'rough'), ...gauged(UNPROCESSED, 'polish')],
          to4000: [...gauged(TO_4000, 'rough'), ...gauged(TO_4000, 'polish')],
        };
      }),
    ),
  );
  const constants = refit(unprocessed, measured);
  const source = withNewest(readFileSync(FITTED_FILE, 'utf8'), constants);
  if (write) writeFileSync(FITTED_FILE, source);
  if (json) print(JSON.stringify(constants));
  else if (!write) io().stdout.write(source);
}

interface CheckOptions {
  unprocessed: number;
  attacked: number;
  seed: number;
  population: string[];
  write?: true;
  json?: true;
}

async function check(options: CheckOptions): Promise<void> {
  const { unprocessed, attacked, seed, population: populations } = options;
  const others = Math.ceil(0.3 * attacked);
  const stones = (treatment: Treatment) =>
    treatment === UNPROCESSED ? unprocessed : WITH_GOALS.includes(treatment) ? attacked : others;
  const lines: string[] = [];
  const counts: object[] = [];
  const summary: string[] = [SUMMARY_HEAD];
  await onAllThreads(populations.length * Math.max(unprocessed, attacked), async (measure) => {
    for (const population of populations) {
      const plan = Object.fromEntries(treatmentsOf(population).map((treatment) => [treatment, stones(treatment)]));
      const gauged = await measure({ population, seed, plan });
      lines.push(`### Simulated population ${population}, seed ${seed}\n\n${HEAD}`);
      for (const treatment of Object.keys(plan)) {
        for (const side of ['rough', 'polish'] as const) {
          const values = gauged(treatment, side);
          lines.push(line(treatment, side, values));
          counts.push({ population, treatment, side, ...countGauges(values) });
        }
      }
      lines.push('');
      summary.push(summaryOf(population, gauged));
    }
  });
  if (options.json) print(JSON.stringify({ seed, counts }));
  if (options.write) writeBlock(PAGE, 'summary', summary.join('\n'));
  else if (!options.json) print([...lines, ...summary].join('\n'));
}

type Gauged = (treatment: Treatment, side: Side) => Gauges[];
type Measure = (what: Pick<GaugeRun, 'population' | 'seed' | 'plan'>) => Promise<Gauged>;

async function onAllThreads<T>(total: number, work: (measure: Measure) => Promise<T>): Promise<T> {
  const pool = new ThreadPool();
  const progress = showProgress('gauging stones', total);
  try {
    return await work((what) => gather(pool, progress, what));
  } finally {
    progress.stop();
    await pool.close();
  }
}

/** Gauges a plan's stones on all threads; the parts are joined in order, so their number does not matter. */
async function gather(pool: ThreadPool, progress: Progress, what: Parameters<Measure>[0]): Promise<Gauged> {
  const stones = Math.max(...Object.values(what.plan));
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
  return (treatment, side) =>
    parts
      .flat()
      .filter((sample) => sample.treatment === treatment && sample.side === side)
      .flatMap(({ values }) => values);
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
  return `| ${treatmentName(treatment)} | ${side} | ${sides} | ${percent(share)} (${interval.map(percent).join(' to ')}) | ${rest.join(' | ')} | ${at(0.5)}, ${at(0.005)} to ${at(0.995)} |`;
}

const SUMMARY_HEAD = `| simulated population | unprocessed refused | unprocessed residual in band | unprocessed called polynomial | healthy sharpness, polish | moving average 7 refused | moving average 9 refused | Savitzky-Golay 9-15 called polynomial | the same and not refused |
|---|---:|---:|---:|---:|---:|---:|---:|---:|`;

/** Results for the treatments that have a goal, both sides of a claim together. */
function summaryOf(population: string, gauged: Gauged): string {
  const both = (...treatments: Treatment[]) =>
    treatments.flatMap((one) => [...gauged(one, 'rough'), ...gauged(one, 'polish')]);
  const share = (values: Gauges[], count: (of: ReturnType<typeof countGauges>) => number) => {
    const counted = countGauges(values);
    const { share: found, interval } = shareOf(count(counted), counted.sides);
    return `${(100 * found).toFixed(2)}% (${interval.map((end) => (100 * end).toFixed(2)).join(' to ')})`;
  };
  const [seven, nine] = MOVING_AVERAGES;
  const cells = [
    share(both(UNPROCESSED), ({ refused }) => refused),
    share(both(UNPROCESSED), ({ sides, offManifold }) => sides - offManifold),
    share(both(UNPROCESSED), ({ polynomial }) => polynomial),
    share(gauged(UNPROCESSED, 'polish'), ({ sharp }) => sharp),
    share(both(seven), ({ refused }) => refused),
    share(both(nine), ({ refused }) => refused),
    share(both(...POLYNOMIALS), ({ polynomial }) => polynomial),
    share(both(...POLYNOMIALS), ({ warnedPolynomial }) => warnedPolynomial),
  ];
  return `| ${population} | ${cells.join(' | ')} |`;
}
