/** The choice of a population's scorer's members, on held-out worlds: the table of docs/decisions/population-scorer.md. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { VECTOR_LENGTH } from '#science/calibration/evidence';
import { type EncoderMap, fitEncoderMap } from '#science/calibration/scorer/map';
import { PackedMap } from '#science/calibration/scorer/mapped';
import { bestOf as bestOfGroups } from '#science/calibration/scorer/method';
import { simdCompute } from '#science/compute/cpu-engines';
import { SimdKernel } from '#science/compute/simd-kernel';
import { shippedModel } from '#science/matching/shipped';
import { quantile } from '#science/numerics/quantile';
import { REFERENCE_POINTS, referenceAxis } from '#science/spectra/axis';
import type { Sampling } from '#science/spectra/sampling';
import { print } from '../../apps/cli/print.js';
import { showProgress } from '../../apps/cli/progress.js';
import { writeBlock } from '../blocks.js';
import { shifted, simulateStone } from '../simulator/index.js';
import { bankOf, type SpectraTable, spectraOf } from '../training/index.js';
import { wholeNumber } from './whole-number.js';

const PAGE = join('docs', 'decisions', 'population-scorer.md');
const LINEAR = 'linear';
/** Weight of the linear member beside encoders, which weigh one each. */
const LINEAR_WEIGHT = 0.5;
const CLAIMS = [50, 100, 300];
const RUNG = 0.98;
const [ROUGH, POLISH] = [6, 1];
const SIDES = ['rough', 'polish'] as const;

/** One unit vector of 256 values a stone and side. */
type Member = Record<(typeof SIDES)[number], Float32Array>;

interface Options {
  worlds: number;
  judged: number;
  seed: number;
  write?: true;
  json?: true;
}

export function register(command: Command): void {
  command
    .option('--worlds <n>', 'worlds whose shapes were changed in another way than in training', wholeNumber, 4)
    .option('--judged <n>', 'stones of a world that judge its scorers', wholeNumber, 120)
    .option('--seed <n>', 'seed of the stones; no model may be trained on it', wholeNumber, 7777)
    .option('--write', `write the table into ${PAGE} instead of printing it (in a checkout)`)
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', '\nExample:\n  mvs members --worlds 2 --judged 60')
    .action(members);
}

async function members({ worlds, judged, seed, write, json }: Options): Promise<void> {
  const model = shippedModel();
  const compute = simdCompute();
  const most = CLAIMS[CLAIMS.length - 1];
  const names = model.encoders.map(({ name }) => name);
  const sets = names.flatMap((_, i) => [names.slice(0, i + 1), [...names.slice(0, i + 1), LINEAR]]);
  const confirmed = sets.map(() => CLAIMS.map(() => [] as number[]));
  const progress = showProgress('worlds', worlds);
  for (let world = 0; world < worlds; world++) {
    const table = tableOf(seed, world, most + judged, model.input.sampling);
    const { encoders } = await bankOf(model, compute, table);
    const all = new Map<string, Member>([...names.map((name, e): [string, Member] => [name, encoders[e]])]);
    all.set(LINEAR, linearOf(table));
    for (const [c, claims] of CLAIMS.entries()) {
      const mapped = new Map([...all].map(([name, member]) => [name, mappedBy(member, claims, most + judged)]));
      for (const [s, set] of sets.entries())
        confirmed[s][c].push(
          confirmedBy(
            set.map((name) => ({ name, ...mapped.get(name)! })),
            claims,
            most,
            judged,
          ),
        );
    }
    progress.advance();
  }
  progress.stop();
  await compute.close();
  /** Shares of each set of members, by claims and world. */
  const shares = () => sets.map((members, s) => ({ members, confirmed: confirmed[s] }));
  const cell = (shares: number[]) => {
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    const sd = Math.sqrt(shares.reduce((sum, share) => sum + (share - mean) ** 2, 0) / Math.max(shares.length - 1, 1));
    return `${percent(mean)} ± ${percent((1.96 * sd) / Math.sqrt(shares.length))} (${percent(Math.min(...shares))})`;
  };
  const text = [
    `Genuine claims confirmed at ${RUNG}, thresholds of the judged stones' own wrong pairs; %, mean ± half its 95% interval ` +
      `(worst world). ${worlds} simulated worlds of \`shifted\`, ${judged} judged stones each, seed ${seed}, 6 + 1 scans, model ` +
      `\`${model.digest.slice(0, 16)}\` (\`mvs members\`):`,
    '',
    `| members | ${CLAIMS.map((claims) => `${claims} claims`).join(' | ')} |`,
    `|---|${CLAIMS.map(() => '---|').join('')}`,
    ...sets.map((set, s) => `| ${set.join(', ')} | ${confirmed[s].map(cell).join(' | ')} |`),
  ].join('\n');
  if (write) writeBlock(PAGE, 'members', text);
  if (json)
    print(JSON.stringify({ model: model.digest, rung: RUNG, seed, judged, claims: CLAIMS, shares: shares() }, null, 2));
  else if (!write) print(text);
}

