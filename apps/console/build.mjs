// Checks the console's types and bundles it into dist/console, with each file compressed once.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const CONSOLE = join('dist', 'console');
/** Takes its place when it is whole. */
const FRESH = join('dist', '.console');
/** All that is bundled, and what bundles it. */
const SOURCES = [
  'apps/console',
  'packages/client/src',
  'libs/pictures',
  'libs/science/spectra',
  'config/limits.ts',
  'libs/domain/streams.ts',
  'docs/audit/verify',
  'package-lock.json',
  'package.json',
];
const STAMP = join(CONSOLE, '.sources');

function digestOf(sources) {
  const hash = createHash('sha256');
  const add = (path) => {
    if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) add(join(path, name));
    else hash.update(`${path}\0`).update(readFileSync(path));
  };
  for (const source of sources) add(source);
  return hash.digest('hex');
}

export const consoleIsBuilt = () => existsSync(STAMP) && readFileSync(STAMP, 'utf8') === digestOf(SOURCES);

/** A service that runs meanwhile has the old one to its end. */
async function buildConsole() {
  const digest = digestOf(SOURCES);
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'apps/console'];
  if (spawnSync(process.execPath, tsc, { stdio: 'inherit' }).status !== 0) return false;
  // Loaded only where there is something to do.
  const { build } = await import('vite');
  await build({ configFile: 'apps/console/vite.config.ts', logLevel: 'warn', build: { outDir: resolve(FRESH) } });
  const assets = join(FRESH, 'assets');
  for (const name of readdirSync(assets)) {
    const content = readFileSync(join(assets, name));
    writeFileSync(join(assets, `${name}.gz`), gzipSync(content, { level: 9 }));
    writeFileSync(join(assets, `${name}.br`), brotliCompressSync(content));
  }
  writeFileSync(join(FRESH, basename(STAMP)), digest);
  rmSync(CONSOLE, { recursive: true, force: true });
  renameSync(FRESH, CONSOLE);
  return true;
}

if (process.argv[1] === import.meta.filename && !(await buildConsole())) process.exitCode = 1;
