import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

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
}

const natural = new Intl.Collator('en', { numeric: true }).compare;
const byName = (a: string, b: string) => natural(a, b) || (a < b ? -1 : 1);
/** Names of scan files that say whose they are; the groups `stone` and `side` are read, and of the side its first letter. */
export const FLAT_NAME = /^(?<stone>.+)_(?<side>rough|polish)_\d+[.][^.]+$/i;

/**
 * Finds the pairs of a folder: `<stone>_rough_<n>.<ext>` and `<stone>_polish_<n>.<ext>` beside each other, or
 * `<stone>/rough/*` and `<stone>/polish/*`, or both. Everything else is ignored, and so are hidden files.
 * @param pattern of the names of files beside each other
 */
export async function findPairs(folder: string, pattern = FLAT_NAME): Promise<PairFolder> {
  const stones = new Map<string, PairFiles>();
  const add = (stone: string, side: 'rough' | 'polish', path: string) => {
    const files = stones.get(stone) ?? { stone, rough: [], polish: [] };
    files[side].push(path);
    stones.set(stone, files);
  };
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) {
      for (const side of ['rough', 'polish'] as const)
        for (const file of await filesOf(join(folder, entry.name, side))) add(entry.name, side, file);
      continue;
    }
    const { stone, side } = pattern.exec(entry.name)?.groups ?? {};
    if (stone && /^[rp]/i.test(side ?? '')) add(stone, /^r/i.test(side) ? 'rough' : 'polish', join(folder, entry.name));
  }
  const all = [...stones.values()].sort((a, b) => byName(a.stone, b.stone));
  for (const { rough, polish } of all) {
    rough.sort(byName);
    polish.sort(byName);
  }
  return {
    pairs: all.filter(({ rough, polish }) => rough.length > 0 && polish.length > 0),
    incomplete: all.filter(({ rough, polish }) => rough.length === 0 || polish.length === 0).map(({ stone }) => stone),
  };
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(folder, entry.name));
}
