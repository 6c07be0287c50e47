import { type Isotonic, probabilityAt } from './isotonic.js';

/** One bin of a reliability diagram at a 50:50 mix; `weight` sums to 1 over the bins. */
export interface ReliabilityBin {
  predicted: number;
  observed: number;
  weight: number;
}

/** Equal-width bins of predicted probability, empty ones left out. Scores in any order, none of them empty. */
export function reliability(
  curve: Isotonic,
  genuine: ArrayLike<number>,
  wrong: ArrayLike<number>,
  bins = 15,
): ReliabilityBin[] {
  const weight = new Float64Array(bins);
  const predicted = new Float64Array(bins);
  const observed = new Float64Array(bins);
  const add = (scores: ArrayLike<number>, truth: number) => {
    const each = 0.5 / scores.length;
    for (let i = 0; i < scores.length; i++) {
      const probability = probabilityAt(curve, scores[i]);
      const bin = Math.min(Math.floor(probability * bins), bins - 1);
      weight[bin] += each;
      predicted[bin] += each * probability;
      observed[bin] += each * truth;
    }
  };
  add(genuine, 1);
  add(wrong, 0);
  return Array.from(weight, (total, bin) => ({
    predicted: predicted[bin] / total,
    observed: observed[bin] / total,
    weight: total,
  })).filter((bin) => bin.weight > 0);
}

/** Expected calibration error: the weighted mean distance between predicted and observed shares, 0 to 1. */
export function expectedCalibrationError(bins: ReliabilityBin[]): number {
  return bins.reduce((sum, bin) => sum + bin.weight * Math.abs(bin.predicted - bin.observed), 0);
}
