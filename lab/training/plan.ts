import { createHash } from 'node:crypto';
import type { EncoderSettings } from './encoder-training.js';
import { LOSS_SCALE } from './network.js';
import type { TableRecipe } from './simulated-table.js';

/** All that a training on simulated stones depends on, besides the program. */
export interface TrainingPlan {
  name: string;
  train: TableRecipe;
  heldOut: TableRecipe;
  encoders: EncoderSettings[];
}

/** Seeds that training and choices never draw from are those above; a test takes its own. */
export const HELD_OUT_SEED_SHIFT = 1_000;
export const TEST_SEED_SHIFT = 2_000;

/** The two encoders that are fused: what both share, and their views. */
export function encoderSettings(changes: Partial<EncoderSettings>): EncoderSettings[] {
  const shared = {
    hidden: 512,
    epochs: 40,
    batch: 512,
    rate: 2e-3,
    weightDecay: 1e-3,
    grouped: true,
    scale: LOSS_SCALE,
    roughDrawn: 2,
    polishDrawn: 1,
    smoothing: 0,
    shortShare: 0.15,
    spanShare: 0.2,
    spanWidth: 40,
    noise: 0,
    keepBest: false,
    reach: 2,
    seed: 1,
    ...changes,
  };
  return [
    { ...shared, name: 'first', derivative: 1 },
    { ...shared, name: 'second', derivative: 2 },
  ];
}

/** Half `calibration`, half populations drawn at random (instrument, line shape, noise, coverage, mines and mix). */
export function trainingPlan(name: string, stones: number, epochs: number, seed: number): TrainingPlan {
  const reference = Math.floor(stones / 2);
  return {
    name,
    train: {
      draws: [
        { population: 'calibration', seed, from: 0, stones: reference },
        { population: 'randomised', seed, from: 0, stones: stones - reference },
      ],
      rough: 6,
      polish: 2,
    },
    heldOut: {
      draws: [{ population: 'calibration', seed: seed + HELD_OUT_SEED_SHIFT, from: 0, stones: 1000 }],
      rough: 6,
      polish: 1,
    },
    encoders: encoderSettings({ epochs, seed }),
  };
}

/** Tells one plan from another: a checkpoint of another plan is never gone on from. */
export const planDigest = (plan: unknown): string =>
  createHash('sha256').update(JSON.stringify(plan)).digest('hex').slice(0, 16);
