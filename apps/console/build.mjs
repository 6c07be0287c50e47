// Bundles the console into dist/console, with each file compressed once; does nothing where none of its sources changed.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

export const CONSOLE = join('dist', 'console');
/** All that is bundled, and what bundles it. */
const SOURCES = [
  'apps/console',
  'packages/client/src',
  'libs/pictures',
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

/** @param check of its types; a failing one throws, and leaves what was built before */
export async function buildConsole(check) {
  const digest = digestOf(SOURCES);
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === digest) return;
  check();
  // Loaded only where there is something to do.
  const { build } = await import('vite');
  await build({ configFile: 'apps/console/vite.config.ts', logLevel: 'warn' });
  const assets = join(CONSOLE, 'assets');
  for (const name of readdirSync(assets)) {
    const content = readFileSync(join(assets, name));
    writeFileSync(join(assets, `${name}.gz`), gzipSync(content, { level: 9 }));
    writeFileSync(join(assets, `${name}.br`), brotliCompressSync(content));
  }
  writeFileSync(STAMP, digest);
}
