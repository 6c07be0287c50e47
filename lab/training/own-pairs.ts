import { REJECT_TARGETS, type RejectTarget } from '#science/calibration/ladder';
import type { Compute } from '#science/compute/port';
import { SimdKernel } from '#science/compute/simd-kernel';
import { INPUT, type Pooling } from '#science/matching/input';
import { type Encoder, type Model, modelOf, VECTOR } from '#science/matching/model';
import { ScanMean } from '#science/matching/pool';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { type CosineTable, CrossScores } from '../cross-scores.js';
import { closedForm } from './closed-form.js';
import { meanVector, preprocessTable } from './encoder-training.js';
import { bankOf, type Share } from './evaluate.js';
import { parametersOf } from './first-parameters.js';
import { forward, LOSS_SCALE, layoutOf, type Products } from './network.js';
import { settingsOf } from './plan.js';
import { randomOf, shuffle } from './random.js';
import type { EncoderSettings, SpectraTable } from './settings.js';

/** One stone of a laboratory: its sides' spectra on the reference axis, count x 671 each. */
export interface OwnPair {
  rough: Float32Array;
  polish: Float32Array;
}

/** Fewer stones than this teach nothing: fine-tuning on under 300 pairs was found to hurt as often as to help. */
export const MIN_OWN_STONES = 100;
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

/** The origin of an own model. */
export type Way = 'shipped' | 'tuned' | 'folded' | 'scratch';

/** A model on the held-out stones, thresholds set on them by the model itself. */
export interface Candidate {
  way: Way;
  model: Model;
  /** Confirmed genuine claims, a reject target each. */
  confirmed: Map<RejectTarget, Share>;
  /** Their mean over the ladder, which decides. */
  mean: number;
}

/** Measures a model on held-out stones. */
export async function candidateOf(way: Way, model: Model, compute: Compute, heldOut: SpectraTable): Promise<Candidate> {
  const cosines: CosineTable = (a, rowsA, b, rowsB, width) => compute.cosines(a, rowsA, b, rowsB, width);
  const scores = await CrossScores.of(await bankOf(model, compute, heldOut), cosines);
  const confirmed = new Map(
    REJECT_TARGETS.map((target) => [target, scores.confirmed(scores.threshold(target).threshold)]),
  );
  const mean = [...confirmed.values()].reduce((sum, { share }) => sum + share, 0) / confirmed.size;
  return { way, model, confirmed, mean };
}

/** The best on the held-out stones; the first one (the shipped model) unless another is better by more than a tie. */
export function bestOf([first, ...others]: Candidate[]): Candidate {
  const best = others.reduce((a, b) => (b.mean > a.mean ? b : a), first);
  return best.mean > first.mean + TIE ? best : first;
}

/** Trains one way's encoders from a model, or from the closed form. */
export type Trainer = (
  way: 'tuned' | 'scratch',
  settings: EncoderSettings[],
  data: { train: SpectraTable; heldOut: SpectraTable },
  start?: Model,
) => Promise<Model>;

/**
 * Every way to an own model, measured on the held-out stones; the unchanged model comes first.
 * @param from model from which `tuned` and `folded` start
 */
export async function tryWays(
  from: Model,
  data: { train: SpectraTable; heldOut: SpectraTable },
  options: { ways: Exclude<Way, 'shipped'>[]; seed: number; epochs?: number },
  compute: Compute,
  train: Trainer,
): Promise<Candidate[]> {
  const candidates = [await candidateOf('shipped', from, compute, data.heldOut)];
  for (const way of options.ways) {
    // A new encoder takes scans as new models do; with a former model they were not sampled so.
    if (way === 'scratch' && from.input.sampling !== INPUT.sampling) continue;
    const start = way === 'tuned' ? from : undefined;
    const model =
      way === 'folded'
        ? foldClosedForm(from, data.train)
        : await train(way, ownSettings(way, data.train.stones, options, start), data, start);
    candidates.push(await candidateOf(way, model, compute, data.heldOut));
  }
  return candidates;
}

