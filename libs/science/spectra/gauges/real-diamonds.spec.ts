import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { readScanFile } from '../scan-file.js';
import { prepareSide } from '../scan-set.js';
import { DETAIL_RESIDUAL_BAND, LOCALLY_POLYNOMIAL_LIMIT, measureGauges, SHARPNESS_BAND } from './index.js';

/** Real scans of diamonds, beside the checkout; they are never copied into the project. */
function diamondFiles(): string[] {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  const data = process.env.MVS_SHARED_DATA ?? join(folder, '../shared/data');
  return ['opus', 'text']
    .map((kind) => join(data, kind))
    .filter(existsSync)
    .flatMap((kind) => readdirSync(kind).map((file) => join(kind, file)))
    .filter((file) => file.includes('co2-diamonds__'));
}

describe('directly acquired scans of real diamonds', () => {
  const files = diamondFiles();
  (files.length > 0 ? it : it.skip)('are neither refused nor taken for smoothed', () => {
    expect(files.length).toBeGreaterThanOrEqual(11);
    for (const file of files) {
      const reading = readScanFile(file, new Uint8Array(readFileSync(file)));
      const { detailResidual, locallyPolynomial, sharpness } = measureGauges(
        prepareSide({ side: 'polish', scans: [reading.scan], references: [] }),
      );
      expect([file, detailResidual > DETAIL_RESIDUAL_BAND.refused]).toEqual([file, true]);
      expect([file, locallyPolynomial < LOCALLY_POLYNOMIAL_LIMIT]).toEqual([file, true]);
      // On the scale that had been fitted to simulated stones all stood above the band.
      expect([file, sharpness > SHARPNESS_BAND.low && sharpness < SHARPNESS_BAND.high]).toEqual([file, true]);
      // A plate full of fringes is the only one outside the unprocessed band.
      if (!file.includes('HPHT')) expect([file, detailResidual > DETAIL_RESIDUAL_BAND.low]).toEqual([file, true]);
    }
  });
});
