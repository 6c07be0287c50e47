import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadModel, type Model } from './model.js';

/** Folder of the shipped model: `models/shipped` beside package.json. */
export function shippedModelFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error('package.json is not above the program');
    folder = above;
  }
  return join(folder, 'models', 'shipped');
}

/** Reads the model in a folder. */
export const modelIn = (folder: string): Model => loadModel(readFileSync(join(folder, MODEL_FILE)));

/** Reads the shipped model. */
export const shippedModel = (): Model => modelIn(shippedModelFolder());

/** The weights' file in a model folder; `card.json` and `card.md` describe it. */
export const MODEL_FILE = 'model.safetensors';
