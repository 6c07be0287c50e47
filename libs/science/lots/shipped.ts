import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelFolderNamed } from '#science/matching/shipped';
import { LOT_MODEL_FILE, type LotModel, loadLotModel } from './model.js';

/**
 * Folder of the shipped lot model: its file, its card, what is usual of lots and what was measured. The former one stays
 * beside it (`lots-1`), for lots that were enrolled with it.
 */
export const shippedLotModelFolder = (): string => modelFolderNamed('lots-2');

/** Folders of every lot model that was ever shipped, the newest first. */
export const shippedLotModelFolders = (): string[] => ['lots-2', 'lots-1', 'lots'].map(modelFolderNamed);

/** Reads the lot model in a folder. @throws ModelFileError with a sentence */
export const lotModelIn = (folder: string): LotModel => loadLotModel(readFileSync(join(folder, LOT_MODEL_FILE)));

/** Reads the shipped lot model. */
export const shippedLotModel = (): LotModel => lotModelIn(shippedLotModelFolder());