function tableOf(seed: number, world: number, stones: number, sampling: Sampling): SpectraTable {
  const population = shifted(stones);
  const size = (ROUGH + POLISH) * REFERENCE_POINTS;
  const spectra = new Float32Array(stones * size);
  for (let i = 0; i < stones; i++) {
    const { rough, polish } = simulateStone(population, seed, world * stones + i);
    spectra.set(spectraOf('rough', rough, sampling), i * size);
    spectra.set(spectraOf('polish', polish, sampling), i * size + ROUGH * REFERENCE_POINTS);
  }
  return { spectra, stones, rough: ROUGH, polish: POLISH };
}

/** First differences of the mean scan over the bands of the lattice and its hydrogen, less the CH lines of grease. */
function linearOf({ spectra, stones }: SpectraTable): Member {
  const axis = referenceAxis();
  const isIn = (w: number, from: number, to: number) => w > from && w < to;
  const points = [...axis.keys()].filter(
    (i) => i > 0 && (isIn(axis[i], 690, 1420) || isIn(axis[i], 2700, 3500)) && !isIn(axis[i], 2830, 2980),
  );
  const of = (first: number, count: number) => {
    const rows = new Float32Array(stones * VECTOR_LENGTH);
    for (let stone = 0; stone < stones; stone++) {
      const row = rows.subarray(stone * VECTOR_LENGTH, (stone + 1) * VECTOR_LENGTH);
      for (let scan = first; scan < first + count; scan++) {
        const from = (stone * (ROUGH + POLISH) + scan) * REFERENCE_POINTS;
        for (const [i, point] of points.entries()) {
          const difference = spectra[from + point] - spectra[from + point - 1];
          if (Number.isFinite(difference)) row[i] += difference;
        }
      }
      const norm = Math.hypot(...row);
      for (let i = 0; i < row.length; i++) row[i] /= norm;
    }
    return rows;
  };
  return { rough: of(0, ROUGH), polish: of(ROUGH, POLISH) };
}

interface Mapped extends Member {
  width: number;
}

/** All stones under the map of the first claims. */
function mappedBy(member: Member, claims: number, stones: number): Mapped {
  const first = (side: (typeof SIDES)[number]) => member[side].subarray(0, claims * VECTOR_LENGTH);
  const bank = { claims, encoders: 1, rough: first('rough'), polish: first('polish') };
  const map: EncoderMap = fitEncoderMap(bank, 0, new Float64Array(claims).fill(1));
  const under = new PackedMap(SimdKernel.create(), [map]);
  return {
    width: under.width,
    rough: under.apply('rough', member.rough, stones),
    polish: under.apply('polish', member.polish, stones),
  };
}

/** Share of the judged claims above the threshold that their own wrong pairs give, normalised as a scorer does. */
function confirmedBy(set: (Mapped & { name: string })[], claims: number, first: number, judged: number): number {
  const weights = set.map(({ name }) => (name === LINEAR ? LINEAR_WEIGHT : 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const score = (polish: number, rough: number) =>
    set.reduce((sum, { width, ...sides }, m) => {
      let cosine = 0;
      for (let i = 0; i < width; i++) cosine += sides.polish[polish * width + i] * sides.rough[rough * width + i];
      return sum + (weights[m] / total) * cosine;
    }, 0);
  const best = (scores: number[]) => {
    const count = bestOfGroups(claims);
    return (
      scores
        .sort((a, b) => b - a)
        .slice(0, count)
        .reduce((sum, one) => sum + one, 0) / count
    );
  };
  const bank = Array.from({ length: claims }, (_, i) => i);
  const stones = Array.from({ length: judged }, (_, i) => first + i);
  const ofRough = stones.map((rough) => best(bank.map((polish) => score(polish, rough))));
  const ofPolish = stones.map((polish) => best(bank.map((rough) => score(polish, rough))));
  const normalised = (p: number, r: number) => score(stones[p], stones[r]) - (ofRough[r] + ofPolish[p]) / 2;
  const own = stones.map((_, i) => normalised(i, i));
  const wrong = Float64Array.from(
    stones.flatMap((_, p) => stones.flatMap((__, r) => (p === r ? [] : [normalised(p, r)]))),
  ).sort();
  const threshold = quantile(wrong, RUNG);
  return own.filter((one) => one > threshold).length / judged;
}

const percent = (share: number) => (100 * share).toFixed(1);
