/** Genuine and derived wrong scores of a population over the same bins. */
export interface ScoreHistograms {
  /** Lower edge of the first bin, and the width of each: powers of two, so that edges are exact. */
  from: number;
  width: number;
  /** Scores by bin: of the counted claims, and of the pairs of distinct stones. */
  genuine: number[];
  wrong: number[];
}

/** Visits scores with how often each stands there. */
export type Counted = (visit: (score: number, count: number) => void) => void;

export const each =
  (scores: ArrayLike<number>): Counted =>
  (visit) => {
    for (let i = 0; i < scores.length; i++) visit(scores[i], 1);
  };

const FINEST = 1 / 128;
const MOST_BINS = 128;

export function scoreHistograms(genuine: Counted, wrong: Counted): ScoreHistograms {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const scores of [genuine, wrong])
    scores((score) => {
      least = Math.min(least, score);
      most = Math.max(most, score);
    });
  if (least > most) return { from: 0, width: FINEST, genuine: [], wrong: [] };
  let width = FINEST;
  while (Math.floor(most / width) - Math.floor(least / width) >= MOST_BINS) width *= 2;
  const first = Math.floor(least / width);
  const bins = Math.floor(most / width) - first + 1;
  const counts = (scores: Counted) => {
    const found = new Array<number>(bins).fill(0);
    scores((score, count) => {
      found[Math.floor(score / width) - first] += count;
    });
    return found;
  };
  return { from: first * width, width, genuine: counts(genuine), wrong: counts(wrong) };
}
