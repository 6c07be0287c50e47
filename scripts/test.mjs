// npm test: installs what is missing, builds what is stale, runs jest on the build: every suite, or the one that
// test/suites.json has under the name given first.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { prepare, step } from './prepare.mjs';

const suites = JSON.parse(readFileSync('test/suites.json', 'utf8'));

/** The suite whose path is the longest that a spec's begins with. */
export function suiteOf(spec) {
  const holders = Object.entries(suites).flatMap(([suite, { holds }]) => holds.map((path) => ({ suite, path })));
  const of = holders.filter(({ path }) => spec.startsWith(`${path}/`) || spec === `${path}.spec.js`);
  return of.sort((a, b) => b.path.length - a.path.length)[0]?.suite;
}

/** Specs of the build, relative to it. */
export const specs = () =>
  readdirSync('dist', { recursive: true, withFileTypes: true })
    .filter(({ name }) => name.endsWith('.spec.js'))
    .map(({ parentPath, name }) => relative('dist', join(parentPath, name)));

if (process.argv[1] === import.meta.filename) {
  const [first, ...others] = process.argv.slice(2);
  prepare();
  const chosen =
    first in suites
      ? [
          ...others,
          '--runTestsByPath',
          ...specs()
            .filter((spec) => suiteOf(spec) === first)
            .map((spec) => join('dist', spec)),
        ]
      : process.argv.slice(2);
  step('running the tests', process.execPath, [
    '--experimental-vm-modules',
    '--no-warnings',
    'node_modules/jest/bin/jest.js',
    ...chosen,
  ]);
}
