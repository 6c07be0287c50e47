import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { exportOf, reasonUnread } from '#science/spectra/names';
import type { Unused } from '#science/spectra/refusal';

/** The scan files of one stone, as paths in natural order. */
export interface PairFiles {
  stone: string;
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
/** Names of scan files that say whose they are; the groups `stone` and `side` are read, and of the side its first letter. */
export const FLAT_NAME = /^(?<stone>.+)_(?<side>rough|polish)_\d+[.][^.]+$/i;

/**
 * Finds the pairs of a folder: `<stone>_rough_<n>.<ext>` and `<stone>_polish_<n>.<ext>` beside each other, or
 * `<stone>/rough/*` and `<stone>/polish/*`, or both.
 * @param pattern of the names of files beside each other
 */
export async function findPairs(folder: string, pattern = FLAT_NAME): Promise<PairFolder> {
  const stones = new Map<string, PairFiles>();
  const add = (stone: string, side: 'rough' | 'polish', path: string) => {
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
    const { stone, side } = (!entry.name.startsWith('.') && pattern.exec(entry.name)?.groups) || {};
    const reason =
      reasonUnread(entry.name) ?? exportOf(entry.name)?.what ?? 'its name does not say of which stone and side it is';
    if (stone && /^[rp]/i.test(side ?? '')) add(stone, /^r/i.test(side) ? 'rough' : 'polish', path);
    else if (reason !== '') leave(path, reason);
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
