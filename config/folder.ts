import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it where they are missing. Node's own `recursive` asks for ever where the file system
 * takes no folders, as /proc does.
 * @throws the file system's error, with `path`
 */
export function makeFolder(folder: string, mode = 0o777): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const above = dirname(resolve(folder));
    if (code === 'ENOENT' && above !== resolve(folder)) {
      makeFolder(above, mode);
      mkdirSync(folder, { mode });
    } else if (!(code === 'EEXIST' || code === 'EROFS' || code === 'EPERM') || !isFolder(folder)) throw error;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
