import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Presets, SingleBar } from 'cli-progress';
import { type Command, InvalidArgumentError } from 'commander';
import { rungName } from '#calibration';
import { type Compute, createCompute } from '#compute';
import { INPUT, loadModel, MODEL_FILE, type Model, ModelFileError, modelFile, shippedModel } from '#matching';
import { prepareSide, Refusal, readScanFiles, type Sampling, type Side } from '#spectra';
import {
  compareModels,
  type EncoderSettings,
  type EpochReport,
  type Evaluation,
  encoderSettings,
  evaluatePopulation,
  LEAST_OWN_STONES,
  type OwnPair,
  planDigest,
  readState,
  type SpectraTable,
  simulateTable,
  splitPairs,
  stateFile,
  stonesOf,
  TEST_SEED_SHIFT,
  type TrainingPlan,
  trainingPlan,
  trainModel,
} from '#training';
import { InputError, UsageError } from '../../apps/cli/exit.js';
import { readInputs } from '../../apps/cli/files.js';
import { findPairs } from '../../apps/cli/pairs.js';

interface TrainOptions {
  out: string;
  name: string;
  stones: number;
  epochs?: number;
  seed: number;
  threads: number;
  testStones: number;
  pairs?: string;
  from?: string;
}

const count = (least: number) => (text: string) => {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new InvalidArgumentError(`It is a whole number, ${least} or more.`);
};

export function register(program: Command): void {
  program
    .command('train')
    .description("Train a model on simulated stones, or on a laboratory's own pairs.")
    .option('--out <folder>', 'where the model, its card and the checkpoints go', 'var/model')
    .option('--name <name>', 'name of the model', 'own')
    .option('--stones <n>', 'simulated stones, half of them of the calibration population', count(512), 24_000)
    .option('--epochs <n>', 'passes over all stones (40, or 15 on own pairs)', count(1))
    .option('--seed <n>', 'seed of the stones and of the training', count(1), 1)
    .option('--threads <n>', 'threads that simulate', count(1), 2)
    .option('--test-stones <n>', 'stones of each population in the final report; 0 for none', count(0), 3_000)
    .option('--pairs <folder>', "a laboratory's own pairs in place of simulated stones")
    .option('--from <model>', 'with --pairs: start from "shipped" or from a model folder')
    .addHelpText(
      'after',
      `
A training that was stopped goes on from its last epoch when it is started again with the same options.
With --pairs a quarter of the stones is held out; the own model is kept only where it does better on them than the
shipped one. At least ${LEAST_OWN_STONES} stones are needed.

Examples:
  mvs train --stones 24000 --epochs 40 --out var/model
  mvs train --pairs pairs/ --from shipped --out var/our-model`,
    )
    .action((options: TrainOptions) => {
      if (options.pairs) return trainOnPairs(options.pairs, options);
      if (options.from) throw new UsageError('--from goes with --pairs');
      return trainOnStones(options);
    });
}

async function trainOnStones(options: TrainOptions): Promise<void> {
  const plan = trainingPlan(options.name, options.stones, options.epochs ?? 40, options.seed);
  await mkdir(options.out, { recursive: true });
  const simulate = async (what: string, recipe: TrainingPlan['train']) => {
    const bar = barOf(`${what} {bar} {value}/{total} stones, {eta_formatted} left`, stonesOf(recipe));
    const table = await simulateTable(recipe, options.threads, (done) => bar?.update(done));
    bar?.stop();
    return table;
  };
  const started = clock();
  const train = await simulate('simulating', plan.train);
  const heldOut = await simulate('held out  ', plan.heldOut);
  const { model } = await trainKept(options.out, plan.name, plan.encoders, { train, heldOut }, planDigest(plan));
  const minutes = (clock() - started) / 60;
  const about = {
    command: `mvs train --name ${plan.name} --stones ${options.stones} --epochs ${plan.encoders[0].epochs} --seed ${options.seed}`,
    plan,
    node: process.version,
    minutes: Math.round(minutes * 10) / 10,
  };
  // Kept before the test, which takes minutes, and once more with its outcome.
  await keep(options.out, model, about);
  const evaluations = await test(model, options);
  await keep(options.out, model, { ...about, tests: evaluations.map(cardOf) });
  console.log(`Trained ${plan.name} on ${options.stones} simulated stones in ${minutes.toFixed(1)} minutes.`);
  for (const evaluation of evaluations) console.log(`\n${describe(evaluation)}`);
  console.log(`\nModel ${model.digest.slice(0, 16)} is in ${options.out}.`);
}

