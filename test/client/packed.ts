import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder, seen from the build. */
export let root = dirname(fileURLToPath(import.meta.url));
while (!existsSync(`${root}/package-lock.json`)) root = dirname(root);
