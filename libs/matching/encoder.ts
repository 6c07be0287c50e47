import { type Compute, type Layer, unitRows } from '#compute';
import { REFERENCE_POINTS } from '#spectra';
import { type Encoder, type Model, VECTOR } from './model.js';
import { pathOf, preprocess } from './preprocess.js';

/** A model whose layers lie packed on a compute engine; release() frees them. */
export interface PlacedModel {
  model: Model;
  encoders: { encoder: Encoder; linear: Layer; hidden: Layer; output: Layer }[];
  release(): void;
}

/** Scans encoded in one go: bounds memory, and leaves the event loop a turn in between. */
const BATCH = 512;

export async function placeModel(model: Model, compute: Compute): Promise<PlacedModel> {
  const encoders = await Promise.all(
    model.encoders.map(async (encoder) => {
      const inputs = encoder.preprocessing.scale.length;
      const size = encoder.hiddenBias.length;
      const [linear, hidden, output] = await Promise.all([
        compute.layer({
          inputs,
          outputs: VECTOR,
          weights: encoder.linear,
          bias: encoder.bias,
          activation: 'identity',
        }),
        compute.layer({
          inputs,
          outputs: size,
          weights: encoder.hidden,
          bias: encoder.hiddenBias,
          activation: 'gelu',
        }),
        compute.layer({
          inputs: size,
          outputs: VECTOR,
          weights: encoder.output,
          bias: new Float32Array(VECTOR),
          activation: 'identity',
        }),
      ]);
      return { encoder, linear, hidden, output };
    }),
  );
  const release = () => {
    for (const { linear, hidden, output } of encoders) for (const layer of [linear, hidden, output]) layer.release();
  };
  return { model, encoders, release };
}

/**
 * Vectors of scans: per encoder a table of count x 256, each row of length one.
 * @param spectra count x 671 absorbances on the reference axis as the model's input wants them
 * A row's bits depend on its own spectrum alone. A blank scan (see preprocess) gets the vector of noughts;
 * callers refuse blank sides beforehand with `isBlank`.
 */
export async function encodeScans(placed: PlacedModel, spectra: Float32Array, count: number): Promise<Float32Array[]> {
  if (spectra.length < count * REFERENCE_POINTS) throw new RangeError('fewer spectra than counted');
  return Promise.all(
    placed.encoders.map(async ({ encoder, linear, hidden, output }) => {
      const vectors = new Float32Array(count * VECTOR);
      for (let from = 0; from < count; from += BATCH) {
        const rows = Math.min(BATCH, count - from);
        const points = encoder.preprocessing.scale.length;
        const inputs = new Float32Array(rows * points);
        for (let row = 0; row < rows; row++)
          preprocess(encoder.preprocessing, spectra, (from + row) * REFERENCE_POINTS, inputs, row * points);
        const straight = await linear.apply(inputs, rows);
        const bent = await output.apply(await hidden.apply(inputs, rows), rows);
        for (let i = 0; i < bent.length; i++) bent[i] += straight[i];
        vectors.set(unitRows(bent, rows, VECTOR), from * VECTOR);
      }
      return vectors;
    }),
  );
}

/** The vector of a side: normalised mean of its scans' vectors (count x 256), summed in float64 in scan order. */
export function poolSide(vectors: Float32Array): Float32Array {
  const sums = new Float64Array(VECTOR);
  for (let at = 0; at < vectors.length; at += VECTOR) for (let i = 0; i < VECTOR; i++) sums[i] += vectors[at + i];
  let squares = 0;
  for (const sum of sums) squares += sum * sum;
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

/** The thresholded quantity: mean cosine over the encoders, from the pooled vectors of each side, one an encoder. */
export function fusedScore(rough: Float32Array[], polish: Float32Array[]): number {
  return rough.reduce((sum, vector, i) => sum + cosine(vector, polish[i]), 0) / rough.length;
}

/** Whether a spectrum (671 from `at`) shows the encoders nothing of a stone. */
export function isBlank(model: Model, spectrum: Float32Array, at = 0): boolean {
  return model.encoders.some(({ preprocessing }) => pathOf(preprocessing, spectrum, at) === 0);
}
