import { join } from 'node:path';
import { root } from './client/packed.js';

it('every spec is in a suite, and every suite has some; what is left for later is named', async () => {
  const { suites, specs, suiteOf } = await import(join(root, 'scripts/test.mjs'));
  const all: string[] = specs();
  expect(all.length).toBeGreaterThan(150);
  expect(all.filter((spec) => suiteOf(spec) === undefined)).toEqual([]);
  expect(new Set(all.map(suiteOf))).toEqual(new Set(Object.keys(suites)));
  for (const path of Object.values<{ later?: boolean; holds: string[] }>(suites).flatMap(({ later, holds }) =>
    later ? holds : [],
  ))
    expect([path, all.some((spec) => spec.startsWith(`${path}/`) || spec === `${path}.spec.js`)]).toEqual([path, true]);
});
