import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '#config/version';
import { loadModel, type Model } from './model.js';

/**
 * Folders beside package.json in `models/`, newest first. Links there keep the names that the first release gave them
 * (`worlds`, `shipped`) open until the next one.
 */
const SHIPPED = ['match-4', 'match-3', 'match-2', 'match-1'];

/** A folder of `models/`, beside package.json. */
export const modelFolderNamed = (name: string): string => join(packageFolder(), 'models', name);

/**
 * Folders of the shipped models, newest first. A new log begins with the first; a log whose claims came under another model
 * keeps that one until an operator switches.
 */
export const shippedModelFolders = (): string[] => SHIPPED.map(modelFolderNamed);

/** Folder of the newest shipped model. */
export const shippedModelFolder = (): string => shippedModelFolders()[0];

/** Reads the model in a folder. */
export const modelIn = (folder: string): Model => loadModel(readFileSync(join(folder, MODEL_FILE)));

/** Reads the newest shipped model. */
export const shippedModel = (): Model => modelIn(shippedModelFolder());

/** The weights' file in a model folder; `card.json` and `card.md` describe it. */
export const MODEL_FILE = 'model.safetensors';
