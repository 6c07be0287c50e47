/** Parameters of an encoder before its training: of a given encoder, or from the closed form. */
import { type Encoder, VECTOR } from '#science/matching/model';
import { closedForm } from './closed-form.js';
import { layoutOf } from './network.js';
import { normal, randomOf } from './random.js';
import type { EncoderSettings, SpectraTable } from './settings.js';

/** Stones that the closed form is taken from, at most. */
const CLOSED_FORM_STONES = 10_000;
/** Share of the residual branch in an untrained encoder's output. */
const BENT_START = 0.1;

/** An encoder's parameters in one array, as `layoutOf` has them. */
export function parametersOf(encoder: Omit<Encoder, 'name' | 'preprocessing'>, scale: number): Float32Array {
  const layout = layoutOf(encoder.hiddenBias.length, encoder.linear.length / VECTOR);
  const parameters = new Float32Array(layout.length);
  for (let i = 0; i < layout.inputs; i++) {
    parameters.set(encoder.linear.subarray(i * VECTOR, (i + 1) * VECTOR), i * layout.width);
    const row = encoder.hidden.subarray(i * layout.hidden, (i + 1) * layout.hidden);
    parameters.set(row, i * layout.width + VECTOR);
  }
  parameters.set(encoder.output, layout.output);
  parameters.set(encoder.bias, layout.bias);
  parameters.set(encoder.hiddenBias, layout.hiddenBias);
  parameters[layout.logScale] = Math.log(scale);
  return parameters;
}

/** The closed form as linear branch, brought to the length `reach`; a small random residual branch beside it. */
export function firstParameters(
  settings: EncoderSettings,
  table: SpectraTable,
  preprocessed: Float32Array,
): Float32Array {
  const random = randomOf(settings.seed, settings.derivative, -1);
  const { weights, bias } = closedFormOf(preprocessed, table);
  const { hidden } = settings;
  const points = weights.length / VECTOR;
  const mean = new Float64Array(points);
  const scans = Math.min(2000, preprocessed.length / points);
  let squares = 0;
  for (let s = 0; s < scans; s++) {
    const at = Math.floor((s * preprocessed.length) / points / scans) * points;
    const sums = Float64Array.from(bias);
    for (let i = 0; i < points; i++) {
      const value = preprocessed[at + i];
      mean[i] += value / scans;
      for (let k = 0; k < VECTOR; k++) sums[k] += value * weights[i * VECTOR + k];
    }
    for (const sum of sums) squares += (sum * sum) / scans;
  }
  const shrink = settings.reach / Math.sqrt(squares);
  const hiddenWeights = Float32Array.from({ length: points * hidden }, () => normal(random) * Math.sqrt(2 / points));
  const hiddenBias = new Float32Array(hidden);
  for (let i = 0; i < points; i++) {
    for (let k = 0; k < hidden; k++) hiddenBias[k] -= mean[i] * hiddenWeights[i * hidden + k];
  }
  // A gelu unit's output is of the order of half its input here; 256 outputs share the length.
  const spread = (BENT_START * settings.reach) / Math.sqrt(VECTOR * hidden * 0.25);
  return parametersOf(
    {
      linear: weights.map((weight) => weight * shrink),
      bias: bias.map((value) => value * shrink),
      hidden: hiddenWeights,
      hiddenBias,
      output: Float32Array.from({ length: hidden * VECTOR }, () => normal(random) * spread),
    },
    settings.scale,
  );
}

/** The closed form of a table's preprocessed scans: mean of the rough scans against the first polish scan. */
export function closedFormOf(
  preprocessed: Float32Array,
  table: SpectraTable,
): { weights: Float32Array; bias: Float32Array } {
  const stones = Math.min(table.stones, CLOSED_FORM_STONES);
  const scans = table.rough + table.polish;
  const points = preprocessed.length / (table.stones * scans);
  const rough = new Float32Array(stones * points);
  const polish = new Float32Array(stones * points);
  for (let s = 0; s < stones; s++) {
    // Stones of several populations may stand one after another: take them from all over the table.
    const at = Math.floor((s * table.stones) / stones) * scans * points;
    const to = s * points;
    for (let i = 0; i < points; i++) {
      let sum = 0;
      for (let r = 0; r < table.rough; r++) sum += preprocessed[at + r * points + i];
      rough[to + i] = sum / table.rough;
      polish[to + i] = preprocessed[at + table.rough * points + i];
    }
  }
  const { groups } = table;
  if (groups) {
    const places = Array.from({ length: stones }, (_, s) => groups[Math.floor((s * table.stones) / stones)]);
    centreGroups([rough, polish], places, points);
  }
  return closedForm(rough, polish, stones, points);
}

/**
 * Moves every side by the difference of its group's mean from the mean of all. A world's common part (instrument, band
 * shapes) distinguishes none of its stones, yet both sides agree on it, and the closed form would prefer it to any trait.
 */
function centreGroups(sides: Float32Array[], groups: number[], points: number): void {
  const whole = new Float64Array(points);
  for (const preprocessed of sides) {
    const share = points / preprocessed.length / sides.length;
    for (let at = 0; at < preprocessed.length; at++) whole[at % points] += share * preprocessed[at];
  }
  for (const preprocessed of sides) {
    const sums = new Map<number, { count: number; sum: Float64Array }>();
    for (const [s, group] of groups.entries()) {
      const found = sums.get(group) ?? { count: 0, sum: new Float64Array(points) };
      sums.set(group, found);
      found.count++;
      for (let i = 0; i < points; i++) found.sum[i] += preprocessed[s * points + i];
    }
    for (const [s, group] of groups.entries()) {
      const { count, sum } = sums.get(group) as { count: number; sum: Float64Array };
      for (let i = 0; i < points; i++) preprocessed[s * points + i] += whole[i] - sum[i] / count;
    }
  }
}
