import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { simdCompute } from '#compute';
import { prepareSide, readScanFile, type Sampling } from '#spectra';
import { encodeScans, fusedScore, placeModel } from './encoder.js';
import { modelIn, shippedModelFolders } from './shipped.js';

let root = dirname(fileURLToPath(import.meta.url));
while (!existsSync(join(root, 'package.json'))) root = dirname(root);
const data = join(process.env.MVS_SHARED_DATA ?? join(root, '../shared/data'), 'opus');
/** Whole-stone scans of two real diamonds, each with and without compensation of the air's water lines; 2 cm^-1. */
const SCANS = ['FN7112', 'FN7114'].flatMap((stone) =>
  ['no', 'with'].map((air) =>
    join(data, `co2-diamonds__${stone}-diamond-500scans-up_to_4000cm-${air}_atm_comp-2cm-1.0`),
  ),
);

describe('two real diamonds', () => {
  (SCANS.every(existsSync) ? it : it.skip)(
    'are the same with and without the water of the air, once narrow lines no longer alias: the published matrix',
    async () => {
      const model = modelIn(shippedModelFolders().at(-1)!);
      const placed = await placeModel(model, simdCompute());
      const scans = SCANS.map((file) => readScanFile(file, new Uint8Array(readFileSync(file))).scan);
      const matrix = async (sampling: Sampling) => {
        const { spectra } = prepareSide({ side: 'rough', scans, references: [] }, sampling);
        const tables = await encodeScans(placed, spectra, scans.length);
        const vector = (k: number) => tables.map((table) => table.subarray(k * 256, (k + 1) * 256));
        const pairs = scans.flatMap((_, i) => scans.slice(i + 1).map((_, k) => [i, i + 1 + k]));
        return pairs.map(([i, k]) => Number(fusedScore(vector(i), vector(k)).toFixed(2)));
      };
      // Same stone: first and last. Different stones of one setting: the second and the second last.
      expect(await matrix('bridged')).toEqual([0.66, 0.91, 0.58, 0.57, 0.95, 0.58]);
      expect(await matrix('masked')).toEqual([0.97, 0.93, 0.93, 0.86, 0.94, 0.91]);
      placed.release();
    },
  );
});
