/** A model's folder: the weights, the ladder that came with them, and the card that says which ladder that is. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CALIBRATION_FILE, type CalibrationAsset, loadAsset } from '#science/calibration/asset';
import { loadScorerLadders, SCORER_FILE, type ScorerLadders } from '#science/calibration/scorer/ladders';
import { Refusal } from '#science/spectra/refusal';
import { loadModel, type Model } from './model.js';
import { ModelFileError } from './safetensors.js';
import { MODEL_FILE } from './shipped.js';

export const CARD_FILE = 'card.json';

export interface ModelFolder {
  /** The weights' file. */
  file: string;
  model: Model;
  asset: CalibrationAsset;
  /** SHA-256 of the calibration asset's file, 64 hex digits. */
  ladderDigest: string;
  /** Ladders for populations' own scorers; nothing where the model came without, and none can be made. */
  scorerLadders?: ScorerLadders;
  /** The card names that digest: the ladder was not changed since it was made. */
  pinned: boolean;
}

export const ladderDigestOf = (asset: string | Uint8Array): string => createHash('sha256').update(asset).digest('hex');

/**
 * Reads a model with its ladder.
 * @throws ModelFileError, Refusal of kind `asset` where there is no ladder or not the one that the card names
 */
export function readModelFolder(folder: string): ModelFolder {
  const file = join(folder, MODEL_FILE);
  const model = loadModel(read(file));
  if (!existsSync(join(folder, CALIBRATION_FILE))) {
    const fix = `make one with mvs calibrate --model ${folder}`;
    throw new Refusal('asset', { reason: `the model in ${folder} has no calibration asset`, fix });
  }
  const text = read(join(folder, CALIBRATION_FILE)).toString();
  const asset = loadAsset(text, model.digest);
  const ladderDigest = ladderDigestOf(text);
  const named = readCard(folder)?.ladder_digest;
  if (named !== undefined && named !== ladderDigest) {
    throw new Refusal('asset', {
      reason: `${join(folder, CALIBRATION_FILE)} is not the ladder that ${CARD_FILE} names: it was changed since`,
      fix: 'put the file that came with the model back, or make another with mvs calibrate',
    });
  }
  const scorers = join(folder, SCORER_FILE);
  const scorerLadders = existsSync(scorers) ? loadScorerLadders(read(scorers).toString(), model) : undefined;
  return { file, model, asset, ladderDigest, scorerLadders, pinned: named !== undefined };
}

/**
 * The folder's card; undefined where there is none.
 * @throws ModelFileError
 */
export function readCard(folder: string): Record<string, unknown> | undefined {
  const file = join(folder, CARD_FILE);
  if (!existsSync(file)) return undefined;
  try {
    const card: unknown = JSON.parse(read(file).toString());
    if (typeof card === 'object' && card !== null && !Array.isArray(card)) return card as Record<string, unknown>;
  } catch {
    // reported below
  }
  throw new ModelFileError(`The model card ${file} is no JSON object.`);
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new ModelFileError((error as Error).message);
  }
}
