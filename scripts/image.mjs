// Takes out of dist/ what no image needs: the modules that are bundled, the laboratory, and what serves tests alone.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const KEPT = ['console', 'programs'];

export function strip(dist) {
  for (const room of readdirSync(dist))
    if (!KEPT.includes(room)) rmSync(join(dist, room), { recursive: true, force: true });
  for (const name of ['lab', 'run.js', 'run.js.map'])
    rmSync(join(dist, 'programs', name), { recursive: true, force: true });
}

if (process.argv[1] === import.meta.filename) {
  strip('dist');
  // An optional peer of @nestjs/swagger, for a compiler plugin that is not used here: no prune takes it for our own.
  for (const compiler of ['typescript', '@typescript'])
    rmSync(join('node_modules', compiler), { recursive: true, force: true });
}
