import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { createContext, Script } from 'node:vm';
import { type NameReader, stoneTemplate } from '#science/spectra/stone-names';
import { UsageError } from './exit.js';
import { findPairs, type PairFiles, type PairFolder } from './pairs.js';
import { readNamedColumns } from './table.js';

/** Lists the pairs that a folder holds now. */
export type PairFinder = () => Promise<PairFolder>;

/** @param pattern of names: a template, or a regular expression with the named groups stone and side */
export function pairsByName(folder: string, pattern?: string): PairFinder {
  const read = pattern === undefined ? undefined : nameReader(pattern, true);
  return () => findPairs(folder, read);
}

/** @param withSide names have to say the side too @throws UsageError */
export function nameReader(pattern: string, withSide = false): NameReader {
  try {
    if (!pattern.includes('(?<stone>')) {
      if (withSide && !pattern.includes('{side}'))
        throw new UsageError("--pattern: name {stone} and {side}, as '{stone}_{side}_{scan}'");
      return stoneTemplate(pattern);
    }
    if (withSide && !pattern.includes('(?<side>'))
      throw new UsageError('--pattern: name the groups (?<stone>...) and (?<side>...)');
    const groupsOf = bounded(new RegExp(pattern));
    return (name) => {
      const { stone, side = '' } = groupsOf(name) ?? {};
      if (!stone) return undefined;
      return { stone, ...(/^[rp]/i.test(side) && { side: /^r/i.test(side) ? 'rough' : 'polish' }) };
    };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`--pattern: ${(error as Error).message}`);
  }
}

/** What an expression reads of a name, within a second: nested repetitions could take for ever. */
function bounded(pattern: RegExp): (name: string) => Record<string, string | undefined> | undefined {
  const context = createContext({ pattern, name: '' });
  const match = new Script('pattern.exec(name)?.groups');
  return (name) => {
    context.name = name;
    try {
      return match.runInContext(context, { timeout: 1_000 });
    } catch {
      throw new UsageError(`--pattern: it takes longer than a second for ${name}: write it without nested repetitions`);
    }
  };
}

/** Pairs of a table: columns rough and polish, files in a cell separated by `;`, below the folder; stone where it has one. */
export function pairsByTable(folder: string, table: string): PairFinder {
  return async () => {
    const filesIn = (cell = '') =>
      cell
        .split(';')
        .map((name) => name.trim())
        .filter((name) => name !== '')
        .map((name) => resolve(folder, name));
    const named = readNamedColumns(table).map((row): PairFiles => {
      const [rough, polish] = [filesIn(row.rough), filesIn(row.polish)];
      if (rough.length === 0 || polish.length === 0) {
        throw new UsageError(`--pairs: ${table}: each row needs files under rough and under polish`);
      }
      return row.stone
        ? { stone: row.stone, rough, polish }
        : { stone: basename(polish[0]), unnamed: true, rough, polish };
    });
    const isFile = async (path: string) => (await stat(path).catch(() => undefined))?.isFile() === true;
    const areThere = async ({ rough, polish }: PairFiles) =>
      (await Promise.all([...rough, ...polish].map(isFile))).every(Boolean);
    const there = await Promise.all(named.map(areThere));
    return {
      pairs: named.filter((_, i) => there[i]),
      incomplete: named.filter((_, i) => !there[i]).map(({ stone }) => stone),
      unused: [],
    };
  };
}

/** Sizes and times of a pair's files: it changes while one is written. Undefined where one is missing or still empty. */
export async function stampOf({ rough, polish }: PairFiles): Promise<string | undefined> {
  const stats = await Promise.all([...rough, ...polish].map((path) => stat(path).catch(() => undefined)));
  if (stats.some((one) => !one?.isFile() || one.size === 0)) return undefined;
  const files = stats.map((one, i) => [[...rough, ...polish][i], one!.size, one!.mtimeMs]);
  return JSON.stringify([rough.length, files]);
}

/** Files of a pair without a byte. */
export async function emptyFilesOf({ rough, polish }: PairFiles): Promise<string[]> {
  const paths = [...rough, ...polish];
  const stats = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return paths.filter((_, i) => stats[i]?.isFile() && stats[i].size === 0);
}

export interface ScanBytes {
  name: string;
  blob: Blob;
}

/** A pair as it is sent. */
export interface Claim {
  /** Known by the names and contents of its files, and by a rung that was named: 32 hexadecimal digits of a SHA-256. */
  digest: string;
  /** The stone's reference, where it is known. */
  reference?: string;
  rough: ScanBytes[];
  polish: ScanBytes[];
}

/** @throws Error of the file system */
export async function readClaim({ stone, unnamed, rough, polish }: PairFiles, rejectTarget?: number): Promise<Claim> {
  const hash = createHash('sha256');
  const readSide = async (side: string, paths: string[]) => {
    const scans: ScanBytes[] = [];
    for (const path of paths) {
      const bytes = await readFile(path);
      const name = basename(path);
      hash.update(JSON.stringify([side, name, createHash('sha256').update(bytes).digest('hex')]));
      scans.push({ name, blob: new Blob([bytes]) });
    }
    return scans;
  };
  const sides = { rough: await readSide('rough', rough), polish: await readSide('polish', polish) };
  if (rejectTarget !== undefined) hash.update(JSON.stringify({ rejectTarget }));
  return { digest: hash.digest('hex').slice(0, 32), ...(!unnamed && { reference: stone }), ...sides };
}
