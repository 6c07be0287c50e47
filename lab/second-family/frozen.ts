import { createHash } from 'node:crypto';
import { stoneFiles } from '#simulator';
import { SECOND_FAMILY } from './populations.js';
import { simulateSecondFamily } from './simulate.js';

/** SHA-256 over the csv files of the first ten stones of seed 1 of every population, in order. */
export function scansDigest(): string {
  const hash = createHash('sha256');
  for (const name of SECOND_FAMILY)
    for (let stone = 0; stone < 10; stone++)
      for (const { name: file, data } of stoneFiles(simulateSecondFamily(name, 1, stone), 'csv'))
        hash.update(file).update(data);
  return hash.digest('hex');
}
