// Makes something again where what it is made of has changed since.
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** True if a file or folder below `path` is newer than `ms`; one that was removed makes its folder newer. */
function newer(path, ms) {
  const stat = statSync(path);
  if (stat.mtimeMs > ms) return true;
  return stat.isDirectory() && readdirSync(path).some((name) => newer(join(path, name), ms));
}

/**
 * Calls `make` unless the file `stamp` is newer than all of `inputs` (files, folders).
 * @param make may return a text for the stamp
 */
export async function whereStale(stamp, inputs, make) {
  if (existsSync(stamp) && !inputs.some((path) => newer(path, statSync(stamp).mtimeMs))) return;
  const began = new Date();
  const text = (await make()) ?? '';
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, text);
  // A file that changed meanwhile is found next time.
  utimesSync(stamp, began, began);
}
