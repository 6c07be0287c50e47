/** Views' files made aside and put in place of those that stand, all of them or none. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { makeFolder } from '#config/folder';
import type { Connection } from './projection.js';

/** The files to be replaced are open in another process. */
export class ViewsInUse extends Error {
  override readonly name = 'ViewsInUse';
}

/**
 * @param make makes these files in the empty folder that it is given, which is gone afterwards
 * @throws ViewsInUse
 */
export async function replaceFiles<T>(
  directory: string,
  files: readonly string[],
  make: (workshop: string) => Promise<T>,
): Promise<T> {
  const workshop = join(directory, 'rebuilding');
  const refuseAnyInUse = () => {
    for (const file of files) refuseInUse(join(directory, file));
  };
  makeFolder(directory, 0o700);
  refuseAnyInUse();
  // A killed process left it.
  rmSync(workshop, { recursive: true, force: true });
  makeFolder(workshop, 0o700);
  try {
    const made = await make(workshop);
    for (const file of files) flush(join(workshop, file));
    refuseAnyInUse();
    for (const file of files) {
      for (const suffix of ['-wal', '-shm']) rmSync(join(directory, file + suffix), { force: true });
      renameSync(join(workshop, file), join(directory, file));
    }
    return made;
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
}

/** Leaving the write-ahead log takes the file for itself: refused while anybody else has it open. */
function refuseInUse(file: string): void {
  if (!existsSync(file)) return;
  let db: Connection | undefined;
  try {
    db = new Database(file);
    db.exec('PRAGMA journal_mode = DELETE');
  } catch (error) {
    if (/^SQLITE_BUSY|locked/.test(`${(error as { code?: string }).code} ${(error as Error).message}`)) {
      throw new ViewsInUse(`the view ${file} is in use: stop the service, or choose another directory`);
    }
    // Damaged: it is replaced.
  } finally {
    db?.close();
  }
}

function flush(file: string): void {
  const fd = openSync(file, 'r+');
  fsyncSync(fd);
  closeSync(fd);
}
