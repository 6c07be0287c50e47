import { type Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isScanName, SCAN_FILES } from '#science/spectra/names';
import { Refusal, type Side } from '#science/spectra/refusal';
import type { NamedFile } from '#science/spectra/zip';

/**
 * Scan files and zips below the given paths: files as they are, folders with all that looks like a scan file.
 * @throws Error of the file system for a path that is not there: a wrong call, no refused scan
 */
export async function listInputs(paths: string[], side?: Side): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const inside = (await stat(path)).isDirectory() ? await listFolder(path, side) : [path];
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

export const readInputs = async (side: Side, paths: string[]): Promise<NamedFile[]> =>
  Promise.all((await listInputs(paths, side)).map((path) => readInput(path, side)));

async function listFolder(folder: string, side?: Side): Promise<string[]> {
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true }).catch((error) => {
    throw unreadable(folder, error, side);
  });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.') || entry.name === '__MACOSX') continue;
    if (entry.isDirectory()) found.push(...(await listFolder(path, side)));
    else if (entry.isFile() && (isScanName(entry.name) || /[.]zip$/i.test(entry.name))) found.push(path);
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
