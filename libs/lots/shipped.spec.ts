import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { loadModel, MODEL_FILE, ModelFileError, readCard, shippedModelFolders } from '#matching';
import { LOT_MODEL_FILE, loadLotModel } from './model.js';
import { shippedLotModel, shippedLotModelFolder } from './shipped.js';

it('is the model that its card describes', () => {
  expect(readCard(shippedLotModelFolder())).toMatchObject({ kind: 'lots', digest: shippedLotModel().digest });
});

it('is never taken for a model of claims, nor one of those for it', () => {
  expect(() => loadModel(readFileSync(join(shippedLotModelFolder(), LOT_MODEL_FILE)))).toThrow(ModelFileError);
  for (const folder of shippedModelFolders()) {
    expect(() => loadLotModel(readFileSync(join(folder, MODEL_FILE)))).toThrow('holds no lot model');
  }
});
