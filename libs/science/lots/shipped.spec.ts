import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCard } from '#science/matching/folder';
import { loadModel } from '#science/matching/model';
import { ModelFileError } from '#science/matching/safetensors';
import { MODEL_FILE, modelFolderNamed, shippedModelFolders } from '#science/matching/shipped';
import { LOT_MODEL_FILE, loadLotModel } from './model.js';
import { lotModelIn, shippedLotModel, shippedLotModelFolder } from './shipped.js';

it('is the model that its card describes', () => {
  expect(readCard(shippedLotModelFolder())).toMatchObject({ kind: 'lots', digest: shippedLotModel().digest });
});

it('stands beside the former one, whose lots may still be out', () => {
  const former = lotModelIn(modelFolderNamed('lots-1'));
  expect(former.digest).toMatch(/^f5e760a83e525a8f/);
  expect(former.projection).toEqual(shippedLotModel().projection);
  expect([former.sessionOffset, shippedLotModel().sessionOffset]).toEqual(['kept', 'removed']);
});

it('is never taken for a model of claims, nor one of those for it', () => {
  expect(() => loadModel(readFileSync(join(shippedLotModelFolder(), LOT_MODEL_FILE)))).toThrow(ModelFileError);
  for (const folder of shippedModelFolders()) {
    expect(() => loadLotModel(readFileSync(join(folder, MODEL_FILE)))).toThrow('holds no lot model');
  }
});
