/** What a model does on stones that nobody has calibrated, and with a scorer of a population's first claims. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { ThreadPool } from '#kit/threads/pool';
import { type CalibrationAsset, REVIEW_FROM } from '#science/calibration/asset';
import { type Bank, CrossScores } from '#science/calibration/cross-scores';
import { type Isotonic, probabilityAt } from '#science/calibration/isotonic';
import { expectedCalibrationError, reliability } from '#science/calibration/reliability';
import { fitScorer } from '#science/calibration/scorer/fit';
import { type Interval, shareAbove, wilson, Z95 } from '#science/calibration/statistics';
import { WorldScores } from '#science/calibration/worlds';
import { simdCompute } from '#science/compute/cpu-engines';
import type { Compute } from '#science/compute/port';
import { type ModelFolder, readModelFolder } from '#science/matching/folder';
import { MODEL_FILE, shippedModelFolder } from '#science/matching/shipped';
import { UsageError } from '../../apps/cli/exit.js';
import { print } from '../../apps/cli/print.js';
import { showProgress } from '../../apps/cli/progress.js';
import { writeBlock } from '../blocks.js';
import { POPULATION_NAMES, stonesAWorld } from '../populations.js';
import { claimsOf, rowsOf } from '../scorer-ladders.js';
import { bankOf, cutTable, type SpectraTable, simulateTable, worldsOf } from '../training/index.js';
import { wholeNumber } from './whole-number.js';

const wholeNumbers = (text: string, before: number[] = []) => [...before, wholeNumber(text)];

/** The default rung. */
const RUNG = 0.98;
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

/** One model on one population, without any calibration. */
interface FirstDay {
  model: string;
  digest: string;
  population: string;
  /** Claims that the scorer was fitted on; the others are judged. */
  claims: number;
  stones: number;
  /** By the threshold that came with the model, for the scorer where there is one. */
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
          found.push({ ...about, claims, ...(await withScorer(banks[0], claims, folder, population, compute, pool)) });
      progress.advance();
    }
  }
  progress.stop();
  await Promise.all([compute.close(), pool.close()]);
  if (options.json) return print(JSON.stringify({ ...options, reject_target: RUNG, found }));
  const text = tableOf(found, options);
  if (options.write) writeBlock(PAGE, BLOCK, text);
  print(text);
}

type Measured = Omit<FirstDay, 'model' | 'digest' | 'population' | 'claims'>;
type Ladder = { rungs: readonly { reject_target: number; threshold: number }[]; curve: Isotonic };

async function firstDay(banks: Bank[], { rungs, p_match_5050 }: CalibrationAsset, compute: Compute): Promise<Measured> {
  const cosines = (...sides: Parameters<typeof compute.cosines>) => compute.cosines(...sides);
  const ladder = { rungs, curve: p_match_5050 };
  if (banks.length === 1) {
    const scores = await CrossScores.of(banks[0], cosines);
    const own = scores.confirmed(scores.threshold(RUNG).threshold).share;
    return measured(scores, ladder, own, (threshold) => scores.wrongAccepted(threshold).interval);
  }
  const scores = await WorldScores.of(banks, cosines);
  const each = scores.confirmedByOwn(RUNG);
  const own = each.reduce((sum, share) => sum + share, 0) / each.length;
  return measured(scores, ladder, own, (threshold) => {
    const [share, half] = [shareAbove(scores.wrong, threshold), Z95 * scores.standardError(threshold)];
    return [Math.max(share - half, 0), Math.min(share + half, 1)];
  });
}

async function withScorer(
  bank: Bank,
  claims: number,
  { model, scorerLadders }: ModelFolder,
  population: string,
  compute: Compute,
  pool: ThreadPool,
): Promise<Measured> {
  if (!scorerLadders) throw new UsageError(`${model.name} comes without ladders for scorers`);
  const all = Array.from(bank.stones.keys());
  const about = { population, model: model.digest, encoders: model.encoders.map(({ name }) => name) };
  const evidence = claimsOf(bank, all.slice(0, claims), about);
  const fitted = await fitScorer(
    evidence,
    claims,
    () => '',
    scorerLadders,
    pool,
    () => 0,
  );
  if (!('scorer' in fitted)) throw new UsageError(`no scorer of ${claims} claims of ${population}: ${fitted.reason}`);
  const { core, header } = fitted.scorer;
  const others = all.slice(claims);
  const sides = (side: 'rough' | 'polish') => rowsOf(bank, side, others);
  const rest = {
    stones: others.map((stone) => bank.stones[stone]),
    encoders: bank.encoders.map(({ rough, polish, width }) => ({
      ...{ rough: rough.subarray(claims * width), polish: polish.subarray(claims * width), width },
    })),
  };
  const table = core.table(sides('rough'), sides('polish'));
  const scores = await CrossScores.of(rest, (...args) => compute.cosines(...args), table);
  const own = scores.confirmed(scores.threshold(RUNG).threshold).share;
  const ladder = { rungs: header.ladder.rungs, curve: header.curve };
  return measured(scores, ladder, own, (threshold) => scores.wrongAccepted(threshold).interval);
}

function measured(
  { genuine, wrong }: Pick<CrossScores, 'genuine' | 'wrong'>,
  { rungs, curve }: Ladder,
  confirmed_by_own: number,
  interval: (threshold: number) => Interval,
): Measured {
  const threshold = rungs.find(({ reject_target }) => reject_target === RUNG)?.threshold ?? Number.NaN;
  const confirmed = Math.round(shareAbove(genuine, threshold) * genuine.length);
  const missed = genuine.filter((score) => score <= threshold);
  const ratio = (rung: Ladder['rungs'][number]) => shareAbove(wrong, rung.threshold) / (1 - rung.reject_target);
  return {
    stones: genuine.length,
    wrong_accepted: { share: shareAbove(wrong, threshold), interval: interval(threshold) },
    confirmed: { share: confirmed / genuine.length, interval: wilson(confirmed, genuine.length) },
    in_review: missed.filter((score) => probabilityAt(curve, score) >= REVIEW_FROM).length / genuine.length,
    worst_rung: Math.max(...rungs.map(ratio)),
    confirmed_by_own,
    mean_wrong_score: wrong.reduce((sum, score) => sum + score, 0) / wrong.length,
    calibration_error: expectedCalibrationError(reliability(curve, genuine, wrong)),
  };
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
      `wrong accepted at ${RUNG}`,
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
