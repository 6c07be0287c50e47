import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { ThreadPool } from '#kit/threads/pool';
import {
  CALIBRATION_FILE,
  type CalibrationAsset,
  percentiles,
  REVIEW_FROM,
  type ScanBaseline,
} from '#science/calibration/asset';
import { DRIFT_MEASURES, type DriftMeasure } from '#science/calibration/drift';
import { rungName } from '#science/calibration/ladder';
import { SCORER_FILE } from '#science/calibration/scorer/ladders';
import { simdCompute } from '#science/compute/cpu-engines';
import { CARD_FILE, ladderDigestOf, readCard } from '#science/matching/folder';
import { loadModel, type Model } from '#science/matching/model';
import { MODEL_FILE, shippedModelFolder } from '#science/matching/shipped';
import { joined } from '#science/numerics/joined';
import { UsageError } from '../../apps/cli/exit.js';
import { wholeNumber } from '../../apps/cli/numbers.js';
import { print } from '../../apps/cli/print.js';
import { type Progress, showProgress } from '../../apps/cli/progress.js';
import { type Evidence, makeAsset } from '../make-asset.js';
import {
  BASELINE_POLISH,
  BASELINE_ROUGH,
  type MeasuredStones,
  type ScanMeasures,
  type StoneRun,
} from '../measure-stones.js';
import { makeScorerLadders } from '../scorer-ladders.js';
import { STONES_A_WORLD } from '../simulator/index.js';
import type { WorldEvidence } from '../worlds.js';

/** No model may be trained on this seed: its worlds set the ladder. */
export const CALIBRATION_SEED = 983_271;
const MEASURE = new URL('../measure-stones.js', import.meta.url);
/** Stones that a thread measures at a time, and stones of a world: of the home population, any so many of its one. */
const RUN_STONES = STONES_A_WORLD;
/** One world of so many is of the home population. */
const HOME_EVERY = 5;
/** Stones behind the baselines of each number of scans. */
const BASELINE_STONES = 640;
/** Stones that the scorers of the ladders for them are drawn from, and that they judge. */
const SCORER_STONES = 32 * RUN_STONES;

interface Options {
  model: string;
  stones: number;
  heldOut: number;
  worlds: number;
  seed: number;
  scorerOnly?: true;
  json?: true;
}

