import { type CosineTable, CrossScores, REJECT_TARGETS } from '#calibration';
import type { Compute } from '#compute';
import type { Model } from '#matching';
import { REFERENCE_POINTS } from '#spectra';
import type { SpectraTable } from './encoder-training.js';
import { bankOf, type Share } from './evaluate.js';
import { randomOf, shuffle } from './random.js';

/** One stone of a laboratory: its sides' spectra on the reference axis, count x 671 each. */
export interface OwnPair {
  rough: Float32Array;
  polish: Float32Array;
}

/** Fewer stones than this teach nothing: fine-tuning on under 300 pairs was found to hurt as often as to help. */
export const LEAST_OWN_STONES = 100;
/** Share of the stones held out for the comparison, and scans kept of a side. */
const HELD_OUT_SHARE = 0.25;
const ROUGH_SCANS = 6;
const POLISH_SCANS = 3;
/** Points of confirmed claims (mean over the ladder) under which two models are taken as equal. */
const TIE = 0.015;

/** Splits stones at random, by seed; a stone's scans stay together. */
export function splitPairs(pairs: OwnPair[], seed: number): { train: SpectraTable; heldOut: SpectraTable } {
  const order = shuffle(
    Uint32Array.from(pairs, (_, i) => i),
    randomOf(seed, pairs.length),
  );
  const held = Math.round(pairs.length * HELD_OUT_SHARE);
  const pick = (indices: Uint32Array) => tableOf(Array.from(indices, (i) => pairs[i]));
  return { heldOut: pick(order.subarray(0, held)), train: pick(order.subarray(held)) };
}

/** Six rough and three polish scans of every stone: spread evenly where there are more, repeated where fewer. */
export function tableOf(pairs: OwnPair[]): SpectraTable {
  const size = (ROUGH_SCANS + POLISH_SCANS) * REFERENCE_POINTS;
  const spectra = new Float32Array(new SharedArrayBuffer(pairs.length * size * 4));
  for (const [s, { rough, polish }] of pairs.entries()) {
    let to = s * size;
    for (const [side, wanted] of [[rough, ROUGH_SCANS] as const, [polish, POLISH_SCANS] as const]) {
      const count = side.length / REFERENCE_POINTS;
      for (let k = 0; k < wanted; k++, to += REFERENCE_POINTS) {
        const scan = count > wanted ? Math.floor((k * count) / wanted) : k % count;
        spectra.set(side.subarray(scan * REFERENCE_POINTS, (scan + 1) * REFERENCE_POINTS), to);
      }
    }
  }
  return { spectra, stones: pairs.length, rough: ROUGH_SCANS, polish: POLISH_SCANS };
}

export interface Comparison {
  stones: number;
  /** Confirmed genuine claims at .98, thresholds set on the held-out stones by each model itself. */
  own: Share;
  shipped: Share;
  /** Mean of the confirmed shares over the ladder: what decides. */
  ownMean: number;
  shippedMean: number;
  ownIsBetter: boolean;
}

/** Compares two models on held-out stones; the shipped one stays unless the own one is clearly better. */
export async function compareModels(
  own: Model,
  shipped: Model,
  compute: Compute,
  heldOut: SpectraTable,
): Promise<Comparison> {
  const cosines: CosineTable = (a, rowsA, b, rowsB, width) => compute.cosines(a, rowsA, b, rowsB, width);
  const measure = async (model: Model) => {
    const scores = await CrossScores.of(await bankOf(model, compute, heldOut), cosines);
    const at = (target: number) => scores.confirmed(scores.threshold(target).threshold);
    const mean = REJECT_TARGETS.reduce((sum, target) => sum + at(target).share, 0) / REJECT_TARGETS.length;
    return { accept: at(0.98), mean };
  };
  const [a, b] = [await measure(own), await measure(shipped)];
  return {
    stones: heldOut.stones,
    own: a.accept,
    shipped: b.accept,
    ownMean: a.mean,
    shippedMean: b.mean,
    ownIsBetter: a.mean > b.mean + TIE,
  };
}
