import { LOT_VECTOR, type LotModel } from '#science/lots/model';
import { generalisedEigen } from '#science/numerics/eigen';
import { type PreprocessedStones, SquareSum } from './scans.js';

/** Share of the scatter between scans that counts as difference between visits: a stone is seen a few times only. */
const SCATTER = 0.15;
/** Shrinkage of the within-stone covariance towards its diagonal. */
const SHRINKAGE = 0.05;

/** The sums on which the encoder is fitted, over parcels; square tables hold their lower triangle. */
export interface Moments {
  inputs: number;
  stones: number;
  /** Sum over stones of both visits' mean. */
  total: Float64Array;
  /** Of half sums s of both visits, each parcel's mean taken off, and of half differences d: sums of s s' and d d'. */
  sums: Float64Array;
  differences: Float64Array;
  /** Of the scans of a stone, and of how many differences. */
  scatter: Float64Array;
  scattered: number;
}

export function noMoments(inputs: number): Moments {
  const table = () => new Float64Array(inputs * inputs);
  const total = new Float64Array(inputs);
  return { inputs, stones: 0, total, sums: table(), differences: table(), scatter: table(), scattered: 0 };
}

export function addMoments(to: Moments, more: Moments): void {
  for (const table of ['total', 'sums', 'differences', 'scatter'] as const)
    for (let i = 0; i < to[table].length; i++) to[table][i] += more[table][i];
  to.stones += more.stones;
  to.scattered += more.scattered;
}

/** @param parts parcels, at least one */
export function momentsOf(parts: readonly PreprocessedStones[]): Moments {
  const { inputs } = parts[0];
  const out = noMoments(inputs);
  const [sum, difference] = [new SquareSum(out.sums, inputs), new SquareSum(out.differences, inputs)];
  for (const { parcels, enrol, back, scatter, scattered } of parts) {
    out.scattered += scattered;
    for (let i = 0; i < scatter.length; i++) out.scatter[i] += scatter[i];
    let first = 0;
    for (const stones of parcels) {
      const parcel = new Float64Array(inputs);
      for (let k = 0; k < stones * inputs; k++) {
        const both = enrol[first + k] + back[first + k];
        parcel[k % inputs] += both / (2 * stones);
        out.total[k % inputs] += both / 2;
      }
      for (let s = 0; s < stones; s++) {
        const [half, apart] = [sum.next(), difference.next()];
        const at = first + s * inputs;
        for (let i = 0; i < inputs; i++) {
          half[i] = (enrol[at + i] + back[at + i]) / 2 - parcel[i];
          apart[i] = (enrol[at + i] - back[at + i]) / 2;
        }
      }
      out.stones += stones;
      first += stones * inputs;
    }
  }
  sum.end();
  difference.end();
  return out;
}

/**
 * The linear encoder in closed form: directions in which two visits to one stone agree and stones of one parcel differ,
 * S_b V = S_w V diag(lambda) with V' S_w V = I. S_w is half the covariance of the difference of both visits plus a share
 * of the scatter between scans; S_b the symmetrised covariance between the visits, each parcel's mean taken off.
 * @param groups of parcels, and the weight of each group's covariances; weights add up to 1
 */
export function fitEncoder(
  groups: readonly { moments: Moments; weight: number }[],
): Pick<LotModel, 'mean' | 'projection' | 'between'> {
  const [{ inputs }] = groups.map(({ moments }) => moments);
  const mean = new Float64Array(inputs);
  for (const { moments, weight } of groups)
    for (let i = 0; i < inputs; i++) mean[i] += (weight * moments.total[i]) / moments.stones;
  const between = new Float64Array(inputs * inputs);
  const within = new Float64Array(inputs * inputs);
  let trace = 0;
  for (let i = 0; i < inputs; i++) {
    for (let j = 0; j <= i; j++) {
      const at = i * inputs + j;
      let [b, w] = [0, 0];
      // With s and d half sum and half difference of the visits, e'v + v'e = 2 (ss' - dd') and (e - v)(e - v)'/2 = 2 dd'.
      for (const { moments, weight } of groups) {
        const d = moments.differences[at] / moments.stones;
        b += weight * (moments.sums[at] / moments.stones - d);
        w += weight * (2 * d + (2 * SCATTER * moments.scatter[at]) / moments.scattered);
      }
      if (i === j) trace += w;
      between[at] = between[j * inputs + i] = b;
      within[at] = within[j * inputs + i] = i === j ? w : (1 - SHRINKAGE) * w;
    }
  }
  for (let i = 0; i < inputs; i++) within[i * (inputs + 1)] += (1e-6 * trace) / inputs;
  const { values, vectors } = generalisedEigen(between, within, inputs);
  const projection = new Float32Array(inputs * LOT_VECTOR);
  const lambda = new Float32Array(LOT_VECTOR);
  for (let k = 0; k < LOT_VECTOR; k++) {
    const place = inputs - 1 - k;
    lambda[k] = Math.max(1e-4, values[place] ?? 0);
    if (place < 0) continue;
    for (let i = 0; i < inputs; i++) projection[i * LOT_VECTOR + k] = vectors[place * inputs + i];
  }
  return { mean: Float32Array.from(mean), projection, between: lambda };
}
