/**
 * Which stones of a population's production keys are one: the same rules as within a key, compared with what the other
 * keys sent. Stones of a key stay as they are; a group of them is named by its oldest. A population with one production
 * key has none, and costs nothing.
 */
import type { Connection } from '../projection.js';
import type { Rows, Writer } from '../rows.js';
import { NEAR, SAME_ROUGH } from './nearness.js';
import { bytesOf, type Identified, type identities, type ScoredClaim, type Side } from './stones.js';
import type { NearWindows } from './windows.js';

/** Stones of a group, its own name among them; a stone that is in none stands alone. */
export const GROUP_TABLES = `
  CREATE TABLE groups (stone_id INTEGER PRIMARY KEY, group_id INTEGER NOT NULL);
  CREATE INDEX groups_members ON groups (group_id);
  CREATE TABLE producers (population TEXT NOT NULL, key_id TEXT NOT NULL, PRIMARY KEY (population, key_id)) WITHOUT ROWID`;

/** SQL: the stones of the group that the expression names, or it alone. */
export const membersOf = (group: string) =>
  `(SELECT ${group} UNION SELECT stone_id FROM groups WHERE group_id = ${group})`;

/** Stones whose group is kept in memory, and groups whose members are. */
const KEPT = 16_384;

export class Groups {
  private readonly groupOf = new Map<number, number | undefined>();
  private readonly membersOf = new Map<number, number[]>();
  private readonly find;
  private readonly insert;
  private readonly rename;
  private readonly remove;
  private readonly list;
  private any: boolean;

  constructor(db: Connection) {
    this.find = db.prepare('SELECT group_id FROM groups WHERE stone_id = ?').raw();
    this.insert = db.prepare('INSERT OR IGNORE INTO groups VALUES (?1, ?1)');
    this.rename = db.prepare('UPDATE groups SET group_id = ? WHERE group_id = ?');
    this.remove = db.prepare('DELETE FROM groups WHERE stone_id = ?');
    this.list = db.prepare('SELECT stone_id FROM groups WHERE group_id = ? ORDER BY 1').raw();
    this.any = db.prepare('SELECT 1 FROM groups LIMIT 1').raw().get() !== undefined;
  }

  /** The group that a stone is in. */
  shared(stone: number): number | undefined {
    if (!this.any) return undefined;
    if (this.groupOf.has(stone)) return this.groupOf.get(stone);
    const [group] = (this.find.get(stone) as [number] | undefined) ?? [];
    this.keep(stone, group);
    return group;
  }

  private keep(stone: number, group: number | undefined): void {
    if (this.groupOf.size >= KEPT) this.groupOf.clear();
    this.groupOf.set(stone, group);
  }

  of(stone: number): number {
    return this.shared(stone) ?? stone;
  }

  members(group: number): number[] {
    const kept = this.membersOf.get(group);
    if (kept) return kept;
    if (!this.any) return [group];
    let found = (this.list.all(group) as [number][]).map(([stone]) => stone);
    if (found.length === 0) found = [group];
    if (this.membersOf.size >= KEPT) this.membersOf.clear();
    this.membersOf.set(group, found);
    return found;
  }

  /** @returns the older of the two, which names both from then on */
  join(a: number, b: number): number {
    const [into, from] = a < b ? [a, b] : [b, a];
    for (const stone of this.members(from)) this.keep(stone, into);
    this.keep(into, into);
    for (const group of [into, from]) {
      this.insert.run(group);
      this.membersOf.delete(group);
    }
    this.rename.run(into, from);
    this.any = true;
    return into;
  }

  /** A stone is another one of its key: it is none by itself any more. */
  drop(stone: number): void {
    if (!this.any) return;
    this.membersOf.delete(this.of(stone));
    this.groupOf.delete(stone);
    this.remove.run(stone);
  }
}

interface Parts {
  claims: Rows;
  groups: Groups;
  windows: NearWindows;
  stones: ReturnType<typeof identities>;
  /** Counts again what two groups that are one have to do with. */
  joined(side: Side, from: number, into: number, moved: readonly number[]): void;
}

