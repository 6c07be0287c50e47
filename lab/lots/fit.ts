import { Matrix } from 'ml-matrix';
import { LOT_VECTOR, type LotModel } from '#lots';
import { generalisedEigen } from '#numerics';
import { type PreprocessedStones, SquareSum } from './scans.js';

/** Share of the scatter between scans that counts as difference between visits: a stone is seen a few times only. */
const SCATTER = 0.15;
/** Shrinkage of the within-stone covariance towards its diagonal. */
const SHRINKAGE = 0.05;

/**
 * The linear encoder in closed form: directions in which two visits to one stone agree and stones of one parcel differ,
 * S_b V = S_w V diag(lambda) with V' S_w V = I. S_w is half the covariance of the difference of both visits plus a share
 * of the scatter between scans; S_b the symmetrised covariance between the visits, each parcel's mean taken off.
 * @param parts parcels with `stones` rows each
 */
export function fitEncoder(
  parts: readonly PreprocessedStones[],
  stones: number,
): Pick<LotModel, 'mean' | 'projection' | 'between'> {
  const { inputs } = parts[0];
  const count = parts.reduce((sum, { enrol }) => sum + enrol.length / inputs, 0);
  const mean = new Float64Array(inputs);
  for (const { enrol, back } of parts)
    for (let at = 0; at < enrol.length; at++) mean[at % inputs] += (enrol[at] + back[at]) / (2 * count);
  // With s and d half sum and half difference of the visits, e'v + v'e = 2 (ss' - dd') and (e - v)(e - v)'/2 = 2 dd'.
  const sums = new Float64Array(inputs * inputs);
  const differences = new Float64Array(inputs * inputs);
  const scatter = new Float64Array(inputs * inputs);
  const [sum, difference] = [new SquareSum(sums, inputs), new SquareSum(differences, inputs)];
  let scattered = 0;
  for (const part of parts) {
    scattered += part.scattered;
    for (let i = 0; i < scatter.length; i++) scatter[i] += part.scatter[i];
    for (let first = 0; first < part.enrol.length; first += stones * inputs) {
      const parcel = new Float64Array(inputs);
      for (let k = 0; k < stones * inputs; k++)
        parcel[k % inputs] += (part.enrol[first + k] + part.back[first + k]) / (2 * stones);
      for (let s = 0; s < stones; s++) {
        const [half, apart] = [sum.next(), difference.next()];
        const at = first + s * inputs;
        for (let i = 0; i < inputs; i++) {
          half[i] = (part.enrol[at + i] + part.back[at + i]) / 2 - parcel[i];
          apart[i] = (part.enrol[at + i] - part.back[at + i]) / 2;
        }
      }
    }
  }
  sum.end();
  difference.end();
  const between = new Matrix(inputs, inputs);
  const within = new Matrix(inputs, inputs);
  let trace = 0;
  for (let i = 0; i < inputs; i++) {
    for (let j = 0; j <= i; j++) {
      const at = i * inputs + j;
      const d = differences[at] / count;
      const b = sums[at] / count - d;
      const w = 2 * d + (2 * SCATTER * scatter[at]) / scattered;
      if (i === j) trace += w;
      between.set(i, j, b).set(j, i, b);
      const shrunk = i === j ? w : (1 - SHRINKAGE) * w;
      within.set(i, j, shrunk).set(j, i, shrunk);
    }
  }
  for (let i = 0; i < inputs; i++) within.set(i, i, within.get(i, i) + (1e-6 * trace) / inputs);
  const { values, vectors } = generalisedEigen(between, within);
  const projection = new Float32Array(inputs * LOT_VECTOR);
  const lambda = new Float32Array(LOT_VECTOR);
  for (let k = 0; k < LOT_VECTOR; k++) {
    const column = inputs - 1 - k;
    lambda[k] = Math.max(1e-4, values[column] ?? 0);
    if (column < 0) continue;
    for (let i = 0; i < inputs; i++) projection[i * LOT_VECTOR + k] = vectors.get(i, column);
  }
  return { mean: Float32Array.from(mean), projection, between: lambda };
}