/** Trains with a progress bar and a checkpoint an epoch; goes on from checkpoints of the same plan. */
async function trainKept(
  out: string,
  name: string,
  settings: EncoderSettings[],
  data: { train: SpectraTable; heldOut: SpectraTable },
  plan: string,
  from?: Model,
): Promise<{ model: Model; epochs: EpochReport[] }> {
  const folder = join(out, 'checkpoint');
  const path = (encoder: string) => join(folder, `${encoder}.safetensors`);
  mkdirSync(folder, { recursive: true });
  const bar = barOf(
    'training {bar} epoch {value}/{total}, loss {loss}, held-out accept {accept}, {left} left',
    settings[0].epochs,
  );
  const trained = await trainModel(
    name,
    settings,
    data,
    {
      clock,
      loadState: (encoder) => {
        if (!existsSync(path(encoder))) return undefined;
        try {
          return readState(readFileSync(path(encoder)), plan);
        } catch (error) {
          // Cut off or of another kind: start afresh.
          if (error instanceof ModelFileError) return undefined;
          throw error;
        }
      },
      saveState: (encoder, state) => {
        writeFileSync(`${path(encoder)}.new`, stateFile(state, plan));
        renameSync(`${path(encoder)}.new`, path(encoder));
      },
      onEpoch: ({ epoch, loss, accept, left }) => {
        const shown = {
          loss: Number.isNaN(loss) ? 'none yet' : loss.toFixed(4),
          accept: `${(100 * accept).toFixed(1)}% at 0.98`,
          left: `${Math.ceil(left / 60)} min`,
        };
        if (bar) bar.update(epoch, shown);
        else console.error(`epoch ${epoch}: loss ${shown.loss}, held-out accept ${shown.accept}, ${shown.left} left`);
      },
    },
    from,
  );
  bar?.stop();
  return trained;
}

/** Writes a model and its card, then drops the checkpoints, which nobody needs any more. */
async function keep(out: string, model: Model, about: Record<string, unknown>): Promise<void> {
  await mkdir(out, { recursive: true });
  await writeFile(join(out, MODEL_FILE), modelFile(model));
  const { sampling, viewTo } = model.input;
  const input = { sampling, view_to: viewTo };
  const card = { name: model.name, digest: model.digest, input, simulated: !('own_pairs' in about), ...about };
  await writeFile(join(out, 'card.json'), `${JSON.stringify(card, null, 2)}\n`);
  await rm(join(out, 'checkpoint'), { recursive: true, force: true });
}

/** The populations that the final report quotes: the first is held out of training by stone, the others whole. */
const TESTED = ['calibration', 'client-a', 'client-b', 'client-c'];

async function test(model: Model, options: TrainOptions): Promise<Evaluation[]> {
  if (options.testStones === 0) return [];
  const compute = await createCompute('simd');
  const evaluations: Evaluation[] = [];
  const bar = barOf('testing {bar} {value}/{total} populations', TESTED.length);
  for (const population of TESTED) {
    const { threads } = options;
    const seed = options.seed + TEST_SEED_SHIFT;
    evaluations.push(await evaluatePopulation(model, compute, population, seed, options.testStones, { threads }));
    bar?.increment();
  }
  bar?.stop();
  await compute.close();
  return evaluations;
}

const cardOf = ({ population, seed, stones, rungs }: Evaluation) => ({
  population,
  seed,
  stones,
  confirmed: Object.fromEntries(
    rungs.map(({ rejectTarget, confirmed }) => [
      rungName(rejectTarget),
      { share: confirmed.share, interval: confirmed.interval },
    ]),
  ),
});

const percent = ({ share, interval }: { share: number; interval: [number, number] }) =>
  `${(100 * share).toFixed(1)}% (${(100 * interval[0]).toFixed(1)}-${(100 * interval[1]).toFixed(1)})`;

