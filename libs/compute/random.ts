import type { Activation, DenseLayer } from './port.js';

/** Pseudo-random values in [-scale, scale), the same everywhere. */
export function randomValues(seed: number, count: number, scale = 1): Float32Array {
  let state = seed >>> 0;
  const values = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    values[i] = (state / 2 ** 31 - 1) * scale;
  }
  return values;
}

/** A layer whose outputs are of order one for inputs of order one. */
export function randomLayer(inputs: number, outputs: number, activation: Activation): DenseLayer {
  const weights = randomValues(inputs, inputs * outputs, Math.sqrt(3 / inputs));
  return { inputs, outputs, weights, bias: randomValues(outputs, outputs), activation };
}

export function worstDifference(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  let worst = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i] - b[i]);
    if (!(difference <= worst)) worst = Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference;
  }
  return worst;
}
