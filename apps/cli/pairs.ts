import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { exportOf, reasonUnread } from '#science/spectra/names';
import type { Side, Unused } from '#science/spectra/refusal';
import { markedName, type NameReader } from '#science/spectra/stone-names';
import { InputError } from './exit.js';

/** The scan files of one stone, as paths in natural order. */
export interface PairFiles {
  stone: string;
  /** The stone is no reference: nobody named it, and it is called by one of its files. */
  unnamed?: true;
  rough: string[];
  polish: string[];
}

export interface PairFolder {
  /** Stones with both sides, in natural order of their names. */
  pairs: PairFiles[];
  /** Stones of which only one side is there. */
  incomplete: string[];
  /** What else the folder holds, but for what a system adds and read-me files. */
  unused: Unused[];
}

const natural = new Intl.Collator('en', { numeric: true }).compare;
const byName = (a: string, b: string) => natural(a, b) || (a < b ? -1 : 1);
/** How files of a folder are named unless something else is said. */
export const NAMES = '<stone>_rough_<n>.<ext> and <stone>_polish_<n>.<ext>';

/**
 * Finds the pairs of a folder: `<stone>_rough_<n>.<ext>` and `<stone>_polish_<n>.<ext>` beside each other, or
 * `<stone>/rough/*` and `<stone>/polish/*`, or both.
 * @param read stone and side from the name of a file that lies beside others
 */
export async function findPairs(folder: string, read: NameReader = markedName): Promise<PairFolder> {
  const stones = new Map<string, PairFiles>();
  const add = (stone: string, side: Side, path: string) => {
    const files = stones.get(stone) ?? { stone, rough: [], polish: [] };
    files[side].push(path);
    stones.set(stone, files);
  };
  const unused: Unused[] = [];
  const leave = (file: string, reason: string) => void unused.push({ file, reason });
  const addStone = async (stone: string): Promise<boolean> => {
    let holdsSide = false;
    for (const side of ['rough', 'polish'] as const) {
      const inside = join(folder, stone, side);
      for (const entry of await readdir(inside, { withFileTypes: true }).catch(() => [])) {
        const reason = entry.isFile() ? reasonUnread(entry.name) : 'it is no file';
        if (reason === undefined) add(stone, side, join(inside, entry.name));
        else if (reason !== '') leave(join(inside, entry.name), reason);
        holdsSide = true;
      }
    }
    return holdsSide;
  };
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const isStone = !entry.name.startsWith('.') && (await addStone(entry.name));
      if (!isStone && entry.name !== '__MACOSX') leave(path, 'it holds no folder rough or polish');
      continue;
    }
    const unread = reasonUnread(entry.name);
    const { stone, side } = (unread === undefined && !entry.name.startsWith('.') && read(entry.name)) || {};
    if (stone && side) add(stone, side, path);
    else if (unread !== '')
      leave(path, unread ?? exportOf(entry.name)?.what ?? 'its name does not say of which stone and side it is');
  }
  const all = [...stones.values()].sort((a, b) => byName(a.stone, b.stone));
  for (const { rough, polish } of all) {
    rough.sort(byName);
    polish.sort(byName);
  }
  return {
    pairs: all.filter(({ rough, polish }) => rough.length > 0 && polish.length > 0),
    incomplete: all.filter(({ rough, polish }) => rough.length === 0 || polish.length === 0).map(({ stone }) => stone),
    unused,
  };
}

/** @throws InputError for a folder in which no file says of which stone and side it is: which there are, and what to do */
export function requirePairs({ pairs, incomplete, unused }: PairFolder): void {
  if (pairs.length > 0 || incomplete.length > 0) return;
  const found = unused.length === 0 ? 'it holds no scan file' : `${unused.length} of its entries do not fit`;
  throw new InputError(
    `the folder holds no pair: ${found}. Name files ${NAMES}, or say how they are named: --pattern '{stone}_{side}_{scan}'`,
  );
}