export function register(command: Command): void {
  command
    .addOption(
      new Option('--model <folder>', 'folder of the model; the asset is written into it').default(
        shippedModelFolder(),
        'the shipped one',
      ),
    )
    .option(
      '--worlds <n>',
      `worlds of ${RUN_STONES} stones that set the ladder and the probabilities; one of ${HOME_EVERY} is of the home population`,
      wholeNumber,
      128,
    )
    .option('--stones <n>', 'stones of the home population, for baselines, gauges and scorers', wholeNumber, 2048)
    .option('--held-out <n>', 'further stones of it, that try the ladder', wholeNumber, 1024)
    .option(
      '--seed <n>',
      'seed of the stones; the model must not have been trained on it',
      wholeNumber,
      CALIBRATION_SEED,
    )
    .option('--scorer-only', `make ${SCORER_FILE} alone, the ladders of populations' own scorers; the asset stays`)
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
Examples:
  mvs calibrate
  mvs calibrate --scorer-only
  mvs calibrate --model models/mine --worlds 32 --stones 512 --held-out 512`,
    )
    .action(calibrate);
}

async function calibrate(options: Options): Promise<void> {
  const modelFile = join(options.model, MODEL_FILE);
  if (!existsSync(modelFile)) throw new UsageError(`there is no model in ${options.model}: ${MODEL_FILE} is missing`);
  const model = loadModel(readFileSync(modelFile));
  const source = { population: 'calibration', seed: options.seed, modelFile };
  const pool = new ThreadPool();
  const withScorers = options.stones >= SCORER_STONES;
  const homeWorlds = Math.ceil(options.worlds / HOME_EVERY);
  const drawn = { ...source, population: 'randomised', first: 0, count: RUN_STONES * (options.worlds - homeWorlds) };
  const home = { ...source, first: 0, count: options.scorerOnly ? SCORER_STONES : options.stones };
  if (options.scorerOnly && !withScorers)
    throw new UsageError(`ladders of populations' own scorers need --stones ${SCORER_STONES} or more`);
  const progress = showProgress(
    'measuring stones',
    home.count + drawn.count + (options.scorerOnly ? 0 : options.heldOut),
  );
  try {
    const parts = await measured(pool, home, progress);
    const forScorers = { ...home, count: SCORER_STONES };
    const stones = withScorers ? evidenceOf(forScorers, parts.slice(0, runsOf(forScorers).length)) : undefined;
    const worlds = [
      ...worldsOf(home, parts).slice(0, homeWorlds),
      ...worldsOf(drawn, await measured(pool, drawn, progress)),
    ].filter(({ bank }) => bank.stones.length > 1);
    if (options.scorerOnly && stones) {
      progress.stop();
      const written = await writeScorerLadders(options.model, model, stones, worlds, pool);
      return print(options.json ? JSON.stringify({ written: [written] }) : `written to ${written}`);
    }
    const heldOut = await gather(pool, { ...source, first: options.stones, count: options.heldOut }, progress);
    const byScans = await gatherByScans(pool, {
      ...source,
      first: 0,
      count: Math.min(BASELINE_STONES, options.stones),
    });
    progress.stop();
    const made = { evidence: evidenceOf(home, parts), heldOut, byScans, worlds };
    const asset = await makeAsset(model.digest, made, simdCompute().cosines);
    const file = join(options.model, CALIBRATION_FILE);
    const text = `${JSON.stringify(asset, null, 1)}\n`;
    // The card comes last: a crash between the two leaves a pair that does not load, not a ladder without its card's
    // digest.
    const card = { digest: model.digest, ...readCard(options.model), ladder_digest: ladderDigestOf(text) };
    writeFileSync(file, text);
    writeFileSync(join(options.model, CARD_FILE), `${JSON.stringify(card, null, 2)}\n`);
    // Those of another ladder would be of another model.
    rmSync(join(options.model, SCORER_FILE), { force: true });
    const scorers = stones && (await writeScorerLadders(options.model, model, stones, worlds, pool));
    if (options.json) {
      const { rungs, check, source } = asset;
      return print(JSON.stringify({ written: scorers ? [file, scorers] : [file], source, rungs, check }));
    }
    const more = scorers
      ? ` and ${scorers}`
      : `; ladders of populations' own scorers need --stones ${SCORER_STONES} or more and were not made`;
    print(`${describe(asset)}\nwritten to ${file}${more}`);
  } finally {
    await pool.close();
  }
}

async function writeScorerLadders(
  folder: string,
  model: Model,
  stones: Evidence,
  worlds: WorldEvidence[],
  pool: ThreadPool,
): Promise<string> {
  const { cosines } = simdCompute();
  const progressOf = (banks: number) => showProgress("populations' own scorers", banks);
  const ladders = await makeScorerLadders(model, stones, worlds, pool, cosines, progressOf);
  const file = join(folder, SCORER_FILE);
  writeFileSync(file, `${JSON.stringify(ladders, null, 1)}\n`);
  return file;
}

function runsOf(whole: StoneRun): StoneRun[] {
  const runs: StoneRun[] = [];
  for (let first = whole.first; first < whole.first + whole.count; first += RUN_STONES)
    runs.push({ ...whole, first, count: Math.min(RUN_STONES, whole.first + whole.count - first) });
  return runs;
}

/** Baselines of genuine claims for every number of scans per side. */
async function gatherByScans(pool: ThreadPool, whole: StoneRun): Promise<ScanBaseline[]> {
  const parts = await Promise.all(
    runsOf(whole).map((run) => pool.run<ScanMeasures[]>(MEASURE, 'measureByScans', [run])),
  );
  return BASELINE_ROUGH.flatMap((rough) =>
    BASELINE_POLISH.map((polish) => {
      const found = parts.flat().filter((one) => one.rough === rough && one.polish === polish);
      const of = (measure: DriftMeasure) => percentiles(Float64Array.from(found, (one) => one[measure]).sort());
      return {
        scans: { rough, polish },
        claims: found.length,
        ...(Object.fromEntries(DRIFT_MEASURES.map((measure) => [measure, of(measure)])) as Record<
          DriftMeasure,
          number[]
        >),
      };
    }),
  );
}