function describe({ population, seed, stones, rungs }: Evaluation): string {
  const lines = rungs
    .toReversed()
    .map(
      ({ rejectTarget, threshold, confirmed }) =>
        `  ${rungName(rejectTarget)}  ${percent(confirmed)}  above ${threshold.toFixed(4)}`,
    );
  return [
    `Confirmed of ${stones} simulated stones of ${population} (seed ${seed}), thresholds set on itself:`,
    ...lines,
  ].join('\n');
}

async function trainOnPairs(folder: string, options: TrainOptions): Promise<void> {
  const shipped = shippedModel();
  const from = options.from === undefined ? undefined : options.from === 'shipped' ? shipped : readModel(options.from);
  const pairs = await readPairs(folder, (from?.input ?? INPUT).sampling);
  if (pairs.length < LEAST_OWN_STONES) {
    throw new InputError(
      `${folder} holds ${pairs.length} usable pairs of stones: a training on fewer than ${LEAST_OWN_STONES} makes a model worse ` +
        'as often as better; collect at least that many, better 300',
    );
  }
  const { train, heldOut } = splitPairs(pairs, options.seed);
  const settings = encoderSettings({
    epochs: options.epochs ?? 15,
    seed: options.seed,
    batch: Math.min(512, train.stones),
    // A trained model is moved gently; one from the closed form has all to learn.
    rate: from ? 1e-4 : 1e-3,
  }).map((setting, i) => (from ? { ...setting, hidden: from.encoders[i].hiddenBias.length } : setting));
  const digest = createHash('sha256').update(new Uint8Array(train.spectra.buffer)).digest('hex');
  const plan = { settings, from: from?.digest, data: digest };
  const { model } = await trainKept(options.out, options.name, settings, { train, heldOut }, planDigest(plan), from);
  const compute: Compute = await createCompute('simd');
  const comparison = await compareModels(model, shipped, compute, heldOut);
  await compute.close();
  const { own, shipped: base, ownMean, shippedMean, ownIsBetter } = comparison;
  const kept = ownIsBetter ? model : shipped;
  await keep(options.out, kept, {
    own_pairs: { stones: pairs.length, held_out: heldOut.stones, started_from: from?.digest ?? 'closed form' },
    comparison,
  });
  console.log(
    [
      `Held out ${heldOut.stones} of ${pairs.length} stones, thresholds set on them by each model itself.`,
      `Confirmed at 0.98: own model ${percent(own)}, shipped model ${percent(base)}.`,
      `Mean over the ladder: own ${(100 * ownMean).toFixed(1)}%, shipped ${(100 * shippedMean).toFixed(1)}%; 1.5 points are a tie.`,
      ownIsBetter
        ? `The own model is better and is kept in ${options.out}. Its ladder must be calibrated anew before it serves.`
        : `The own model is not clearly better: the shipped model is kept in ${options.out}.`,
    ].join('\n'),
  );
}

/** The usable pairs of a folder; what is refused or incomplete is named and left out. */
async function readPairs(folder: string, sampling: Sampling): Promise<OwnPair[]> {
  const { pairs, incomplete } = await findPairs(folder);
  for (const stone of incomplete) console.error(`mvs: ${stone} is left out: one of its sides is missing`);
  const read: OwnPair[] = [];
  const bar = barOf('reading {bar} {value}/{total} pairs', pairs.length);
  const spectra = async (side: Side, files: string[]) =>
    prepareSide(await readScanFiles(side, await readInputs(side, files)), sampling).spectra;
  for (const { stone, rough, polish } of pairs) {
    try {
      read.push({ rough: await spectra('rough', rough), polish: await spectra('polish', polish) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      console.error(`mvs: ${stone} is left out: ${error.detail}`);
    }
    bar?.increment();
  }
  bar?.stop();
  return read;
}

function readModel(folder: string): Model {
  const path = join(folder, MODEL_FILE);
  if (!existsSync(path)) throw new UsageError(`--from takes "shipped" or a model folder, and there is no ${path}`);
  return loadModel(readFileSync(path));
}

const clock = () => performance.now() / 1000;

/** A bar on stderr where that is a terminal. */
function barOf(format: string, total: number): SingleBar | undefined {
  if (!process.stderr.isTTY) return undefined;
  const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true }, Presets.shades_classic);
  bar.start(total, 0, { loss: 'none yet', accept: 'unknown', left: 'some time' });
  return bar;
}