export function populations(db: Connection, writer: Writer, { claims, groups, windows, stones, joined }: Parts) {
  const { alike, near, nearIn, otherSetsOf, setIn } = stones;
  const produce = db.prepare('INSERT OR IGNORE INTO producers VALUES (?, ?)');
  const producers = new Map<string, string[]>();
  for (const [population, key] of db.prepare('SELECT population, key_id FROM producers').raw().all() as string[][]) {
    producers.set(population, [...(producers.get(population) ?? []), key]);
  }
  const OTHERS = 'key_id IN (SELECT key_id FROM producers WHERE population = ?3) AND key_id <> ?4';
  const bySet = db.prepare(`SELECT stone_id FROM stone_sets WHERE set_id = ?1 AND side = ?2 AND ${OTHERS}`).raw();
  const byReference = db
    .prepare(
      `SELECT stone_id, set_id FROM stone_references WHERE reference = ?1 AND side = ?2 AND ${OTHERS}
       ORDER BY stone_id DESC LIMIT ${SAME_ROUGH.latest}`,
    )
    .raw();
  const latestOf = db
    .prepare(
      `SELECT seq, stone_id, set_id FROM stone_sets WHERE key_id = ? AND side = ? AND model_id = ?
       ORDER BY seq DESC LIMIT ${NEAR.copy.latest}`,
    )
    .raw();
  const sketchOf = db.prepare('SELECT low, high, vector FROM sets WHERE id = ? AND vector IS NOT NULL').raw();
  const roughsOf = db
    .prepare(`SELECT rough_id, rough FROM claims WHERE polish_id = ? ORDER BY position DESC LIMIT ${SAME_ROUGH.latest}`)
    .raw();

  /** The production keys of the claim's population, in the order of their first claims; undefined where there is one. */
  const keysOf = ({ population, key_id }: ScoredClaim): string[] | undefined => {
    let keys = producers.get(population);
    if (!keys?.includes(key_id)) {
      keys = [...(keys ?? []), key_id];
      producers.set(population, keys);
      produce.run(population, key_id);
    }
    return keys.length > 1 ? keys : undefined;
  };

  const windowOf = (population: string, keys: string[], side: Side, model: number) => {
    const name = `population ${population} ${side} ${model}`;
    const kept = windows.has(name);
    const window = windows.of(name, (window) => {
      writer.flush();
      const rows = keys.flatMap((key) => latestOf.all(key, side, model) as [number, number, number][]);
      rows.sort(([a], [b]) => a - b);
      for (const [, stone, set] of rows.slice(-NEAR.copy.latest)) {
        const row = sketchOf.get(set) as [number, number, Uint8Array] | undefined;
        if (row) window.add(stone, { low: row[0], high: row[1], values: bytesOf(row[2]) });
      }
    });
    return { window, kept };
  };

  const linkSide = (
    side: Side,
    claim: ScoredClaim,
    { stone, set, sketch, model, fresh, first, used }: Identified,
    { keys, confirmed, polish }: { keys: string[]; confirmed: boolean; polish?: number },
  ): void => {
    const { population, key_id } = claim;
    const { digest } = claim[side];
    const same = new Set<number>();
    const add = (other: number) => same.add(groups.of(other));
    if (fresh) {
      const sets = otherSetsOf(model, digest);
      if (!first) sets.push(set.id);
      for (const id of sets) for (const [other] of bySet.all(id, side, population, key_id) as [number][]) add(other);
    }
    for (const name of used) {
      for (const [other, otherSet] of byReference.all(name, side, population, key_id) as [number, number][]) {
        if (side === 'polish' || near(set, otherSet, SAME_ROUGH.withReference)) add(other);
      }
    }
    if (fresh && sketch) {
      const { window, kept } = windowOf(population, keys, side, model);
      for (const other of nearIn(window, sketch, side, confirmed)) add(other);
      // Read from its table just now, it holds the set.
      if (kept) window.add(stone, sketch);
    }
    same.delete(groups.of(stone));
    if (polish !== undefined && sketch && same.size === 0) {
      const others = groups.members(groups.of(polish)).filter((other) => other !== polish);
      if (claims.onTheirWay.some(({ polish_id }) => others.includes(polish_id as number))) claims.flush();
      for (const other of others) {
        for (const [rough, sent] of roughsOf.all(other) as [number | null, string][]) {
          const its = rough === null ? undefined : setIn(model, sent).set;
          if (rough !== null && its && alike(set, its.vector, SAME_ROUGH.cosine)) add(rough);
        }
      }
      same.delete(groups.of(stone));
    }
    for (const group of same) {
      const own = groups.of(stone);
      if (own === group) continue;
      const from = Math.max(own, group);
      const moved = groups.members(from);
      if (side === 'rough' && claims.onTheirWay.some(({ rough_id }) => moved.includes(rough_id as number)))
        claims.flush();
      joined(side, from, groups.join(own, group), moved);
    }
  };

  /** Looks for the claim's stones among those of the other production keys of its population. */
  const link = (claim: ScoredClaim, polish: Identified, rough: Identified, confirmed: boolean): void => {
    if (!claim.production) return;
    const keys = keysOf(claim);
    if (!keys) return;
    linkSide('polish', claim, polish, { keys, confirmed });
    linkSide('rough', claim, rough, { keys, confirmed, polish: polish.stone });
  };
  return { link };
}