/** Measures a run of stones on all threads; the parts stand in order, so the number of threads does not matter. */
const measured = (pool: ThreadPool, whole: StoneRun, progress: Progress): Promise<MeasuredStones[]> =>
  Promise.all(
    runsOf(whole).map(async (run) => {
      const part = await pool.run<MeasuredStones>(MEASURE, 'measureStones', [run]);
      progress.advance(run.count);
      return part;
    }),
  );

const gather = async (pool: ThreadPool, whole: StoneRun, progress: Progress): Promise<Evidence> =>
  evidenceOf(whole, await measured(pool, whole, progress));

/** Each part as a world of its own. */
const worldsOf = (whole: StoneRun, parts: MeasuredStones[]): WorldEvidence[] =>
  runsOf(whole).map((run, i) => {
    const { stones, encoders, refused } = parts[i];
    const { population, seed, first, count } = run;
    return { source: { population, seed, first_stone: first, stones: count, refused }, bank: { stones, encoders } };
  });

function evidenceOf(whole: StoneRun, parts: MeasuredStones[]): Evidence {
  const samples = (side: 'rough' | 'polish') => ({
    sharpness: parts.flatMap((part) => part.gauges[side].sharpness),
    detail_residual: parts.flatMap((part) => part.gauges[side].detail_residual),
    locally_polynomial: parts.flatMap((part) => part.gauges[side].locally_polynomial),
  });
  return {
    source: {
      population: whole.population,
      seed: whole.seed,
      first_stone: whole.first,
      stones: whole.count,
      refused: parts.reduce((sum, part) => sum + part.refused, 0),
    },
    bank: {
      stones: parts.flatMap((part) => part.stones),
      encoders: parts[0].encoders.map(({ width }, encoder) => ({
        rough: joined(parts.map((part) => part.encoders[encoder].rough)),
        polish: joined(parts.map((part) => part.encoders[encoder].polish)),
        width,
      })),
    },
    gauges: { rough: samples('rough'), polish: samples('polish') },
  };
}

const worldsIn = (sources: CalibrationAsset['ladder_source'] = []) =>
  sources.reduce((sum, { worlds }) => sum + worlds, 0);

function describe({ rungs, check, source, ladder_source }: CalibrationAsset): string {
  const percent = (share: number | null) => (share === null ? 'none' : `${(100 * share).toFixed(2)}%`);
  return [
    `${worldsIn(ladder_source)} simulated worlds set the ladder; ${check.source.stones} stones of ${source.population} tried it ` +
      `(${check.source.refused} refused)`,
    'rung   threshold  p there  genuine confirmed  expected  held out: confirmed  missed, of them p >= ' +
      `${REVIEW_FROM}  wrong accepted (95% interval)`,
    ...rungs
      .map((rung, i) => {
        const { genuine_confirmed, wrong_accepted, wrong_accepted_interval, ...review } = check.rungs[i];
        const { p_at_threshold = Number.NaN, genuine_missed, missed_in_review } = review;
        return (
          `${rungName(rung.reject_target)}   ${rung.threshold.toFixed(4)}     ${p_at_threshold.toFixed(3)}    ${percent(rung.genuine_confirmed)}             ` +
          `${percent(rung.expected_genuine_accept)}    ${percent(genuine_confirmed)}               ` +
          `${String(genuine_missed).padStart(4)}, ${String(missed_in_review).padStart(4)}              ` +
          `${percent(wrong_accepted)} (${wrong_accepted_interval.map(percent).join(' to ')})`
        );
      })
      .reverse(),
    `expected calibration error of p_match_5050 on the held-out stones: ${check.expected_calibration_error.toFixed(4)}`,
  ].join('\n');
}
