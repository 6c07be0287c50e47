import type { ThreadPool } from '#kit/threads/pool';
import { type CalibrationAsset, shippedEntry } from '#science/calibration/asset';
import { DEFAULT_REJECT_TARGET } from '#science/calibration/ladder';
import { wilson } from '#science/calibration/statistics';
import { CLAIM_KINDS, type ClaimKind, type ClaimRun } from './claims.js';
import type { ClaimFigures, Counted, GaugeFigures, Sizes } from './figures.js';
import { countGauges, type GaugeRun, type GaugeSample, treatmentsOf, UNPROCESSED, WITH_GOALS } from './gauges.js';

const CLAIMS = new URL('./claims.js', import.meta.url);
const STUDY = new URL('./gauges.js', import.meta.url);
const RUN = 25;
/** Further forgeries, besides the study's treatments. */
const FURTHER = ['reexport:4', 'reexport:12', 'noise-free+noise:0.0003'];

export const counted = (count: number, of: number): Counted => ({
  share: of && count / of,
  interval: wilson(count, of),
  of,
});
export const runsOf = (total: number): { first: number; count: number }[] =>
  Array.from({ length: Math.ceil(total / RUN) }, (_, i) => ({ first: i * RUN, count: Math.min(RUN, total - i * RUN) }));

/** Verdicts of the gauges on unprocessed and treated sides of a population. */
export async function measureGaugesOf(
  pool: ThreadPool,
  population: string,
  seed: number,
  { unprocessed, attacked, others }: Sizes['gauges'],
): Promise<GaugeFigures[]> {
  const stones = (treatment: string) =>
    treatment === UNPROCESSED ? unprocessed : WITH_GOALS.includes(treatment) ? attacked : others;
  const plan = Object.fromEntries([...treatmentsOf(population), ...FURTHER].map((t) => [t, stones(t)]));
  const parts = await Promise.all(
    runsOf(Math.max(...Object.values(plan))).map(({ first, count }) => {
      const run: GaugeRun = { population, seed, plan, first, stones: count };
      return pool.run<GaugeSample[]>(STUDY, 'gaugeStones', [run]);
    }),
  );
  const samples = parts.flat();
  const figures: GaugeFigures[] = [];
  for (const treatment of Object.keys(plan)) {
    for (const side of ['rough', 'polish'] as const) {
      const values = samples
        .filter((sample) => sample.treatment === treatment && sample.side === side)
        .flatMap((sample) => sample.values);
      const { sides, refused, warnedPolynomial, offManifold, sharp } = countGauges(values);
      const residuals = Float64Array.from(values, ({ detailResidual }) => detailResidual).sort();
      const at = (share: number) => residuals[Math.min(Math.floor(share * sides), sides - 1)];
      figures.push({
        population,
        treatment,
        side,
        sides,
        refused: counted(refused, sides),
        warned: counted(warnedPolynomial, sides),
        inBand: counted(sides - offManifold, sides),
        sharp: counted(sharp, sides),
        residuals: [at(0.005), at(0.5), at(0.995)],
      });
    }
  }
  return figures;
}

/** Claims of every kind, scored as the service would, against the shipped threshold of 0.98. */
export async function measureClaims(
  pool: ThreadPool,
  asset: CalibrationAsset,
  modelFile: string,
  { population, seed, claims }: { population: string; seed: number; claims: number },
): Promise<ClaimFigures[]> {
  const { threshold } = shippedEntry(asset, DEFAULT_REJECT_TARGET);
  const figures: ClaimFigures[] = [];
  for (const kind of Object.keys(CLAIM_KINDS) as ClaimKind[]) {
    const pairs = kind === 'type IIa' ? await typeIIaPairs(pool, population, seed, claims) : pairsOf(kind, claims);
    const runs = runsOf(pairs.length).map(({ first, count }) => {
      const run: ClaimRun = { kind, population, seed, pairs: pairs.slice(first, first + count), modelFile };
      return pool.run<(number | null)[]>(CLAIMS, 'scoreClaims', [run]);
    });
    const scores = (await Promise.all(runs)).flat();
    const refused = scores.filter((score) => score === null).length;
    const matched = scores.filter((score) => score !== null && score > threshold).length;
    figures.push({
      kind,
      population,
      claims: scores.length,
      refused: counted(refused, scores.length),
      matched: counted(matched, scores.length),
    });
  }
  return figures;
}

/** Stone i, with itself or (of a kind that needs another) with the stone that follows it. */
function pairsOf(kind: ClaimKind, claims: number): [number, number][] {
  const same = kind.startsWith('genuine') || kind === 'look-alike' || kind === 'rough as polish';
  return Array.from({ length: claims }, (_, i) => [i, same ? i : (i + 1) % Math.max(claims, 2)]);
}

/** Each type IIa stone among thirty times as many stones as claims (3.5% are), with the next one of them. */
async function typeIIaPairs(pool: ThreadPool, population: string, seed: number, claims: number) {
  const size = 500;
  const runs = Array.from({ length: Math.ceil((30 * claims) / size) }, (_, i) =>
    pool.run<number[]>(CLAIMS, 'typeIIa', [population, seed, i * size, size]),
  );
  const stones = (await Promise.all(runs)).flat().slice(0, claims);
  return stones.map((stone, i): [number, number] => [stone, stones[(i + 1) % stones.length]]);
}
