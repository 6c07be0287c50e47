import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelFolderNamed } from '#matching';
import { LOT_MODEL_FILE, type LotModel, loadLotModel } from './model.js';

/** Folder of the shipped lot model: its file and its card. */
export const shippedLotModelFolder = (): string => modelFolderNamed('lots');

/** Reads the lot model in a folder. @throws ModelFileError with a sentence */
export const lotModelIn = (folder: string): LotModel => loadLotModel(readFileSync(join(folder, LOT_MODEL_FILE)));

/** Reads the shipped lot model. */
export const shippedLotModel = (): LotModel => lotModelIn(shippedLotModelFolder());
