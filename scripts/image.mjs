// Takes out of dist/ what no image needs: the laboratory, benches, generators, tests and their doubles.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export function strip(dist) {
  for (const room of ['lab', 'bench', 'test', 'tools']) rmSync(join(dist, room), { recursive: true, force: true });
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const test = entry.isDirectory()
      ? /^(test|conformance)$/.test(entry.name)
      : /([.]spec|^conformance)[.]js/.test(entry.name);
    if (test) rmSync(path, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  strip('dist');
  // An optional peer of @nestjs/swagger, for a compiler plugin that is not used here: no prune takes it for our own.
  for (const compiler of ['typescript', '@typescript'])
    rmSync(join('node_modules', compiler), { recursive: true, force: true });
}
