// Builds dist/: WebAssembly kernels, the client's types out of the service's OpenAPI document, TypeScript, the programs' bundles and
// the console. Two processors have work all the time, and what did not change is not made again. `without-console` leaves that
// one out.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { consoleIsBuilt } from '../apps/console/build.mjs';
import { bundle, GENERATOR, generator, PROGRAMS } from './bundle.mjs';
import { whereStale } from './stale.mjs';

const CLIENT = 'packages/client';

/** Ends this process with the status of a program that fails; it has said why. */
const node = (args, env = {}) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ...env } });
    child.once('exit', (status) => (status === 0 ? resolve() : process.exit(status ?? 1)));
  });

/** Threads that check beside each other do much twice: one of two processors takes a third less time than four of them. */
const checkers = Math.min(4, Math.ceil(availableParallelism() / 2));
/** Rarer collections take a fifth less; above the limit they are as usual. */
const collector = { GOGC: '400', GOMEMLIMIT: '2GiB' };
const tsc = (project, ...options) => node(['node_modules/typescript/bin/tsc', '-p', project, ...options], collector);

/** Removes from dist/ what lost its source. */
function prune(folder) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (path === join('dist', 'console') || path === PROGRAMS || entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) prune(path);
    else if (/[.]js([.]map)?$/.test(entry.name)) {
      const source = relative('dist', path).replace(/[.]js([.]map)?$/, '.ts');
      if (!existsSync(source)) rmSync(path);
    }
  }
}

async function kernels() {
  // The image's build has them; the image has not.
  if (!existsSync('libs/science/compute/kernels')) return;
  const { buildKernels } = await import('../libs/science/compute/kernels/build.mjs');
  await buildKernels();
}

async function clientTypes() {
  const made = ['apps/server', 'libs', 'config', 'tools', 'scripts/bundle.mjs', 'package-lock.json'];
  await whereStale('dist/.client-types', existsSync(`${CLIENT}/src/generated`) ? made : ['.'], async () => {
    await generator();
    await node([GENERATOR]);
  });
}

async function compile() {
  // After the generated sources are there: TypeScript would not write again what it believes to have written.
  prune('dist');
  await tsc('tsconfig.json', '--checkers', String(checkers));
}

/** The client as a package: with declarations, and for require(), which its package.json beside says. */
const client = () =>
  whereStale(`${CLIENT}/dist/.built`, [`${CLIENT}/src`, `${CLIENT}/tsconfig.json`, 'package-lock.json'], async () => {
    await tsc(CLIENT);
    await tsc(`${CLIENT}/tsconfig.cjs.json`);
    writeFileSync(`${CLIENT}/dist/cjs/package.json`, '{ "type": "commonjs" }\n');
  });

const compiled = clientTypes().then(() =>
  Promise.all([
    compile(),
    client(),
    process.argv[2] === 'without-console' || consoleIsBuilt() || node(['apps/console/build.mjs']),
  ]),
);
await Promise.all([kernels(), compiled]);
await bundle();
