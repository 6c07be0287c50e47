// Compiles when a source has changed, and runs a program of node again after each compilation without errors: `npm run dev`
// the service, `npm run test:watch PATH` tests. Kernels and the client's types are made by the build alone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';

/** An editor writes a file in several steps, and a checkout many files: one compilation for all of them. */
const QUIET_MS = 50;

prepare();
const { include } = JSON.parse(readFileSync('tsconfig.json', 'utf8'));
let changed = true;
let wake = () => {};
/** Folder by folder: a recursive watch loses a file that an editor replaces (Node 20, Linux). */
function observe(folder) {
  watch(folder, (_, name) => {
    const path = join(folder, name ?? '');
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) observe(path);
    else if (!/[.](ts|json)$/.test(path)) return;
    changed = true;
    wake();
  });
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) observe(join(folder, entry.name));
}
for (const folder of [...include, 'packages/client/src']) observe(folder);

let program;
const stop = async () => {
  if (program?.exitCode !== null || program.signalCode !== null) return;
  program.kill();
  await once(program, 'exit');
};
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    await stop();
    process.exit(0);
  });

for (let first = true; ; first = false) {
  while (changed) {
    changed = false;
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  }
  const began = performance.now();
  const compiler = first
    ? undefined
    : spawn(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.'], { stdio: 'inherit' });
  const [status] = compiler ? await once(compiler, 'exit') : [0];
  if (changed) continue;
  if (status === 0) {
    if (compiler) console.log(`> compiled in ${((performance.now() - began) / 1000).toFixed(1)} s`);
    await stop();
    program = spawn(process.execPath, process.argv.slice(2), { stdio: 'inherit' });
  }
  await new Promise((resolve) => {
    wake = resolve;
    if (changed) resolve();
  });
}
