/** Chooses between models by worlds that none was trained on, never by the second family. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { CrossScores } from '#science/calibration/cross-scores';
import { simdCompute } from '#science/compute/cpu-engines';
import type { Compute } from '#science/compute/port';
import { loadModel, type Model, modelOf } from '#science/matching/model';
import { MODEL_FILE } from '#science/matching/shipped';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import type { Sampling } from '#science/spectra/sampling';
import { UsageError } from '../../apps/cli/exit.js';
import { print } from '../../apps/cli/print.js';
import { showProgress } from '../../apps/cli/progress.js';
import { POPULATIONS, type Population, randomised, shifted, simulateStone } from '../simulator/index.js';
import { bankOf, type SpectraTable, spectraOf } from '../training/index.js';
import { wholeNumber } from './whole-number.js';

/** The strictest rung but one: its threshold on `calibration` is the shipped one, nearly. */
const RUNG = 0.98;
const [ROUGH, POLISH] = [6, 1];

interface Options {
  worlds: number;
  stones: number;
  seed: number;
  json?: true;
}

export function register(command: Command): void {
  command
    .argument('<model...>', 'model folders; FOLDER@a,b takes these encoders alone, FOLDER+FOLDER fuses')
    .option('--worlds <n>', 'worlds of either kind', wholeNumber, 8)
    .option('--stones <n>', 'stones a world', wholeNumber, 256)
    .option('--seed <n>', 'seed of the stones; no model may be trained on it', wholeNumber, 7777)
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  mvs judge models/match-1 models/match-2\n  mvs judge models/match-2@first+var/model',
    )
    .action(judge);
}

async function judge(names: string[], { worlds, stones, seed, json }: Options): Promise<void> {
  const models = names.map(fused);
  const kinds = { worlds: randomised(stones), shifted: shifted(stones) };
  const progress = showProgress('judging', names.length * (2 * worlds + 1));
  const compute = simdCompute();
  const lines: string[] = [];
  const found: object[] = [];
  for (const [m, model] of models.entries()) {
    const { sampling } = model.input;
    const known = await scored(model, compute, tableOf(POPULATIONS.calibration, seed, 0, 4 * stones, sampling));
    progress.advance();
    const { threshold } = known.threshold(RUNG);
    const { share } = known.confirmed(threshold);
    const cells = [names[m], percent(share)];
    const shares: Record<string, object> = {};
    for (const [kind, population] of Object.entries(kinds)) {
      const of = { confirmed: [] as number[], wrong: [] as number[] };
      for (let world = 0; world < worlds; world++) {
        const scores = await scored(model, compute, tableOf(population, seed, world * stones, stones, sampling));
        progress.advance();
        of.confirmed.push(scores.confirmed(scores.threshold(RUNG).threshold).share);
        of.wrong.push(scores.wrongAccepted(threshold).share);
      }
      const mean = (values: number[]) => percent(values.reduce((sum, value) => sum + value, 0) / worlds);
      cells.push(`${mean(of.confirmed)} (${percent(Math.min(...of.confirmed))})`);
      cells.push(`${mean(of.wrong)} (${percent(Math.max(...of.wrong))})`);
      shares[kind] = of;
    }
    found.push({ model: names[m], digest: model.digest, confirmed: share, ...shares });
    lines.push(`| ${cells.join(' | ')} |`);
  }
  progress.stop();
  await compute.close();
  if (json) return print(JSON.stringify({ worlds, stones, seed, reject_target: RUNG, models: found }));
  print(
    [
      `${worlds} worlds of either kind, ${stones} simulated stones each, ${4 * stones} of calibration, seed ${seed}, 6 + 1 scans; %, mean (worst):`,
      '',
      `| model | calibration, confirmed at ${RUNG} | worlds, confirmed at their own ${RUNG} | worlds, wrong accepted at calibration's | shifted, confirmed at their own | shifted, wrong accepted at calibration's |`,
      '|---|---|---|---|---|---|',
      ...lines,
    ].join('\n'),
  );
}

/** A model of a folder, of some of its encoders, or of several folders' together. */
function fused(name: string): Model {
  const parts = name.split('+').map((part) => {
    const [folder, encoders] = part.split('@');
    const file = join(folder, MODEL_FILE);
    if (!existsSync(file)) throw new UsageError(`there is no ${file}`);
    const model = loadModel(readFileSync(file));
    const names = encoders?.split(',');
    const taken = model.encoders.filter((encoder) => names?.includes(encoder.name) ?? true);
    if (taken.length !== (names?.length ?? taken.length))
      throw new InvalidArgumentError(`${folder} has ${model.encoders.map((one) => one.name).join(', ')}`);
    return { model, taken };
  });
  const { input } = parts[0].model;
  if (parts.some(({ model }) => JSON.stringify(model.input) !== JSON.stringify(input)))
    throw new UsageError(`the models of ${name} are not shown scans alike and cannot be fused`);
  const encoders = parts.flatMap(({ taken }, p) => taken.map((one) => ({ ...one, name: `${one.name}_${p}` })));
  return modelOf('judged', encoders, input);
}

function tableOf(population: Population, seed: number, from: number, stones: number, sampling: Sampling): SpectraTable {
  const size = (ROUGH + POLISH) * REFERENCE_POINTS;
  const spectra = new Float32Array(stones * size);
  for (let i = 0; i < stones; i++) {
    const { rough, polish } = simulateStone(population, seed, from + i);
    spectra.set(spectraOf('rough', rough, sampling), i * size);
    spectra.set(spectraOf('polish', polish, sampling), i * size + ROUGH * REFERENCE_POINTS);
  }
  return { spectra, stones, rough: ROUGH, polish: POLISH };
}

const scored = async (model: Model, compute: Compute, table: SpectraTable): Promise<CrossScores> =>
  CrossScores.of(await bankOf(model, compute, table), (...sides) => compute.cosines(...sides));

const percent = (share: number) => (100 * share).toFixed(1);
