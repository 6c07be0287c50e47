import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ThreadPool } from '#kit/threads/pool';
import { CALIBRATION_FILE, loadAsset, shippedEntry } from '#science/calibration/asset';
import { type Bank, CrossScores } from '#science/calibration/cross-scores';
import { expectedCalibrationError, reliability } from '#science/calibration/reliability';
import { MODEL_FILE, modelIn, shippedModelFolders } from '#science/matching/shipped';
import type { MeasuredStones, StoneRun } from '../measure-stones.js';
import type { FamilyFigures } from './figures.js';
import { counted, runsOf } from './measure-claims.js';
import type { MeasuredModel } from './measure-scores.js';

const MEASURE = new URL('../measure-stones.js', import.meta.url);
/** The rungs that the page opens with. */
export const SHOWN = [0.98, 0.96, 0.9] as const;

/**
 * Accuracy of every installed model on a population of the second family: stones pass the checks of the input as a
 * service's claims do, and a refused one is not confirmed.
 */
export async function measureFamily(
  { compute, seed }: Pick<MeasuredModel, 'compute' | 'seed'>,
  pool: ThreadPool,
  population: string,
  stones: number,
): Promise<FamilyFigures[]> {
  const figures: FamilyFigures[] = [];
  for (const folder of shippedModelFolders()) {
    const model = modelIn(folder);
    const asset = loadAsset(readFileSync(join(folder, CALIBRATION_FILE), 'utf8'), model.digest);
    const runs = runsOf(stones).map(({ first, count }) => {
      const run: StoneRun = { population, seed, first, count, modelFile: join(folder, MODEL_FILE) };
      return pool.run<MeasuredStones>(MEASURE, 'measureStones', [run]);
    });
    const measured = await Promise.all(runs);
    const scores = await CrossScores.of(bankOfRuns(measured), compute.cosines.bind(compute));
    const refused = measured.reduce((sum, run) => sum + run.refused, 0);
    figures.push({
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
    });
  }
  return figures;
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
