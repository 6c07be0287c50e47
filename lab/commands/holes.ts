/** Effect of holes in scans on genuine and wrong claims: the tables of docs/decisions/sampling.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { CrossScores } from '#science/calibration/cross-scores';
import { simdCompute } from '#science/compute/cpu-engines';
import type { Compute } from '#science/compute/port';
import { loadModel, type Model } from '#science/matching/model';
import { preprocess } from '#science/matching/preprocess';
import { MODEL_FILE, shippedModelFolder } from '#science/matching/shipped';
import { REFERENCE_POINTS, referenceAxis } from '#science/spectra/axis';
import type { Side } from '#science/spectra/refusal';
import type { Range, Sampling } from '#science/spectra/sampling';
import { carriesIdentity, ESSENTIAL, leftOf } from '#science/spectra/scan-set';
import { print } from '../../apps/cli/print.js';
import { showProgress } from '../../apps/cli/progress.js';
import { writeBlock } from '../blocks.js';
import { POPULATIONS } from '../simulator/index.js';
import { bankOf, simulateTable } from '../training/index.js';
import { wholeNumber } from './whole-number.js';

/** Ranges missing from the sides named, or from both. */
const HOLES: { missing: Range[]; side?: Side }[] = [
  { missing: [] },
  { missing: [[4000, 6000]] },
  { missing: [[400, 650]] },
  { missing: [[1000, 1200]] },
  { missing: [[1200, 1400]] },
  { missing: [[1400, 1500]] },
  { missing: [[1420, 1440]] },
  { missing: [[1600, 1700]] },
  { missing: [[2700, 4000]] },
  { missing: [[2250, 2700]] },
  { missing: [[1000, 1500]] },
  { missing: [[1000, 1500]], side: 'rough' },
  { missing: [[1000, 1500]], side: 'polish' },
  { missing: [[400, 1300]] },
  { missing: [[400, 1400]] },
  { missing: [[2000, 6000]] },
  {
    missing: [
      [400, 1000],
      [2300, 6000],
    ],
  },
  { missing: [[400, 1500]] },
];
const RUNG = 0.98;

interface Options {
  model: string;
  population: string;
  seed: number;
  stones: number;
  write?: true;
  json?: true;
}

const PAGE = join('docs', 'decisions', 'sampling.md');

export function register(command: Command): void {
  command
    .addOption(new Option('--model <folder>', 'folder of the model').default(shippedModelFolder(), 'the shipped one'))
    .addOption(
      new Option('--population <name>', 'who measured').choices(Object.keys(POPULATIONS)).default('calibration'),
    )
    .option('--stones <n>', 'simulated stones', wholeNumber, 1000)
    .option('--seed <n>', 'seed of the stones', wholeNumber, 7001)
    .option('--write', `write the table into ${PAGE} instead of printing it (in a checkout)`)
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', '\nExample:\n  mvs holes --population client-b --stones 300')
    .action(holes);
}

