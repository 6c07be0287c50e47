/** What models that come with a ladder do on stones that nobody has calibrated: the first day, one row a population. */
import { type Command, Option } from 'commander';
import { REVIEW_FROM } from '#science/calibration/asset';
import { CrossScores } from '#science/calibration/cross-scores';
import { probabilityAt } from '#science/calibration/isotonic';
import { expectedCalibrationError, reliability } from '#science/calibration/reliability';
import { type Interval, shareAbove, wilson, Z95 } from '#science/calibration/statistics';
import { WorldScores } from '#science/calibration/worlds';
import { simdCompute } from '#science/compute/cpu-engines';
import type { Compute } from '#science/compute/port';
import { type ModelFolder, readModelFolder } from '#science/matching/folder';
import { shippedModelFolder } from '#science/matching/shipped';
import { print } from '../../apps/cli/print.js';
import { showProgress } from '../../apps/cli/progress.js';
import { writeBlock } from '../blocks.js';
import { POPULATION_NAMES, stonesAWorld } from '../populations.js';
import { bankOf, cutTable, type SpectraTable, simulateTable, worldsOf } from '../training/index.js';
import { wholeNumber } from './whole-number.js';

/** The default rung. */
const RUNG = 0.98;
const JUDGED = [...POPULATION_NAMES, 'shifted'];
const PAGE = 'reports/results.md';
const BLOCK = 'first-day';

interface Options {
  population: string[];
  stones: number;
  seed: number;
  coverage?: number;
  rough: number;
  write?: true;
  json?: true;
}

/** One model on one population, without any calibration. */
interface FirstDay {
  model: string;
  digest: string;
  population: string;
  stones: number;
  /** By the threshold that came with the model. */
  wrong_accepted: { share: number; interval: Interval };
  confirmed: { share: number; interval: Interval };
  /** Genuine claims that it does not confirm, with a probability in the review band; of all genuine ones. */
  in_review: number;
  /** Wrong claims that any rung accepts, in times of what it says; the worst one. */
  worst_rung: number;
  /** By a threshold of the population's own wrong claims. */
  confirmed_by_own: number;
  mean_wrong_score: number;
  calibration_error: number;
}

export function register(command: Command): void {
  command
    .argument('[model...]', 'model folders with their ladders; the shipped one by default')
    .addOption(
      new Option('--population <name...>', 'populations; worlds of "randomised" and "shifted" count pooled')
        .choices(JUDGED)
        .default(JUDGED, 'all'),
    )
    .option('--stones <n>', 'stones a population', wholeNumber, 1000)
    .option('--seed <n>', 'seed of the stones; no model may be trained on it', wholeNumber, 520_001)
    .option('--rough <n>', 'rough scans a claim', wholeNumber, 6)
    .option('--coverage <cm^-1>', 'show the scans up to this wavenumber alone', wholeNumber)
    .option('--write', `write the table into ${PAGE}`)
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', '\nExamples:\n  mvs judge\n  mvs judge models/match-3 models/match-4 --stones 400')
    .action(judge);
}

async function judge(given: string[], options: Options): Promise<void> {
  const names = given.length > 0 ? given : [shippedModelFolder()];
  const folders = names.map((name) => readModelFolder(name));
  const progress = showProgress('judging', names.length * options.population.length);
  const compute = simdCompute();
  const found: FirstDay[] = [];
  for (const population of options.population) {
    for (const folder of folders) {
      const { sampling } = folder.model.input;
      const { seed, stones, rough } = options;
      const recipe = { draws: [{ population, seed, from: 0, stones }], rough, polish: 1, sampling };
      const table = await simulateTable({ ...recipe, leaveOutRefused: true }, 2);
      if (options.coverage) cutTable(table, sampling, options.coverage);
      found.push(await firstDay(folder, compute, population, table));
      progress.advance();
    }
  }
  progress.stop();
  await compute.close();
  if (options.json) return print(JSON.stringify({ ...options, reject_target: RUNG, found }));
  const text = tableOf(found, options);
  if (options.write) writeBlock(PAGE, BLOCK, text);
  print(text);
}

async function firstDay(
  { model, asset }: ModelFolder,
  compute: Compute,
  population: string,
  table: SpectraTable,
): Promise<FirstDay> {
  const banks = [];
  for (const world of worldsOf(table, stonesAWorld(population))) banks.push(await bankOf(model, compute, world));
  const cosines = (...sides: Parameters<typeof compute.cosines>) => compute.cosines(...sides);
  const all = await WorldScores.of(banks, cosines);
  const { genuine, wrong } = all;
  const threshold = asset.rungs.find(({ reject_target }) => reject_target === RUNG)?.threshold ?? Number.NaN;
  const one = banks.length === 1 ? await CrossScores.of(banks[0], cosines) : undefined;
  const share = shareAbove(wrong, threshold);
  const half = Z95 * all.standardError(threshold);
  const confirmed = Math.round(shareAbove(genuine, threshold) * genuine.length);
  const missed = genuine.filter((score) => score <= threshold);
  const own = all.confirmedByOwn(RUNG);
  return {
    model: model.name,
    digest: model.digest,
    population,
    stones: genuine.length,
    wrong_accepted: one?.wrongAccepted(threshold) ?? { share, interval: [Math.max(share - half, 0), share + half] },
    confirmed: { share: confirmed / genuine.length, interval: wilson(confirmed, genuine.length) },
    in_review:
      missed.filter((score) => probabilityAt(asset.p_match_5050, score) >= REVIEW_FROM).length / genuine.length,
    worst_rung: Math.max(...asset.rungs.map((rung) => shareAbove(wrong, rung.threshold) / (1 - rung.reject_target))),
    confirmed_by_own: own.reduce((sum, value) => sum + value, 0) / own.length,
    mean_wrong_score: wrong.reduce((sum, score) => sum + score, 0) / wrong.length,
    calibration_error: expectedCalibrationError(reliability(asset.p_match_5050, genuine, wrong)),
  };
}

const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
const within = ({ share, interval: [low, high] }: FirstDay['confirmed']) =>
  `${percent(share)} (${(100 * low).toFixed(1)}-${(100 * high).toFixed(1)})`;

function tableOf(found: FirstDay[], { seed, rough, coverage }: Options): string {
  const several = new Set(found.map(({ digest }) => digest)).size > 1;
  const rows = found.map((one) => [
    `\`${one.population}\`${several ? `, \`${one.model}\`` : ''}`,
    one.stones.toLocaleString('en'),
    within(one.wrong_accepted),
    within(one.confirmed),
    percent(one.in_review),
    `${one.worst_rung.toFixed(1)} times`,
    percent(one.confirmed_by_own),
    one.mean_wrong_score.toFixed(2),
    one.calibration_error.toFixed(3),
  ]);
  const head = [
    ...['population', 'stones', `wrong accepted at ${RUNG}`, 'confirmed', 'in review', 'worst rung, of its label'],
    ...['confirmed by its own threshold', 'mean wrong score', 'error of p'],
  ];
  const models = [...new Set(found.map(({ model, digest }) => `\`${model}\` (\`${digest.slice(0, 16)}\`)`))];
  return [
    `${rough} + 1 scans${coverage ? ` up to ${coverage} cm^-1` : ''}, seed ${seed}, ${models.join(', ')}, without any calibration; 95% intervals. \`mvs judge\`.`,
    '',
    `| ${head.join(' | ')} |`,
    `|---|${'---:|'.repeat(head.length - 1)}`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
}
