import { uniform } from '#science/numerics/random';
import type { Activation, DenseLayer, Perceptron } from './port.js';

/** Pseudo-random values in [-scale, scale), the same everywhere. */
export function randomValues(seed: number, count: number, scale = 1): Float32Array {
  const next = uniform(seed);
  const values = new Float32Array(count);
  for (let i = 0; i < count; i++) values[i] = (2 * next() - 1) * scale;
  return values;
}

/** A layer whose outputs are of order one for inputs of order one. */
export function randomLayer(inputs: number, outputs: number, activation: Activation): DenseLayer {
  const weights = randomValues(inputs, inputs * outputs, Math.sqrt(3 / inputs));
  return { inputs, outputs, weights, bias: randomValues(outputs, outputs), activation };
}

export const randomPerceptron = (inputs: number, size: number, outputs: number): Perceptron => ({
  linear: randomLayer(inputs, outputs, 'identity'),
  hidden: randomLayer(inputs, size, 'gelu'),
  output: randomLayer(size, outputs, 'identity'),
});

export function worstDifference(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  let worst = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i] - b[i]);
    if (!(difference <= worst)) worst = Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference;
  }
  return worst;
}
