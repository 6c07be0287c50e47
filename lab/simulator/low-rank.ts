import type { Population } from './populations.js';
import { Random } from './random.js';
import { simulateStone } from './simulate.js';

const BANK_STONES = 120;
const ROUNDS = 12;
/** Seed of the attacker's own bank, away from any seed in use. */
const BANK_SEED = 0x7fff0001;

/** Mean and the strongest orthonormal components of a bank of a population's scans, by subspace iteration. */
export function lowRankBasis(population: Population, rank: number): { mean: Float64Array; components: Float64Array[] } {
  const scans: Float64Array[] = [];
  for (let stone = 0; stone < BANK_STONES; stone++) {
    const { rough, polish } = simulateStone(population, BANK_SEED, stone, { roughScans: 3, polishScans: 1 });
    scans.push(...rough.map((scan) => scan.absorbance), ...polish.map((scan) => scan.absorbance));
  }
  const points = scans[0].length;
  if (!Number.isInteger(rank) || rank < 1 || rank > Math.min(points, scans.length) / 4) {
    throw new RangeError(`low rank needs a whole rank from 1 to ${Math.floor(Math.min(points, scans.length) / 4)}`);
  }
  if (scans.some((scan) => scan.length !== points)) throw new RangeError('low rank needs every scan on the same axis');
  const mean = new Float64Array(points);
  for (const scan of scans) for (let i = 0; i < points; i++) mean[i] += scan[i] / scans.length;
  for (const scan of scans) for (let i = 0; i < points; i++) scan[i] -= mean[i];
  const random = new Random('low rank');
  let components = Array.from({ length: rank }, () => Float64Array.from({ length: points }, () => random.normal()));
  orthonormalise(components);
  for (let round = 0; round < ROUNDS; round++) {
    components = components.map((component) => {
      const next = new Float64Array(points);
      for (const scan of scans) {
        const along = dot(scan, component);
        for (let i = 0; i < points; i++) next[i] += along * scan[i];
      }
      return next;
    });
    orthonormalise(components);
  }
  return { mean, components };
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** In place, by Gram and Schmidt. */
function orthonormalise(vectors: Float64Array[]): void {
  for (const [k, vector] of vectors.entries()) {
    for (let j = 0; j < k; j++) {
      const along = dot(vector, vectors[j]);
      for (let i = 0; i < vector.length; i++) vector[i] -= along * vectors[j][i];
    }
    const length = Math.sqrt(dot(vector, vector));
    for (let i = 0; i < vector.length; i++) vector[i] /= length;
  }
}
