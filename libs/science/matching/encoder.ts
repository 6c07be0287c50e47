import type { Compute, HeldPerceptron } from '#science/compute/port';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { type Model, VECTOR } from './model.js';
import { ScanMean, VectorMean } from './pool.js';
import { firstBlank, preprocessAll } from './preprocess.js';

/** A model whose layers lie packed on a compute engine; release() frees them. */
export interface PlacedModel {
  model: Model;
  /** In the model's order. */
  encoders: readonly HeldPerceptron[];
  release(): void;
}

/** Scans preprocessed in one go: bounds memory. */
const BATCH = 512;

export async function placeModel(model: Model, compute: Compute): Promise<PlacedModel> {
  const encoders = await Promise.all(
    model.encoders.map((encoder) => {
      const inputs = encoder.preprocessing.scale.length;
      const size = encoder.hiddenBias.length;
      return compute.perceptron({
        linear: { inputs, outputs: VECTOR, weights: encoder.linear, bias: encoder.bias, activation: 'identity' },
        hidden: { inputs, outputs: size, weights: encoder.hidden, bias: encoder.hiddenBias, activation: 'gelu' },
        output: {
          inputs: size,
          outputs: VECTOR,
          weights: encoder.output,
          bias: new Float32Array(VECTOR),
          activation: 'identity',
        },
      });
    }),
  );
  const release = () => {
    for (const encoder of encoders) encoder.release();
  };
  return { model, encoders, release };
}

/** A side on its way to its vectors: what its scans add up to so far, an encoder each. */
export type SideSums = { scans: ScanMean[] } | { vectors: VectorMean[] };

/** The sums of a side of which no scan was seen. */
export const emptySide = ({ model: { encoders, input } }: PlacedModel): SideSums =>
  input.pooling === 'scans'
    ? { scans: encoders.map(({ preprocessing }) => new ScanMean(preprocessing.scale.length)) }
    : { vectors: encoders.map(() => new VectorMean(VECTOR)) };

/**
 * Adds scans to sides. A side's bits depend on its own scans and their order alone, not on what it is added with.
 * @param spectra count x 671 absorbances on the reference axis, sampled as the model's input asks; a blank scan (see preprocess) adds
 * zeros, and callers refuse blank sides beforehand with `blankScan`
 * @param parts the side that each run of scans belongs to, in the order of the spectra
 * @throws RangeError where there are fewer spectra than the parts count
 */
export async function addScans(
  placed: PlacedModel,
  spectra: Float32Array,
  parts: readonly { side: SideSums; scans: number }[],
): Promise<void> {
  const total = parts.reduce((sum, { scans }) => sum + scans, 0);
  if (spectra.length < total * REFERENCE_POINTS) throw new RangeError('fewer spectra than counted');
  const owners = parts.flatMap(({ side, scans }) => Array.from({ length: scans }, () => side));
  for (let from = 0; from < total; from += BATCH) {
    const rows = Math.min(BATCH, total - from);
    const preprocessed = preprocessAll(preprocessingsOf(placed.model), spectra, from, rows);
    const tables =
      placed.model.input.pooling === 'scans'
        ? preprocessed
        : await Promise.all(placed.encoders.map((encoder, e) => encoder.apply(preprocessed[e], rows)));
    for (let row = 0; row < rows; row++) {
      const side = owners[from + row];
      for (const [e, sum] of ('scans' in side ? side.scans : side.vectors).entries()) sum.add(tables[e], row, 1);
    }
  }
}

/** Vectors of sides whose scans are all added: by side one of 256 an encoder, of length one, in the model's order. */
export async function vectorsOf(placed: PlacedModel, sides: readonly SideSums[]): Promise<Float32Array[][]> {
  const { encoders } = placed.model;
  const pooled = sides.flatMap((side) => ('scans' in side ? [side.scans] : []));
  if (pooled.length < sides.length)
    return sides.map((side) =>
      'vectors' in side ? side.vectors.map((sum, e) => centred(sum.unit(), encoders[e].centre)) : [],
    );
  const tables = await Promise.all(
    placed.encoders.map((encoder, e) => {
      const points = encoders[e].preprocessing.scale.length;
      const means = new Float32Array(sides.length * points);
      for (const [s, scans] of pooled.entries()) scans[e].write(means, s * points);
      return encoder.apply(means, sides.length);
    }),
  );
  return sides.map((_, s) =>
    tables.map((table, e) => centred(table.slice(s * VECTOR, (s + 1) * VECTOR), encoders[e].centre)),
  );
}

/** A unit vector less the encoder's centre, scaled to length one again: in float64, in index order. As it is where there is no centre. */
export function centred(vector: Float32Array, centre: Float32Array | undefined): Float32Array {
  if (!centre) return vector;
  let squares = 0;
  for (let i = 0; i < vector.length; i++) squares += (vector[i] - centre[i]) ** 2;
  const length = squares > 0 ? Math.sqrt(squares) : 1;
  return vector.map((value, i) => (value - centre[i]) / length);
}

/**
 * Vectors of whole sides, as `vectorsOf` has them.
 * @param spectra as of `addScans`, side after side
 * @param counts scans of each side
 */
export async function encodeSides(
  placed: PlacedModel,
  spectra: Float32Array,
  counts: readonly number[],
): Promise<Float32Array[][]> {
  const sides = counts.map(() => emptySide(placed));
  await addScans(
    placed,
    spectra,
    counts.map((scans, s) => ({ side: sides[s], scans })),
  );
  return vectorsOf(placed, sides);
}

const preprocessingsOf = ({ encoders }: Model) => encoders.map(({ preprocessing }) => preprocessing);

/**
 * Cosine of two unit vectors: float64 sum of the stored float32 values in index order. Their rounding leaves lengths a
 * few 1e-8 off, so that the sum of equal ones may exceed 1: it is cut there, and otherwise keeps its bits.
 */
export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return Math.max(-1, Math.min(1, sum));
}

/** By encoder, from the pooled vectors of each side. */
export const memberCosines = (
  { encoders }: Pick<Model, 'encoders'>,
  rough: Float32Array[],
  polish: Float32Array[],
): Record<string, number> => Object.fromEntries(encoders.map(({ name }, i) => [name, cosine(rough[i], polish[i])]));

/** The thresholded quantity: mean cosine over the encoders, from the pooled vectors of each side, one per encoder. */
export function fusedScore(rough: Float32Array[], polish: Float32Array[]): number {
  return rough.reduce((sum, vector, i) => sum + cosine(vector, polish[i]), 0) / rough.length;
}

/** The first of a side's spectra (count x 671) that shows an encoder nothing of a stone, or -1. */
export const blankScan = (model: Model, spectra: Float32Array, count: number): number =>
  firstBlank(preprocessingsOf(model), spectra, count);
