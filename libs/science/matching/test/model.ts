import { randomValues } from '#science/compute/random';
import { REFERENCE_POINTS, referenceAxis } from '#science/spectra/axis';
import { fitPreprocessing } from '../../../../lab/training/fit-preprocessing.js';
import { INPUT, inputPoints } from '../input.js';
import { type Encoder, VECTOR } from '../model.js';

/** Numbers in [-1, 1) that depend on the seed alone. */
const numbers = (length: number, seed: number) => randomValues(seed, length);

/** Spectra for tests: lattice bands and some lines of random height, a path and a little noise each. */
export function inventedSpectra(count: number, seed = 1): Float32Array {
  const axis = referenceAxis();
  const spectra = new Float32Array(count * REFERENCE_POINTS);
  const bands = [700, 1010, 1175, 1282, 1365, 1405, 2030, 2160, 2500, 3107, 3236, 4496];
  for (let s = 0; s < count; s++) {
    const heights = numbers(bands.length, seed * 1000 + s);
    const noise = numbers(REFERENCE_POINTS, seed * 7777 + s);
    for (const [i, x] of axis.entries()) {
      let sum = 1e-3 * noise[i];
      for (const [b, centre] of bands.entries()) {
        const height = centre > 2000 && centre < 2600 ? 0.8 : 0.3 * (1 + heights[b]);
        sum += height * Math.exp(-(((x - centre) / 40) ** 2));
      }
      spectra[s * REFERENCE_POINTS + i] = sum * (1.2 + heights[0] / 2);
    }
  }
  return spectra;
}

/** An untrained encoder for tests. */
export function invented(name: string, derivative: 1 | 2, hidden: number, input = INPUT): Encoder {
  const points = inputPoints(input);
  return {
    name,
    preprocessing: fitPreprocessing(derivative, inventedSpectra(40, 99), 40, points),
    linear: numbers(points * VECTOR, 11 * derivative),
    bias: numbers(VECTOR, 12 * derivative),
    hidden: numbers(points * hidden, 13 * derivative),
    hiddenBias: numbers(hidden, 14 * derivative),
    output: numbers(hidden * VECTOR, 15 * derivative),
  };
}

/** Number of values in which two arrays differ; far quicker than a matcher on long arrays. */
export function differences(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  let count = 0;
  for (let i = 0; i < a.length; i++) count += Number(a[i] !== b[i]);
  return count;
}
