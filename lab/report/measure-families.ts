import { join } from 'node:path';
import type { ThreadPool } from '#kit/threads/pool';
import { shippedEntry } from '#science/calibration/asset';
import { expectedCalibrationError, reliability } from '#science/calibration/reliability';
import { MODEL_FILE, shippedModelFolder } from '#science/matching/shipped';
import { type Bank, CrossScores } from '../cross-scores.js';
import type { MeasuredStones, StoneRun } from '../measure-stones.js';
import type { FamilyFigures } from './figures.js';
import { counted, runsOf } from './measure-claims.js';
import type { MeasuredModel } from './measure-scores.js';

const MEASURE = new URL('../measure-stones.js', import.meta.url);
/** The rungs that the page opens with. */
export const SHOWN = [0.98, 0.96, 0.9] as const;

/**
 * Accuracy of the shipped model on a population of the second family: stones pass the checks of the input as a
 * service's claims do, and a refused one is not confirmed.
 */
export async function measureFamily(
  { model, asset, compute, seed }: MeasuredModel,
  pool: ThreadPool,
  population: string,
  stones: number,
): Promise<FamilyFigures> {
  const modelFile = join(shippedModelFolder(), MODEL_FILE);
  const runs = runsOf(stones).map(({ first, count }) => {
    const run: StoneRun = { population, seed, first, count, modelFile };
    return pool.run<MeasuredStones>(MEASURE, 'measureStones', [run]);
  });
  const measured = await Promise.all(runs);
  const scores = await CrossScores.of(bankOfRuns(measured), compute.cosines.bind(compute));
  const refused = measured.reduce((sum, run) => sum + run.refused, 0);
  return {
    model: model.digest,
    population,
    stones,
    refused: counted(refused, stones),
    meanWrong: scores.wrong.reduce((sum, score) => sum + score, 0) / scores.wrong.length,
    ece: expectedCalibrationError(reliability(asset.p_match_5050, scores.genuine, scores.wrong)),
    rungs: SHOWN.map((rejectTarget) => {
      const shipped = shippedEntry(asset, rejectTarget).threshold;
      const { share, interval } = scores.wrongAccepted(shipped);
      return {
        rejectTarget,
        own: scores.confirmed(scores.threshold(rejectTarget).threshold, stones),
        shipped: scores.confirmed(shipped, stones),
        wrongAccepted: { share, interval },
      };
    }),
  };
}

function bankOfRuns(runs: MeasuredStones[]): Bank {
  const joined = (encoder: number, side: 'rough' | 'polish') => {
    const parts = runs.map(({ encoders }) => encoders[encoder][side]);
    const rows = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      rows.set(part, at);
      at += part.length;
    }
    return rows;
  };
  return {
    stones: runs.flatMap(({ stones }) => stones),
    encoders: runs[0].encoders.map(({ width }, encoder) => ({
      rough: joined(encoder, 'rough'),
      polish: joined(encoder, 'polish'),
      width,
    })),
  };
}
