import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { root } from './client/packed.js';

it('every spec is in a suite, and every suite has some', async () => {
  const { specs, suiteOf } = await import(join(root, 'scripts/test.mjs'));
  const all: string[] = specs();
  expect(all.length).toBeGreaterThan(150);
  expect(all.filter((spec) => suiteOf(spec) === undefined)).toEqual([]);
  expect(new Set(all.map(suiteOf))).toEqual(new Set(['unit', 'service', 'lab', 'docs', 'browser']));
});
