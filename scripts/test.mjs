// npm test: installs what is missing, builds what is stale, runs jest on the build. Named first, a suite of test/suites.json,
// `later` (those that `npm test` leaves out) or `all` runs, of it the specs below the paths that follow; else what jest's
// arguments say, and without paths the suites that are not marked `later`. `--times` adds a table of what each spec took.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { prepare } from './prepare.mjs';

export const suites = JSON.parse(readFileSync('test/suites.json', 'utf8'));
const names = Object.keys(suites);
const GROUPS = { all: names, later: names.filter((name) => suites[name].later) };
const USUAL = names.filter((name) => !suites[name].later);

/** The suite whose path is the longest that a spec's begins with. */
export function suiteOf(spec) {
  const holders = names.flatMap((suite) => suites[suite].holds.map((path) => ({ suite, path })));
  const of = holders.filter(({ path }) => spec.startsWith(`${path}/`) || spec === `${path}.spec.js`);
  return of.sort((a, b) => b.path.length - a.path.length)[0]?.suite;
}

/** Specs of the build, relative to it. */
export const specs = () =>
  readdirSync('dist', { recursive: true, withFileTypes: true })
    .filter(({ name }) => name.endsWith('.spec.js'))
    .map(({ parentPath, name }) => relative('dist', join(parentPath, name)));

const isPath = (arg) => /^(dist\/)?(apps|bench|config|lab|libs|test|tools)(\/|$)/.test(arg);

/** Suites to run, paths that narrow them, and jest's arguments; no suites where the arguments alone name specs. */
function chosen([first, ...others]) {
  const named = GROUPS[first] ?? (first in suites ? [first] : undefined);
  if (named) return { run: named, below: others.filter(isPath), args: others.filter((arg) => !isPath(arg)) };
  const args = first === undefined ? [] : [first, ...others];
  return { run: args.every((arg) => arg.startsWith('-')) ? USUAL : undefined, below: [], args };
}

/** A line of what was not run, and the command for it. */
function leftOut(run) {
  const rest = names.filter((name) => !run.includes(name));
  const all = specs();
  const of = rest.map((name) => {
    const count = all.filter((spec) => suiteOf(spec) === name).length;
    return `${name} (${count} specs: ${suites[name].what})`;
  });
  return `Not run: ${of.join('; ')}. npm run test:all runs everything.`;
}

function test(given) {
  const { run, below, args } = chosen(given.filter((arg) => arg !== '--times'));
  const folders = below.map((path) => path.replace(/^dist\//, ''));
  const lies = (spec) => below.length === 0 || folders.some((path) => spec.startsWith(path));
  const paths = run && specs().filter((spec) => run.includes(suiteOf(spec)) && lies(spec));
  if (paths?.length === 0) {
    console.error(`no spec of ${run.join(', ')} begins with ${below.join(' or ')}`);
    return 3;
  }
  // Whatever a spec or a program that it killed leaves there goes with the run.
  const temporary = mkdtempSync(join(tmpdir(), 'mvs-tests-'));
  const times = given.includes('--times') ? mkdtempSync(join(temporary, 'times-')) : undefined;
  const jest = [
    ...['--no-warnings', 'node_modules/jest/bin/jest.js', ...args],
    ...(paths ? ['--runTestsByPath', ...paths.map((spec) => join('dist', spec))] : []),
  ];
  console.log('> running the tests');
  const env = { ...process.env, TMPDIR: temporary, ...(times && { TEST_TIMES_DIR: times }) };
  const { status } = spawnSync(process.execPath, jest, { stdio: 'inherit', env });
  rmSync(temporary, { recursive: true, force: true });
  if (run && run.length < names.length) console.log(leftOut(run));
  return status ?? 1;
}

if (process.argv[1] === import.meta.filename) {
  prepare();
  process.exitCode = test(process.argv.slice(2));
}
