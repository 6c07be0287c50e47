/** The choice of what a side's scans are pooled to, on held-out worlds with one rough scan in six spoiled: a table of reports/training.md. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type Bank, CrossScores } from '#science/calibration/cross-scores';
import { simdCompute } from '#science/compute/cpu-engines';
import type { Compute } from '#science/compute/port';
import { type PlacedModel, placeModel } from '#science/matching/encoder';
import { loadModel, VECTOR } from '#science/matching/model';
import { VectorMean } from '#science/matching/pool';
import { preprocessAll } from '#science/matching/preprocess';
import { MODEL_FILE, shippedModelFolder } from '#science/matching/shipped';
import { quantile } from '#science/numerics/quantile';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { UsageError } from '../../apps/cli/exit.js';
import { print } from '../../apps/cli/print.js';
import { showProgress } from '../../apps/cli/progress.js';
import { writeBlock } from '../blocks.js';
import { type SimulatedScan, type SimulatedStone, shifted, simulateStone } from '../simulator/index.js';
import { spectraOf } from '../training/index.js';
import { wholeNumber } from './whole-number.js';

const PAGE = join('reports', 'training.md');
const RUNG = 0.98;
const ROUGH = 6;

interface Options {
  model: string;
  worlds: number;
  stones: number;
  seed: number;
  write?: true;
  json?: true;
}

export function register(command: Command): void {
  command
    .option('--model <folder>', 'folder of the model', shippedModelFolder())
    .option('--worlds <n>', 'worlds whose shapes were changed in another way than in training', wholeNumber, 8)
    .option('--stones <n>', 'stones a world', wholeNumber, 256)
    .option('--seed <n>', 'seed of the stones; no model may be trained on it', wholeNumber, 7777)
    .option('--write', `write the table into ${PAGE} instead of printing it (in a checkout)`)
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', '\nExample:\n  mvs pooling --model var/model --worlds 2')
    .action(pooling);
}

/** One row of `points` values from `count` of them. */
type Statistic = (rows: Float32Array, count: number, points: number) => Float32Array;

const columnwise =
  (of: (ascending: Float64Array) => number): Statistic =>
  (rows, count, points) => {
    const column = new Float64Array(count);
    return Float32Array.from({ length: points }, (_, i) => {
      for (let k = 0; k < count; k++) column[k] = rows[k * points + i];
      return of(column.sort());
    });
  };

const meanOf = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;

const STATISTICS: Record<string, Statistic> = {
  mean: columnwise(meanOf),
  // Without the highest and the lowest value at each point.
  'trimmed mean': columnwise((values) => meanOf(values.subarray(1, -1))),
  median: columnwise((values) => quantile(values, 0.5)),
};

/** Vectors of each scan, then their mean: what models of the former formats do. */
const VECTORS = 'mean of vectors';

const changed = ({ wavenumbers, absorbance }: SimulatedScan, change: (value: number, x: number) => number) => ({
  wavenumbers,
  absorbance: absorbance.map((value, i) => change(value, wavenumbers[i])),
});

/** Spoils the first rough scan of a stone; the others are as they were. */
const SPOILED: Record<string, (scan: SimulatedScan, other: SimulatedStone) => SimulatedScan> = {
  none: (scan) => scan,
  'a fringe of .05 absorbance, 40 cm^-1 apart': (scan) =>
    changed(scan, (value, x) => value + 0.05 * Math.sin((2 * Math.PI * x) / 40)),
  'shifted by 8 cm^-1': ({ wavenumbers, absorbance }) => ({ wavenumbers: wavenumbers.map((x) => x + 8), absorbance }),
  'twice as thick, stray light of 0.001': (scan) =>
    changed(scan, (value) => -Math.log10(Math.max(10 ** (-2 * value), 0) + 1e-3)),
  'of another stone': (_, other) => other.rough[0],
};

/** Preprocessed scans of a world's stones for each encoder: of a stone its rough scans, then its polish scan. */
interface World {
  stones: number;
  tables: Float32Array[];
}

function worldOf(placed: PlacedModel, simulated: SimulatedStone[], spoil: string): World {
  const spectra = new Float32Array(simulated.length * (ROUGH + 1) * REFERENCE_POINTS);
  const { input, encoders } = placed.model;
  for (const [s, { rough, polish }] of simulated.entries()) {
    const other = simulated[(s + 1) % simulated.length];
    const scans = [SPOILED[spoil](rough[0], other), ...rough.slice(1)];
    const at = s * (ROUGH + 1) * REFERENCE_POINTS;
    // Each by itself: a foreign axis or a spoiled scan says nothing of the others.
    for (const [k, scan] of scans.entries())
      spectra.set(spectraOf('rough', [scan], input.sampling), at + k * REFERENCE_POINTS);
    spectra.set(spectraOf('polish', polish, input.sampling), at + ROUGH * REFERENCE_POINTS);
  }
  const preprocessings = encoders.map(({ preprocessing }) => preprocessing);
  const tables = preprocessAll(preprocessings, spectra, 0, simulated.length * (ROUGH + 1)).map((table) =>
    table.slice(),
  );
  return { stones: simulated.length, tables };
}

