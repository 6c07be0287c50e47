import type { Compute, Layer } from '#science/compute/port';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { type Model, VECTOR } from './model.js';
import { firstBlank, preprocessAll } from './preprocess.js';

/** A model whose layers lie packed on a compute engine; release() frees them. */
export interface PlacedModel {
  model: Model;
  /** In the model's order. */
  encoders: readonly Layer[];
  release(): void;
}

/** Scans encoded in one go: bounds memory, and leaves the event loop a turn in between. */
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

/**
 * Vectors of scans: per encoder a table of count x 256, each row of length one.
 * @param spectra count x 671 absorbances on the reference axis, sampled as the model's input asks A row's bits depend on
 * its own spectrum alone. A blank scan (see preprocess) gets the zero vector; callers refuse blank sides beforehand with
 * `blankScan`.
 */
export async function encodeScans(placed: PlacedModel, spectra: Float32Array, count: number): Promise<Float32Array[]> {
  if (spectra.length < count * REFERENCE_POINTS) throw new RangeError('fewer spectra than counted');
  const encoded = (from: number, rows: number): Promise<Float32Array[]> => {
    const preprocessed = preprocessAll(preprocessingsOf(placed.model), spectra, from, rows);
    return Promise.all(placed.encoders.map((encoder, e) => encoder.apply(preprocessed[e], rows)));
  };
  if (count <= BATCH) return encoded(0, count);
  const tables = placed.encoders.map(() => new Float32Array(count * VECTOR));
  for (let from = 0; from < count; from += BATCH) {
    const vectors = await encoded(from, Math.min(BATCH, count - from));
    for (const [e, table] of tables.entries()) table.set(vectors[e], from * VECTOR);
  }
  return tables;
}

const preprocessingsOf = ({ encoders }: Model) => encoders.map(({ preprocessing }) => preprocessing);

/** Room for `poolSide`, kept from call to call. */
const sums = new Float64Array(VECTOR);

/** The vector of a side: normalised mean of its scans' vectors (count x 256), summed in float64 in scan order. */
export function poolSide(vectors: Float32Array): Float32Array {
  let squares = 0;
  for (let i = 0; i < VECTOR; i++) {
    let sum = 0;
    for (let at = i; at < vectors.length; at += VECTOR) sum += vectors[at];
    sums[i] = sum;
    squares += sum * sum;
  }
  const length = squares > 0 ? Math.sqrt(squares) : 1;
  const pooled = new Float32Array(VECTOR);
  for (let i = 0; i < VECTOR; i++) pooled[i] = sums[i] / length;
  return pooled;
}

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
