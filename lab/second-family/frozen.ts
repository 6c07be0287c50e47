import { createHash } from 'node:crypto';
import { stoneFiles } from '../simulator/index.js';
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

/** The commit that set the family down, before any training that was judged by it, and the digest of its scans. */
export const FROZEN = {
  commit: '3b6dcf1bf80a',
  digest: 'dcbae8a01b576fdb1b6cba482c97bc3496a9a5d1a5db21e1aa9281077ca60c5b',
};
