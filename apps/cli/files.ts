import { type Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonUnread, SCAN_FILES } from '#science/spectra/names';
import { Refusal, type Side, type Unused } from '#science/spectra/refusal';
import type { NamedFile } from '#science/spectra/zip';
import { printError } from './print.js';

/**
 * Files below the given paths: files as they are, folders with all but what holds no scan by its name, which goes into
 * `unused`; what a system adds to folders, and read-me files, are left out.
 * @throws Error of the file system for a path that is not there: a wrong call, no refused scan
 */
export async function listInputs(paths: string[], unused: Unused[] = [], side?: Side): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const inside = (await stat(path)).isDirectory() ? await listFolder(path, unused, side) : [path];
    if (inside.length === 0) throw noScans(path, side);
    found.push(...inside);
  }
  return found;
}

/** Reads a file; one that cannot be read is a refused input like any other. */
export async function readInput(path: string, side?: Side): Promise<NamedFile> {
  try {
    return { name: path, data: await readFile(path) };
  } catch (error) {
    throw unreadable(path, error as NodeJS.ErrnoException, side);
  }
}

export const readInputs = async (side: Side, paths: string[], unused: Unused[] = []): Promise<NamedFile[]> =>
  Promise.all((await listInputs(paths, unused, side)).map((path) => readInput(path, side)));

/** On the error output, as the answer may be JSON. */
export function tellUnused(unused: readonly Unused[]): void {
  for (const { file, reason } of unused) printError(`mvs: not used: ${file}: ${reason}`);
}

async function listFolder(folder: string, unused: Unused[], side?: Side): Promise<string[]> {
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true }).catch((error) => {
    throw unreadable(folder, error, side);
  });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name.startsWith('.')) unused.push({ file: path, reason: 'a hidden folder' });
      else if (entry.name !== '__MACOSX') found.push(...(await listFolder(path, unused, side)));
      continue;
    }
    const reason = entry.isFile() || entry.isSymbolicLink() ? reasonUnread(entry.name) : 'it is no plain file';
    if (reason === undefined) found.push(path);
    else if (reason !== '') unused.push({ file: path, reason });
  }
  return found;
}

const noScans = (folder: string, side?: Side): Refusal =>
  new Refusal('unparseable', {
    side,
    file: folder,
    reason: 'the folder holds no scan files',
    fix: `name a folder of ${SCAN_FILES}`,
  });

/** The refusal of a path that the file system does not give. */
function unreadable(path: string, error: NodeJS.ErrnoException, side?: Side): Refusal {
  return new Refusal('unparseable', {
    side,
    file: path,
    reason: `the file cannot be read (${error.code ?? error.message})`,
    fix: 'check its permissions',
  });
}
