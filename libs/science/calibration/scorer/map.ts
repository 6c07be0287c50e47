/** The map of one encoder's vectors: directions along which a population's stones differ and sides of a stone agree. */
import { addSquare, generalisedEigen } from '#science/numerics/eigen';
import { VECTOR_LENGTH } from '../evidence.js';
import type { ClaimBank } from './bank.js';
import { LEAST_DIRECTION, ownShare, SHRINKAGE } from './method.js';

/** A side is mapped to rows . (vector - mean of its side), then brought to length one. */
export interface EncoderMap {
  /** 256 values each. */
  rough: Float32Array;
  polish: Float32Array;
  /** directions x 256; without any, a side is the vector less the mean */
  rows: Float32Array;
}

/** A map of every encoder. */
export type ScorerMap = EncoderMap[];

/** Of one encoder's vectors, lower triangles with the diagonal, row after row. */
export interface Covariances {
  /** Of half the squared difference of a stone's two sides. */
  within: Float32Array;
  /** Between a stone's two sides, less their means, symmetrised. */
  across: Float32Array;
}

const N = VECTOR_LENGTH;

/** Values of a lower triangle. */
export const TRIANGLE = (N * (N + 1)) / 2;

/** Means of both sides and covariances of the claims that weigh anything, 256 x 256, of which the upper triangles are zero. */
export function momentsOf(bank: ClaimBank, encoder: number, weights: Float64Array) {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const width = bank.encoders * N;
  const taken = [...weights.keys()].filter((claim) => weights[claim] > 0);
  const vectorOf = (side: Float32Array, claim: number) =>
    side.subarray(claim * width + encoder * N, claim * width + (encoder + 1) * N);
  const meanOf = (side: Float32Array) => {
    const mean = new Float64Array(N);
    for (const claim of taken) {
      const vector = vectorOf(side, claim);
      for (let i = 0; i < N; i++) mean[i] += (weights[claim] / total) * vector[i];
    }
    return Float32Array.from(mean);
  };
  const [rough, polish] = [meanOf(bank.rough), meanOf(bank.polish)];
  // E[dd'] and E[(r - m)(p - m)'], the second symmetrised by E[ss'] - E[tt'], s and t half sum and half difference.
  const within = new Float64Array(N * N);
  const across = new Float64Array(N * N);
  const [difference, sum, half] = [new Float64Array(N), new Float64Array(N), new Float64Array(N)];
  for (const claim of taken) {
    const r = vectorOf(bank.rough, claim);
    const p = vectorOf(bank.polish, claim);
    const weight = weights[claim] / total;
    for (let i = 0; i < N; i++) {
      difference[i] = r[i] - p[i];
      sum[i] = (r[i] - rough[i] + (p[i] - polish[i])) / 2;
      half[i] = (r[i] - rough[i] - (p[i] - polish[i])) / 2;
    }
    addSquare(within, difference, weight / 2);
    addSquare(across, sum, weight);
    addSquare(across, half, -weight);
  }
  return { total, rough, polish, within, across };
}

/**
 * Runs on a thread.
 * @param weights by claim; 0 leaves it out
 * @param worlds covariances towards which those of few claims are drawn, as their means are towards 0
 */
export function fitEncoderMap(
  bank: ClaimBank,
  encoder: number,
  weights: Float64Array,
  worlds?: Covariances,
): EncoderMap {
  const { total, rough, polish, within, across } = momentsOf(bank, encoder, weights);
  if (worlds) {
    const own = ownShare(total);
    for (let i = 0, at = 0; i < N; i++)
      for (let j = 0; j <= i; j++, at++) {
        within[i * N + j] = own * within[i * N + j] + (1 - own) * worlds.within[at];
        across[i * N + j] = own * across[i * N + j] + (1 - own) * worlds.across[at];
      }
    for (const mean of [rough, polish]) for (let i = 0; i < N; i++) mean[i] *= own;
  }
  let trace = 0;
  for (let i = 0; i < N; i++) trace += within[i * N + i];
  const symmetric = (lower: Float64Array, of: (value: number, i: number, j: number) => number) => {
    const table = new Float64Array(N * N);
    for (let i = 0; i < N; i++)
      for (let j = 0; j <= i; j++) table[i * N + j] = table[j * N + i] = of(lower[i * N + j], i, j);
    return table;
  };
  const { values, vectors } = generalisedEigen(
    symmetric(across, (value) => value),
    symmetric(within, (value, i, j) => (1 - SHRINKAGE) * value + (i === j ? (SHRINKAGE * trace) / N : 0)),
    N,
  );
  const kept = [...values.keys()].filter((i) => values[i] > LEAST_DIRECTION).reverse();
  const rows = new Float32Array(kept.length * N);
  for (const [row, place] of kept.entries()) {
    const scale = (values[place] - LEAST_DIRECTION) / (1 + values[place]);
    for (let i = 0; i < N; i++) rows[row * N + i] = scale * vectors[place * N + i];
  }
  return { rough, polish, rows };
}
