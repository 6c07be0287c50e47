/** What a model does on stones that nobody has calibrated, and with a scorer of a population's first claims. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { ThreadPool } from '#kit/threads/pool';
import type { CalibrationAsset } from '#science/calibration/asset';
import { DEFAULT_REJECT_TARGET } from '#science/calibration/ladder';
import { shareAbove, Z95 } from '#science/calibration/statistics';
import { simdCompute } from '#science/compute/cpu-engines';
import type { Compute } from '#science/compute/port';
import { type ModelFolder, readModelFolder } from '#science/matching/folder';
import { MODEL_FILE, shippedModelFolder } from '#science/matching/shipped';
import { UsageError } from '../../apps/cli/exit.js';
import { wholeNumber, wholeNumbers } from '../../apps/cli/numbers.js';
import { print } from '../../apps/cli/print.js';
import { showProgress } from '../../apps/cli/progress.js';
import { writeBlock } from '../blocks.js';
import { type Bank, CrossScores } from '../cross-scores.js';
import { type Measured, measured, scorerOfFirst } from '../first-day.js';
import { POPULATION_NAMES, stonesAWorld } from '../populations.js';
import { bankOf, cutTable, type SpectraTable, simulateTable, worldsOf } from '../training/index.js';
import { WorldScores } from '../worlds.js';

const JUDGED = [...POPULATION_NAMES, 'shifted'];
const PAGE = 'reports/results.md';
const BLOCK = 'first-day';

interface Options {
  population: string[];
  stones: number;
  claims?: number[];
  seed: number;
  coverage?: number;
  rough: number;
  write?: true;
  json?: true;
}

/** One model on one population. */
type FirstDay = Measured & {
  model: string;
  digest: string;
  population: string;
  /** Claims that the scorer was fitted on; the others are judged. */
  claims: number;
};

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
    .option('--claims <n...>', 'also with a scorer of so many first claims, on the other stones', wholeNumbers)
    .option('--rough <n>', 'rough scans a claim', wholeNumber, 6)
    .option('--coverage <cm^-1>', 'show the scans up to this wavenumber alone', wholeNumber)
    .option('--write', `write the table into ${PAGE}`)
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', '\nExamples:\n  mvs judge\n  mvs judge models/match-3 models/match-4 --stones 400')
    .action(judge);
}

async function judge(given: string[], options: Options): Promise<void> {
  const names = given.length > 0 ? given : [shippedModelFolder()];
  const folders = names.map((name) => {
    if (!existsSync(join(name, MODEL_FILE)))
      throw new UsageError(`there is no model in ${name}: ${MODEL_FILE} is missing`);
    return readModelFolder(name);
  });
  const progress = showProgress('judging', names.length * options.population.length);
  const compute = simdCompute();
  const pool = new ThreadPool();
  const found: FirstDay[] = [];
  const withScorer = async (bank: Bank, claims: number, folder: ModelFolder, population: string) => {
    const made = await scorerOfFirst(bank, claims, folder, population, compute.cosines, pool);
    if ('reason' in made) throw new UsageError(`no scorer of ${claims} claims of ${population}: ${made.reason}`);
    return made;
  };
  for (const population of options.population) {
    const tables = new Map<string, SpectraTable>();
    for (const folder of folders) {
      const { sampling } = folder.model.input;
      const { seed, stones, rough } = options;
      const recipe = { draws: [{ population, seed, from: 0, stones }], rough, polish: 1, sampling };
      const table = tables.get(sampling) ?? (await simulateTable({ ...recipe, leaveOutRefused: true }, 2));
      if (options.coverage && !tables.has(sampling)) cutTable(table, sampling, options.coverage);
      tables.set(sampling, table);
      const worlds = worldsOf(table, stonesAWorld(population));
      const banks = [];
      for (const world of worlds) banks.push(await bankOf(folder.model, compute, world));
      const about = { model: folder.model.name, digest: folder.model.digest, population };
      found.push({ ...about, claims: 0, ...(await firstDay(banks, folder.asset, compute)) });
      if (banks.length === 1)
        for (const claims of options.claims ?? [])
          found.push({ ...about, claims, ...(await withScorer(banks[0], claims, folder, population)) });
      progress.advance();
    }
  }
  progress.stop();
  await Promise.all([compute.close(), pool.close()]);
  if (options.json) return print(JSON.stringify({ ...options, reject_target: DEFAULT_REJECT_TARGET, found }));
  const text = tableOf(found, options);
  if (options.write) writeBlock(PAGE, BLOCK, text);
  print(text);
}

async function firstDay(banks: Bank[], { rungs, p_match_5050 }: CalibrationAsset, compute: Compute): Promise<Measured> {
  const cosines = (...sides: Parameters<typeof compute.cosines>) => compute.cosines(...sides);
  const ladder = { rungs, curve: p_match_5050 };
  if (banks.length === 1) {
    const scores = await CrossScores.of(banks[0], cosines);
    const own = scores.confirmed(scores.threshold(DEFAULT_REJECT_TARGET).threshold).share;
    return measured(scores, ladder, own, (threshold) => scores.wrongAccepted(threshold).interval);
  }
  const scores = await WorldScores.of(banks, cosines);
  const each = scores.confirmedByOwn(DEFAULT_REJECT_TARGET);
  const own = each.reduce((sum, share) => sum + share, 0) / each.length;
  return measured(scores, ladder, own, (threshold) => {
    const [share, half] = [shareAbove(scores.wrong, threshold), Z95 * scores.standardError(threshold)];
    return [Math.max(share - half, 0), Math.min(share + half, 1)];
  });
}

const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
const within = ({ share, interval: [low, high] }: FirstDay['confirmed']) =>
  `${percent(share)} (${(100 * low).toFixed(1)}-${(100 * high).toFixed(1)})`;

function tableOf(found: FirstDay[], { seed, rough, coverage }: Options): string {
  const several = new Set(found.map(({ digest }) => digest)).size > 1;
  const rows = found.map((one) => [
    `\`${one.population}\`${several ? `, \`${one.model}\`` : ''}`,
    one.claims === 0 ? 'the first day' : `a scorer of ${one.claims} claims`,
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
    ...[
      'population',
      'after',
      'stones',
      `wrong accepted at ${DEFAULT_REJECT_TARGET}`,
      'confirmed',
      'in review',
      'worst rung, of its label',
    ],
    ...['confirmed by its own threshold', 'mean wrong score', 'error of p'],
  ];
  const models = [...new Set(found.map(({ model, digest }) => `\`${model}\` (\`${digest.slice(0, 16)}\`)`))];
  return [
    `${rough} + 1 scans${coverage ? ` up to ${coverage} cm^-1` : ''}, seed ${seed}, ${models.join(', ')}, no threshold approved; 95% intervals.`,
    '',
    `| ${head.join(' | ')} |`,
    `|---|---|${'---:|'.repeat(head.length - 2)}`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
}
