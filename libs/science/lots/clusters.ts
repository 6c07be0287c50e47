/** Look-alikes as people read them: groups in place of pairs, and not more than a few. */
import { printableName } from '#science/spectra/refusal';

export interface Pair {
  a: string;
  b: string;
}

/** The natural order of stones' names. */
export const byName = new Intl.Collator('en', { numeric: true });
/** Groups that a sentence names, and stones of each. */
const NAMED = { groups: 5, stones: 8 };

/** Stones that are linked by pairs, each group in the order of names, the largest group first. */
export function clustersOf(pairs: readonly Pair[]): string[][] {
  const groups = new Map<string, Set<string>>();
  for (const { a, b } of pairs) {
    const both = new Set([...(groups.get(a) ?? [a]), ...(groups.get(b) ?? [b])]);
    for (const stone of both) groups.set(stone, both);
  }
  return [...new Set(groups.values())]
    .map((group) => [...group].sort(byName.compare))
    .sort((a, b) => b.length - a.length);
}

/** Groups of look-alikes in words: at most so many, "and n more". */
export function namedClusters(pairs: readonly Pair[]): string {
  const groups = clustersOf(pairs);
  const shown = groups.slice(0, NAMED.groups).map((group) => namedStones(group));
  return (
    shown.join('; ') + more(groups.length - shown.length, groups.length - shown.length === 1 ? ' group' : ' groups')
  );
}

/** Stones in words: at most so many, "and n more". */
export function namedStones(stones: readonly string[]): string {
  const shown = stones.slice(0, NAMED.stones).map(printableName);
  const rest = stones.length - shown.length;
  if (rest > 0) return shown.join(', ') + more(rest);
  return shown.length < 2 ? shown.join() : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

const more = (count: number, what = ''): string => (count > 0 ? ` and ${count} more${what}` : '');
