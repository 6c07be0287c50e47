import { createHash } from 'node:crypto';
import { INPUT } from '#science/matching/input';
import type { Model } from '#science/matching/model';
import { SIMULATOR_VERSION, STONES_A_WORLD } from '../simulator/index.js';
import { LOSS_SCALE } from './network.js';
import type { EncoderSettings } from './settings.js';
import type { TableRecipe } from './simulated-table.js';

/** All that a training on simulated stones depends on, besides the program. */
export interface TrainingPlan {
  name: string;
  /** Version of the simulator. */
  simulator: number;
  train: TableRecipe;
  heldOut: TableRecipe;
  encoders: EncoderSettings[];
  /** Digest of the model that it starts from, in place of the closed form. */
  from?: string;
}

/** Training and choices draw from no seed further above. */
const HELD_OUT_SEED_SHIFT = 1_000;

/** The two encoders that are fused: their common settings, and their preprocessing. */
export function encoderSettings(changes: Partial<EncoderSettings>): EncoderSettings[] {
  const shared = {
    hidden: 512,
    epochs: 40,
    batch: 256,
    rate: 2e-3,
    weightDecay: 1e-3,
    grouped: true,
    scale: LOSS_SCALE,
    pooling: INPUT.pooling,
    roughDrawn: 2,
    polishDrawn: 1,
    smoothing: 0,
    spread: 0,
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

/** A trained model is moved by half the rate, and its wrong pairs are pushed apart. */
const FURTHER = { rate: 1e-3, spread: 3 };

/** The settings of a model's encoders, trained further; of new ones where there is none. */
export function settingsOf(changes: Partial<EncoderSettings>, from?: Model): EncoderSettings[] {
  const fresh = encoderSettings({ ...changes, pooling: (from?.input ?? INPUT).pooling });
  return (
    from?.encoders.map(({ name, preprocessing: { derivative }, hiddenBias }) => ({
      ...fresh[0],
      ...{ name, derivative, hidden: hiddenBias.length },
    })) ?? fresh
  );
}

/**
 * Worlds alone, a batch each: band shapes, instrument, nuisances, zoning, mines and mix drawn afresh. The named
 * populations, `calibration` among them, are held out whole.
 */
export function trainingPlan(name: string, stones: number, epochs: number, seed: number, from?: Model): TrainingPlan {
  return {
    name,
    simulator: SIMULATOR_VERSION,
    train: {
      draws: [{ population: 'randomised', seed, from: 0, stones }],
      rough: 12,
      polish: 4,
      leaveOutRefused: true,
      sampling: from?.input.sampling,
    },
    heldOut: {
      draws: [{ population: 'calibration', seed: seed + HELD_OUT_SEED_SHIFT, from: 0, stones: 500 }],
      rough: 6,
      polish: 1,
      sampling: from?.input.sampling,
    },
    encoders: settingsOf({ epochs, seed, batch: STONES_A_WORLD, ...(from && FURTHER) }, from),
    ...(from && { from: from.digest }),
  };
}

/**
 * Distinguishes one plan from another: a checkpoint of another plan is never gone on from. The number of epochs is no part of it: a
 * training may be cut short or prolonged, and goes on at the rate that its new length has there.
 */
export const planDigest = (plan: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(plan, (key, value) => (key === 'epochs' ? undefined : value)))
    .digest('hex')
    .slice(0, 16);
