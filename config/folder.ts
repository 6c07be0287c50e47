import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigurationError } from './error.js';

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

/**
 * Makes an SQLite file its owner's alone, whatever folder it is in; to be called before SQLite opens it. SQLite gives the
 * files beside it its mode, those that are there already keep theirs.
 * @returns the file
 * @throws the file system's error where a file that others may read is not this user's
 */
export function privateDatabase(file: string): string {
  // SQLite's name of a database that is in memory alone.
  if (file === ':memory:') return file;
  try {
    // A file that is there is never opened: closing it would drop SQLite's locks of this process on it.
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    // SQLite says why it cannot be opened.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return file;
  }
  for (const name of [file, `${file}-wal`, `${file}-shm`]) {
    const { mode = 0 } = statSync(name, { throwIfNoEntry: false }) ?? {};
    if (mode & 0o077) chmodSync(name, 0o600);
  }
  return file;
}

/**
 * Reads the folder that a variable names.
 * @throws ConfigurationError with a sentence that names both
 */
export function readFolder<T>({ name }: { name: string }, folder: string, read: (folder: string) => T): T {
  try {
    return read(folder);
  } catch (error) {
    throw new ConfigurationError(`${name}=${folder} cannot be used: ${(error as Error).message}`);
  }
}
