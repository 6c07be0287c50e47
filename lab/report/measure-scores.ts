import type { CalibrationAsset } from '#science/calibration/asset';
import { rungName } from '#science/calibration/ladder';
import { expectedCalibrationError, reliability } from '#science/calibration/reliability';
import { type Interval, Z95 } from '#science/calibration/statistics';
import type { Compute } from '#science/compute/port';
import type { Model } from '#science/matching/model';
import { areaUnderRoc } from '../roc.js';
import { Random } from '../simulator/index.js';
import { type EvaluationOptions, evaluatePopulation } from '../training/index.js';
import type { CoverageFigures, LadderFigures, ScansFigures, Share } from './figures.js';

/** The model and its data, for every part that scores populations. */
export interface MeasuredModel {
  model: Model;
  compute: Compute;
  asset: CalibrationAsset;
  seed: number;
  threads: number;
}

export const LADDER_POPULATIONS = [
  'calibration',
  'client-a',
  'client-b',
  'client-c',
  'instrument-16',
  'low-noise-4',
] as const;
const SCANS = [
  [1, 1],
  [2, 1],
  [3, 1],
  [6, 1],
  [6, 3],
] as const;
const RESAMPLES = 100;
/** Wrong pairs are thinned for the resampling: quantiles of them stand for all. */
const WRONG_KEPT = 20_000;

const evaluate = (
  { model, compute, seed, threads }: MeasuredModel,
  of: string,
  stones: number,
  options?: EvaluationOptions,
) => evaluatePopulation(model, compute, of, seed, stones, { ...options, threads });

/** The ladder on a population, own and shipped thresholds, and decoys. */
export async function measureLadder(
  scoring: MeasuredModel,
  population: string,
  stones: number,
): Promise<LadderFigures> {
  const { asset, seed } = scoring;
  const { scores, rungs } = await evaluate(scoring, population, stones);
  const { genuine, wrong } = scores;
  const bins = reliability(asset.p_match_5050, genuine, wrong);
  return {
    population,
    stones,
    rungs: rungs.map(({ rejectTarget, threshold, confirmed, bestOf29Random, bestOf29Nearest }, i) => {
      const shipped = asset.rungs[i].threshold;
      const { share, interval } = scores.wrongAccepted(shipped);
      return {
        rejectTarget,
        threshold: { own: threshold, shipped },
        confirmed: { own: confirmed, shipped: scores.confirmed(shipped) },
        wrongAccepted: { share, interval },
        bestOf29: { random: bestOf29Random, nearest: bestOf29Nearest },
      };
    }),
    areaUnderRoc: areaUnderRoc(genuine, wrong),
    ece: { share: expectedCalibrationError(bins), interval: eceInterval(asset, genuine, wrong, seed) },
  };
}

/** Percentiles 2.5 and 97.5 over claims drawn again with replacement; the wrong pairs stay as they are. */
function eceInterval(
  asset: CalibrationAsset,
  genuine: ArrayLike<number>,
  wrong: ArrayLike<number>,
  seed: number,
): Interval {
  const kept = Math.min(WRONG_KEPT, wrong.length);
  const thinned = Float64Array.from({ length: kept }, (_, i) => wrong[Math.floor(((i + 0.5) / kept) * wrong.length)]);
  const random = new Random('calibration error', seed);
  const errors = Float64Array.from({ length: RESAMPLES }, () => {
    const drawn = Float64Array.from({ length: genuine.length }, () => genuine[random.below(genuine.length)]);
    return expectedCalibrationError(reliability(asset.p_match_5050, drawn, thinned));
  }).sort();
  return [errors[Math.floor(0.025 * RESAMPLES)], errors[Math.ceil(0.975 * RESAMPLES) - 1]];
}

/** Thresholds set on the population itself, for each number of scans. */
export async function measureScans(
  scoring: MeasuredModel,
  population: string,
  stones: number,
): Promise<ScansFigures[]> {
  const figures: ScansFigures[] = [];
  for (const [rough, polish] of SCANS) {
    const { rungs } = await evaluate(scoring, population, stones, { rough, polish });
    const confirmed = Object.fromEntries(
      rungs.map((rung): [string, Share] => [rungName(rung.rejectTarget), rung.confirmed]),
    );
    figures.push({ population, stones, rough, polish, confirmed });
  }
  return figures;
}

/** The same stones with the full range, and with nothing above 4000 cm^-1. */
export async function measureCoverage(
  scoring: MeasuredModel,
  population: string,
  stones: number,
): Promise<CoverageFigures[]> {
  const figures: CoverageFigures[] = [];
  let full: Float32Array | undefined;
  for (const short of ['neither', 'both', 'rough', 'polish'] as const) {
    const side = short === 'rough' || short === 'polish' ? short : undefined;
    const coverage = short === 'neither' ? undefined : { upTo: 4000, side };
    const { scores, rungs } = await evaluate(scoring, population, stones, { coverage });
    full ??= scores.claims;
    const before = full;
    const at = rungs.findIndex(({ rejectTarget }) => rejectTarget === 0.98);
    figures.push({
      population,
      stones,
      short,
      drop: meanOf(Float64Array.from(scores.claims, (score, i) => before[i] - score)),
      confirmed: { own: rungs[at].confirmed, shipped: scores.confirmed(scoring.asset.rungs[at].threshold) },
    });
  }
  return figures;
}

function meanOf(values: Float64Array): Share {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(values.length - 1, 1);
  const half = Z95 * Math.sqrt(variance / values.length);
  return { share: mean, interval: [mean - half, mean + half] };
}