function ownSettings(
  way: 'tuned' | 'scratch',
  stones: number,
  { epochs, seed }: { epochs?: number; seed: number },
  start?: Model,
): EncoderSettings[] {
  const { steps, rate } = OWN_STEPS[way];
  const shared = { epochs: epochs ?? epochsFor(steps, stones), seed, batch: OWN_BATCH, rate, keepBest: true };
  return settingsOf(shared, start);
}

/** Epochs of at least `steps` steps where an epoch is so many stones in batches. */
export const epochsFor = (steps: number, stones: number): number =>
  Math.ceil(steps / Math.max(1, Math.round(stones / OWN_BATCH)));
const OWN_BATCH = 256;
/** Gradient steps and peak rates: a trained model is moved, one from the closed form has all to learn. */
export const OWN_STEPS = { tuned: { steps: 240, rate: 5e-4 }, scratch: { steps: 600, rate: 1e-3 } } as const;

/**
 * A model turned towards a laboratory's stones without any gradient: the closed form of its encoders' vectors, before
 * they are normalised, folded into the last weights.
 */
export function foldClosedForm(model: Model, table: SpectraTable): Model {
  const kernel = SimdKernel.create() as Products;
  const encoders = model.encoders.map((encoder) => {
    const { rough, polish } = sideVectors(kernel, encoder, table, model.input.pooling);
    const shrinkage = table.stones < FEW_STONES ? 0.3 : 0.1;
    const { weights, bias } = closedForm(rough, polish, table.stones, VECTOR, { shrinkage });
    const turned = (rows: Float32Array) =>
      kernel.product(rows, weights, rows.length / VECTOR, VECTOR, VECTOR) as Float32Array;
    const moved = turned(encoder.bias).map((value, i) => value + bias[i]);
    const units = [rough, polish].map((rows) => unitRows(turned(rows), bias));
    const centre = meanVector(units);
    return { ...encoder, linear: turned(encoder.linear), output: turned(encoder.output), bias: moved, centre };
  });
  return modelOf(model.name, encoders, model.input);
}
const FEW_STONES = 600;

/** Rows of 256 moved by a bias and scaled to length one. */
function unitRows(rows: Float32Array, bias: Float32Array): Float32Array {
  const moved = rows.map((value, at) => value + bias[at % VECTOR]);
  for (let at = 0; at < moved.length; at += VECTOR) {
    const row = moved.subarray(at, at + VECTOR);
    const length = Math.hypot(...row) || 1;
    for (let i = 0; i < VECTOR; i++) row[i] /= length;
  }
  return moved;
}

/** Vectors of both sides of every stone before normalisation, stones x 256: of pooled scans, or the mean of its scans' vectors. */
function sideVectors(kernel: Products, encoder: Encoder, table: SpectraTable, pooling: Pooling) {
  const { stones } = table;
  const preprocessed = preprocessTable(encoder.preprocessing, table);
  const points = encoder.preprocessing.scale.length;
  const layout = layoutOf(encoder.hiddenBias.length, points);
  const parameters = parametersOf(encoder, LOSS_SCALE);
  const encoded = (rows: Float32Array) => {
    const count = rows.length / points;
    const { vectors, lengths } = forward(kernel, layout, parameters, rows, count);
    return Float32Array.from(vectors, (value, at) => value * lengths[Math.floor(at / VECTOR)]);
  };
  const side = (first: number, count: number) => {
    const means = new Float32Array(stones * points);
    const vectors = new Float32Array(stones * VECTOR);
    for (let s = 0; s < stones; s++) {
      const from = s * (table.rough + table.polish) + first;
      if (pooling === 'scans') {
        const mean = new ScanMean(points);
        mean.add(preprocessed, from, count);
        mean.write(means, s * points);
      } else {
        const rows = encoded(preprocessed.subarray(from * points, (from + count) * points));
        for (let at = 0; at < rows.length; at++) vectors[s * VECTOR + (at % VECTOR)] += rows[at] / count;
      }
    }
    return pooling === 'scans' ? encoded(means) : vectors;
  };
  return { rough: side(0, table.rough), polish: side(table.rough, table.polish) };
}
