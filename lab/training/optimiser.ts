import type { Numbers } from './network.js';

/** First and second moments of AdamW, one value a parameter each, and the steps taken. */
export interface Moments {
  first: Numbers;
  second: Numbers;
  steps: number;
}

const BETA1 = 0.9;
const BETA2 = 0.999;

/**
 * One step of AdamW (Loshchilov and Hutter 2019), in place.
 * @param decayed number of leading parameters under weight decay: matrices, not biases
 */
export function adamStep(
  parameters: Numbers,
  gradient: Numbers,
  moments: Moments,
  rate: number,
  weightDecay: number,
  decayed: number,
): void {
  moments.steps++;
  const { first, second, steps } = moments;
  let power1 = 1;
  let power2 = 1;
  for (let i = 0; i < steps; i++) {
    power1 *= BETA1;
    power2 *= BETA2;
  }
  const step = rate / (1 - power1);
  const correction = 1 / (1 - power2);
  const kept = 1 - rate * weightDecay;
  for (let i = 0; i < parameters.length; i++) {
    const g = gradient[i];
    const m = BETA1 * first[i] + (1 - BETA1) * g;
    const v = BETA2 * second[i] + (1 - BETA2) * g * g;
    first[i] = m;
    second[i] = v;
    const value = i < decayed ? parameters[i] * kept : parameters[i];
    parameters[i] = value - (step * m) / (Math.sqrt(v * correction) + 1e-8);
  }
}

/** One-cycle learning rate (Smith 2018): cosine up over the first 30%, then down to 1/10,000 of the start. */
export function oneCycle(step: number, steps: number, peak: number): number {
  const turn = 0.3 * steps;
  const low = peak / 25;
  const end = low / 10_000;
  const blend = (from: number, to: number, part: number) => to + ((from - to) * (1 + Math.cos(Math.PI * part))) / 2;
  if (step < turn) return blend(low, peak, step / turn);
  return blend(peak, end, Math.min(1, (step - turn) / (steps - turn)));
}