async function bankOf({ encoders }: PlacedModel, { stones, tables }: World, pooled: string): Promise<Bank> {
  const size = ROUGH + 1;
  const vectors = await Promise.all(
    encoders.map(async (encoder, e) => {
      const points = tables[e].length / stones / size;
      const rough = new Float32Array(stones * VECTOR);
      const polish = new Float32Array(stones * VECTOR);
      for (let s = 0; s < stones; s++) {
        const rows = tables[e].subarray(s * size * points, (s + 1) * size * points);
        const sum = new VectorMean(VECTOR);
        if (pooled === VECTORS) sum.add(await encoder.apply(rows.slice(0, ROUGH * points), ROUGH), 0, ROUGH);
        else sum.add(await encoder.apply(STATISTICS[pooled](rows, ROUGH, points), 1), 0, 1);
        rough.set(sum.unit(), s * VECTOR);
        polish.set(await encoder.apply(rows.slice(ROUGH * points), 1), s * VECTOR);
      }
      return { rough, polish, width: VECTOR };
    }),
  );
  const names = Array.from({ length: stones }, (_, i) => ({ roughDigest: `rough ${i}`, polishDigest: `polish ${i}` }));
  return { stones: names, encoders: vectors };
}

const scored = async (compute: Compute, bank: Bank) => CrossScores.of(bank, (...sides) => compute.cosines(...sides));

async function pooling({ model: folder, worlds, stones, seed, write, json }: Options): Promise<void> {
  const file = join(folder, MODEL_FILE);
  if (!existsSync(file)) throw new UsageError(`there is no ${file}`);
  const model = loadModel(readFileSync(file));
  const compute = simdCompute();
  const placed = await placeModel(model, compute);
  const ways = [...Object.keys(STATISTICS), VECTORS];
  const kinds = Object.keys(SPOILED);
  /** By way and kind: the share confirmed and, of wrong claims, the share accepted, a world each. */
  const found = ways.map(() => kinds.map(() => ({ confirmed: [] as number[], wrong: [] as number[] })));
  const population = shifted(stones);
  const progress = showProgress('worlds', worlds);
  for (let world = 0; world < worlds; world++) {
    const simulated = Array.from({ length: stones }, (_, s) =>
      simulateStone(population, seed, world * stones + s, { roughScans: ROUGH, polishScans: 1 }),
    );
    const thresholds: number[] = [];
    for (const [k, kind] of kinds.entries()) {
      const seen = worldOf(placed, simulated, kind);
      for (const [w, way] of ways.entries()) {
        const scores = await scored(compute, await bankOf(placed, seen, way));
        // The unspoiled world comes first, and sets the threshold for the others.
        if (k === 0) thresholds[w] = scores.threshold(RUNG).threshold;
        found[w][k].confirmed.push(scores.confirmed(thresholds[w]).share);
        found[w][k].wrong.push(scores.wrongAccepted(thresholds[w]).share);
      }
    }
    progress.advance();
  }
  progress.stop();
  placed.release();
  await compute.close();
  if (json)
    return print(
      JSON.stringify({
        model: model.digest,
        ...{ worlds, stones, seed, reject_target: RUNG },
        ways: ways.map((way, w) => ({ way, kinds: kinds.map((spoiled, k) => ({ spoiled, ...found[w][k] })) })),
      }),
    );
  const average = (values: number[]) => (100 * values.reduce((sum, value) => sum + value, 0)) / values.length;
  const cell = ({ confirmed, wrong }: { confirmed: number[]; wrong: number[] }) =>
    `${average(confirmed).toFixed(1)} (${(100 * Math.min(...confirmed)).toFixed(0)}); ${average(wrong).toFixed(1)}`;
  const table = [
    `Model ${model.digest.slice(0, 16)}, ${worlds} worlds of ${stones} simulated stones, seed ${seed}, 6 + 1 scans, the first rough scan spoiled; confirmed at ${RUNG} by the threshold of the same world unspoiled, mean (worst); wrong claims accepted, mean; %:`,
    '',
    `| spoiled | ${ways.join(' | ')} |`,
    `|---|${ways.map(() => '---:|').join('')}`,
    ...kinds.map((kind, k) => `| ${kind} | ${ways.map((_, w) => cell(found[w][k])).join(' | ')} |`),
  ].join('\n');
  if (write) writeBlock(PAGE, 'pooling', table);
  else print(table);
}
