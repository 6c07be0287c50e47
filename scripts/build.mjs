// Builds dist/: removes what lost its source, compiles the WebAssembly kernels, makes the client's types
// from the service's OpenAPI document, which loads them, compiles TypeScript, and bundles programs and console where they have
// changed.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildConsole, CONSOLE } from '../apps/console/build.mjs';
import { bundle, PROGRAMS } from './bundle.mjs';

const bin = (name) => join('node_modules', '.bin', name);
const run = (name, ...args) => execFileSync(bin(name), args, { stdio: 'inherit', shell: process.platform === 'win32' });

function prune(folder) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (path === CONSOLE || path === PROGRAMS) continue;
    if (entry.isDirectory()) prune(path);
    else if (/[.]js([.]map)?$/.test(entry.name)) {
      const source = relative('dist', path).replace(/[.]js([.]map)?$/, '.ts');
      if (!existsSync(source)) rmSync(path);
    }
  }
}

if (existsSync('libs/compute/kernels')) {
  const { buildKernels } = await import('../libs/compute/kernels/build.mjs');
  await buildKernels();
}
run('tsc', '-p', 'tools');
execFileSync(process.execPath, ['dist/tools/generate.js', 'built'], { stdio: 'inherit' });
// After the generated sources are there: TypeScript would not write again what it believes to have written.
prune('dist');
run('tsc', '-p', 'tsconfig.json');
run('tsc', '-p', 'packages/client');
// The client for require(), too: its files say so by the package.json beside them.
run('tsc', '-p', 'packages/client/tsconfig.cjs.json');
writeFileSync('packages/client/dist/cjs/package.json', '{ "type": "commonjs" }\n');
await bundle();
await buildConsole(() => run('tsc', '-p', 'apps/console'));
