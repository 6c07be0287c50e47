/** How scores of genuine and wrong claims lie to each other. */
import { countAtMost, shareAbove } from '#science/calibration/statistics';
import { quantile } from '#science/numerics/quantile';

export const SCORE_BINS = 80;

/** Counts of scores in `SCORE_BINS` equal bins from -1 to 1. */
export function scoreHistogram(scores: ArrayLike<number>): number[] {
  const counts = new Array<number>(SCORE_BINS).fill(0);
  for (let i = 0; i < scores.length; i++)
    counts[Math.min(Math.max(Math.floor(((scores[i] + 1) / 2) * SCORE_BINS), 0), SCORE_BINS - 1)]++;
  return counts;
}

/** Points of the ROC: the share of genuine claims confirmed where `wrong_accepted` of the wrong ones are. */
export interface RocPoint {
  wrong_accepted: number;
  genuine_confirmed: number;
}

/** The ROC at given shares of wrong claims accepted; both inputs ascending and not empty. */
export function roc(genuine: ArrayLike<number>, wrong: ArrayLike<number>, at: number[]): RocPoint[] {
  return at.map((share) => ({
    wrong_accepted: share,
    genuine_confirmed: shareAbove(genuine, quantile(wrong, 1 - share)),
  }));
}

/** Area under the ROC: the chance that a genuine claim outscores a wrong one, ties counted half. Inputs ascending. */
export function areaUnderRoc(genuine: ArrayLike<number>, wrong: ArrayLike<number>): number {
  let sum = 0;
  for (let g = 0; g < genuine.length; g++) {
    const atMost = countAtMost(wrong, genuine[g]);
    let below = atMost;
    while (below > 0 && wrong[below - 1] === genuine[g]) below--;
    sum += (atMost + below) / 2;
  }
  return sum / genuine.length / wrong.length;
}