async function holes({ model: folder, population, seed, stones, write, json }: Options): Promise<void> {
  const model = loadModel(readFileSync(join(folder, MODEL_FILE)));
  const { sampling } = model.input;
  const progress = showProgress('holes', HOLES.length);
  const draws = [{ population, seed, from: 0, stones }];
  const table = await simulateTable({ draws, rough: 6, polish: 1, sampling }, 2);
  const compute = simdCompute();
  const scored = async (missing: Range[], side?: Side) => {
    const spectra = table.spectra.slice();
    for (let scan = 0; scan < 7 * stones; scan++) {
      if (side && side !== (scan % 7 < 6 ? 'rough' : 'polish')) continue;
      hide(spectra.subarray(scan * REFERENCE_POINTS, (scan + 1) * REFERENCE_POINTS), missing, sampling);
    }
    return scoresOf(model, compute, { ...table, spectra });
  };
  const { threshold } = (await scored([])).threshold(RUNG);
  const lines: string[] = [];
  const rows: object[] = [];
  for (const { missing, side } of HOLES) {
    const scores = await scored(missing, side);
    const covered = coveredWithout(missing);
    const { identity, essential } = leftOf(covered);
    const confirmed = scores.confirmed(threshold);
    const confirmedAtOwn = scores.confirmed(scores.threshold(RUNG).threshold);
    const wrong = scores.wrongAccepted(threshold);
    const refused = !carriesIdentity(covered);
    const shares = { identity, essential, confirmed, confirmed_at_own: confirmedAtOwn, wrong, refused };
    rows.push({ missing, side: side ?? 'both', ...shares });
    lines.push(
      `| ${missing.map(([from, to]) => `${from}-${to}`).join(', ') || 'nothing'} | ${side ?? 'both'} | ${identity.toFixed(0)} | ${(100 * essential).toFixed(0)} | ` +
        `${percent(confirmed)} | ${percent(confirmedAtOwn)} | ${percent(wrong)} | ` +
        `${refused ? 'yes' : 'no'} |`,
    );
    progress.advance();
  }
  progress.stop();
  const text = [
    `${stones} simulated stones of ${population}, seed ${seed}, 6 + 1 scans, model ${model.digest.slice(0, 16)} (${sampling}):`,
    '',
    `| missing, cm^-1 | side | identity left, % | of ${ESSENTIAL.join('-')} left, % | genuine confirmed at the whole scans' ${RUNG} | genuine confirmed at its own | wrong accepted at the whole scans' ${RUNG} | refused |`,
    '|---|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
  if (write) writeBlock(PAGE, 'holes', text);
  if (json) print(JSON.stringify({ model: model.digest, population, seed, stones, rung: RUNG, holes: rows }, null, 2));
  else if (!write)
    print(`${text}\n\nIdentity, % by 100 cm^-1 from 500: ${identityByBand(model, table.spectra, stones).join(', ')}`);
  await compute.close();
}

async function scoresOf(model: Model, compute: Compute, table: Parameters<typeof bankOf>[2]): Promise<CrossScores> {
  return CrossScores.of(await bankOf(model, compute, table), (...sides) => compute.cosines(...sides));
}

const isIn = (w: number, ranges: readonly Range[]) => ranges.some(([from, to]) => w > from && w < to);
const coveredWithout = (missing: readonly Range[]) =>
  Uint8Array.from(referenceAxis(), (w) => Number(!isIn(w, missing)));

/** Samples a spectrum that lacks these ranges, in place. */
function hide(spectrum: Float32Array, missing: readonly Range[], sampling: Sampling): void {
  const axis = referenceAxis();
  for (let i = 0; i < REFERENCE_POINTS; i++) {
    if (!isIn(axis[i], missing)) continue;
    let end = i;
    while (end < REFERENCE_POINTS && isIn(axis[end], missing)) end++;
    if (sampling === 'masked') spectrum.fill(Number.NaN, i, end);
    else if (i === 0) spectrum.fill(spectrum[end], 0, end);
    else if (end === REFERENCE_POINTS) spectrum.fill(spectrum[i - 1], i);
    else {
      const step = (spectrum[end] - spectrum[i - 1]) / (end - i + 1);
      for (let k = i; k < end; k++) spectrum[k] = spectrum[i - 1] + step * (k - i + 1);
    }
    i = end;
  }
}

/** Mutual information between preprocessed rough and polish scans, of Gaussian variables, by band of 100 cm^-1, in per cent of all. */
function identityByBand(model: Model, spectra: Float32Array, stones: number): number[] {
  const axis = referenceAxis();
  const bands = new Float64Array(35);
  for (const { preprocessing } of model.encoders) {
    const points = preprocessing.scale.length;
    const rough = new Float64Array(stones * points);
    const polish = new Float64Array(stones * points);
    const seen = new Float32Array(points);
    for (let scan = 0; scan < 7 * stones; scan++) {
      preprocess(preprocessing, spectra, scan * REFERENCE_POINTS, seen, 0);
      const at = Math.floor(scan / 7) * points;
      for (let i = 0; i < points; i++)
        if (scan % 7 < 6) rough[at + i] += seen[i] / 6;
        else polish[at + i] = seen[i];
    }
    for (let i = 0; i < points; i++) {
      const band = Math.floor(axis[i] / 100) - 5;
      if (band >= 0 && band < bands.length) bands[band] += information(rough, polish, i, points);
    }
  }
  const total = bands.reduce((sum, value) => sum + value, 0);
  return Array.from(bands, (value) => Math.round((1000 * value) / total) / 10);
}

/** Bits that column i of one table says about that of the other, were they Gaussian. */
function information(a: Float64Array, b: Float64Array, i: number, width: number): number {
  const rows = a.length / width;
  let [meanA, meanB] = [0, 0];
  for (let r = 0; r < rows; r++) {
    meanA += a[r * width + i] / rows;
    meanB += b[r * width + i] / rows;
  }
  let [both, onlyA, onlyB] = [0, 0, 0];
  for (let r = 0; r < rows; r++) {
    const [x, y] = [a[r * width + i] - meanA, b[r * width + i] - meanB];
    both += x * y;
    onlyA += x * x;
    onlyB += y * y;
  }
  const correlation = both > 0 ? both / Math.sqrt(onlyA * onlyB) : 0;
  return -Math.log2(1 - Math.min(0.999, correlation * correlation)) / 2;
}

const percent = ({ share, interval: [from, to] }: { share: number; interval: readonly [number, number] }) =>
  `${(100 * share).toFixed(1)} (${(100 * from).toFixed(1)}-${(100 * to).toFixed(1)})`;
