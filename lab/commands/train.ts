import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { makeFolder } from '#config/folder';
import { CARD_FILE, readCard } from '#science/matching/folder';
import { loadModel, type Model } from '#science/matching/model';
import { MODEL_FILE, modelIn, shippedModel, shippedModelFolders } from '#science/matching/shipped';
import { Exit, UsageError } from '../../apps/cli/exit.js';
import { exitWith } from '../../apps/cli/io.js';
import { wholeFrom, wholeNumber } from '../../apps/cli/numbers.js';
import { print } from '../../apps/cli/print.js';
import { showProgress } from '../../apps/cli/progress.js';
import { trainOnPairs } from '../own-pairs-run.js';
import { STONES_A_WORLD } from '../simulator/index.js';
import {
  MIN_OWN_STONES,
  planDigest,
  simulateTable,
  stonesOf,
  type TrainingPlan,
  trainingPlan,
} from '../training/index.js';
import { clock, drawLosses, dropCheckpoints, keep, trainKept } from '../training-run.js';

interface TrainOptions {
  out: string;
  name: string;
  stones: number;
  epochs?: number;
  seed: number;
  threads: number;
  pairs?: string;
  start?: string;
  again?: string;
  json?: true;
}

export function register(command: Command): void {
  command
    .option('--out <folder>', 'where the model, its card and the checkpoints go', 'var/model')
    .option('--name <name>', 'name of the model', 'own')
    .option('--stones <n>', `simulated stones, each ${STONES_A_WORLD} of a world of their own`, wholeFrom(512), 24_000)
    .option(
      '--epochs <n>',
      'passes over all stones (40; on own pairs as many as make 240 steps, or 600 from scratch); with --start 0 measures centres alone',
      wholeFrom(0),
    )
    .option('--seed <n>', 'seed of the stones and of the training', wholeNumber, 1)
    .option('--threads <n>', 'threads that simulate', wholeNumber, 2)
    .option('--pairs <folder>', "a laboratory's own pairs in place of simulated stones")
    .option('--start <model>', 'only train "shipped", a model folder, or "scratch" further')
    .addOption(
      new Option(
        '--again <model>',
        'make the weights of a model folder once more, as its card says, and compare them with it',
      ).conflicts(['pairs', 'start']),
    )
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
A training that was stopped goes on from its last epoch when it is started again with the same options, or with another
--epochs to cut it short or prolong it; its checkpoints are in OUT/checkpoint until it ends. Its losses are drawn into OUT/loss.svg.
With --pairs a quarter of the stones is held out. Three ways are tried, or with --start only those that start there: the
shipped model trained further, a closed form folded into it, and a training from scratch. Each keeps the epoch with the
lowest held-out loss; the best of all on the held-out stones is kept, and that is the shipped model where none is clearly
better. At least ${MIN_OWN_STONES} stones are needed.

Examples:
  mvs train --stones 24000 --epochs 40 --out var/model
  mvs train --start models/match-3 --stones 8192 --epochs 0 --out var/centred
  mvs train --again models/match-4 --out var/match-4
  mvs train --pairs pairs/ --out var/our-model
  mvs train --pairs pairs/ --start shipped --out var/our-model`,
    )
    .action(async (options: TrainOptions) => {
      const { start, pairs, again } = options;
      if (again) await trainAgain(options, again);
      else if (pairs) await trainOnPairs({ ...options, pairs, ...startOf(start) });
      else await trainOnStones(options, start ? startOf(start).from : undefined);
    });
}

/** Trains as a model folder's card says, and compares the weights. Exit 1 where they differ. */
async function trainAgain(options: TrainOptions, folder: string): Promise<void> {
  if (resolve(options.out) === resolve(folder)) throw new UsageError('--out takes another folder than --again');
  const card = readCard(folder);
  const plan = card?.plan as TrainingPlan | undefined;
  if (!plan) throw new UsageError(`${join(folder, CARD_FILE)} says of no training on simulated stones`);
  const installed = plan.from ? shippedModelFolders().map(modelIn) : [];
  const from = installed.find(({ digest }) => digest === plan.from);
  if (plan.from && !from)
    throw new UsageError(`the model that ${folder} was trained from is not installed: ${plan.from}`);
  const { name, train, encoders } = plan;
  const [{ seed, stones }] = train.draws;
  const { epochs } = encoders[0];
  if (planDigest(trainingPlan(name, stones, epochs, seed, from)) !== planDigest(plan))
    throw new UsageError(`this version trains otherwise than ${folder} was: take the one that its report names`);
  const model = await trainOnStones({ ...options, name, stones, epochs, seed }, from);
  const same = model.digest === card?.digest;
  if (!same) exitWith(Exit.unsound);
  if (!options.json)
    print(`The weights of ${folder} are ${same ? 'the same, bit for bit' : `others: ${card?.digest}`}.`);
}

async function trainOnStones(options: TrainOptions, from?: Model): Promise<Model> {
  const plan = trainingPlan(options.name, options.stones, options.epochs ?? 40, options.seed, from);
  makeFolder(options.out);
  const simulate = async (what: string, recipe: TrainingPlan['train']) => {
    const bar = showProgress(what, stonesOf(recipe));
    let shown = 0;
    const table = await simulateTable(recipe, options.threads, (done) => {
      bar.advance(done - shown);
      shown = done;
    });
    bar.stop();
    return table;
  };
  const started = clock();
  const train = await simulate('simulating stones', plan.train);
  const heldOut = await simulate('held-out stones  ', plan.heldOut);
  const { out } = options;
  const { model, epochs } = await trainKept({
    ...{ out, name: plan.name, settings: plan.encoders, data: { train, heldOut } },
    plan: planDigest(plan),
    from,
  });
  const minutes = (clock() - started) / 60;
  const about = {
    command: options.again
      ? `mvs train --again ${options.again}`
      : `mvs train --name ${plan.name} --stones ${options.stones} --epochs ${plan.encoders[0].epochs} --seed ${options.seed}${options.start ? ` --start ${options.start}` : ''}`,
    plan,
    node: process.version,
    minutes: Math.round(minutes * 10) / 10,
  };
  await keep(out, model, about);
  const picture = await drawLosses(out, [{ part: plan.name, epochs }]);
  await dropCheckpoints(out);
  if (options.json) {
    print(JSON.stringify({ out, digest: model.digest, minutes, losses: picture }));
    return model;
  }
  print(`Trained ${plan.name} on ${options.stones} simulated stones in ${minutes.toFixed(1)} minutes.`);
  print(`Model ${model.digest.slice(0, 16)} is in ${out}, its losses in ${picture}.`);
  print(
    `Next: mvs calibrate --model ${out}, then mvs judge ${out} on simulated stones and mvs evaluate PAIRS --model ${out}.`,
  );
  return model;
}

/** The start of an own training, and the ways that it leaves open. */
function startOf(start: string | undefined): Pick<Parameters<typeof trainOnPairs>[0], 'ways' | 'from'> {
  if (start === undefined) return { ways: ['tuned', 'folded', 'scratch'] };
  if (start === 'scratch') return { ways: ['scratch'] };
  return { ways: ['tuned', 'folded'], from: start === 'shipped' ? shippedModel() : readModel(start) };
}

function readModel(folder: string): Model {
  const path = join(folder, MODEL_FILE);
  if (!existsSync(path))
    throw new UsageError(`--start takes "shipped", "scratch" or a model folder, and there is no ${path}`);
  return loadModel(readFileSync(path));
}
