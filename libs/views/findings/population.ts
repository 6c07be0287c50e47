/**
 * Stones of a population's production keys that are the same, found by the rule that holds within a key. Stones of a key
 * stay as they are; a group of them is named by its oldest. A population with one production key has none, and costs nothing.
 */
import type { Connection } from '../projection.js';
import type { Rows, Writer } from '../rows.js';
import type { Identity, ScoredClaim, Sent, Side } from './identity.js';
import { NEAR, SAME_ROUGH } from './nearness.js';
import { bytesOf, type ScanSets } from './sets.js';
import type { Identified } from './stones.js';
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
  sets: ScanSets;
  identity: Identity;
  /** Counts again for two groups that have turned out to be one. */
  joined(side: Side, from: number, into: number, moved: readonly number[]): void;
}

export class PopulationStones {
  /** Production keys by population, in the order of their first claims. */
  private readonly producers = new Map<string, string[]>();
  private readonly produce;
  private readonly bySet;
  private readonly byReference;
  private readonly latestOfKey;
  private readonly sketchOf;
  private readonly roughsOf;

  constructor(
    db: Connection,
    private readonly writer: Writer,
    private readonly parts: Parts,
  ) {
    const raw = (sql: string) => db.prepare(sql).raw();
    this.produce = db.prepare('INSERT OR IGNORE INTO producers VALUES (?, ?)');
    for (const [population, key] of raw('SELECT population, key_id FROM producers').all() as string[][]) {
      this.producers.set(population, [...(this.producers.get(population) ?? []), key]);
    }
    const OTHERS = 'key_id IN (SELECT key_id FROM producers WHERE population = ?3) AND key_id <> ?4';
    this.bySet = raw(`SELECT stone_id FROM stone_sets WHERE set_id = ?1 AND side = ?2 AND ${OTHERS}`);
    this.byReference = raw(
      `SELECT stone_id, set_id FROM stone_references WHERE reference = ?1 AND side = ?2 AND ${OTHERS}
       ORDER BY stone_id DESC LIMIT ${SAME_ROUGH.latest}`,
    );
    this.latestOfKey = raw(
      `SELECT seq, stone_id, set_id FROM stone_sets WHERE key_id = ? AND side = ? AND model_id = ?
       ORDER BY seq DESC LIMIT ${NEAR.copy.latest}`,
    );
    this.sketchOf = raw('SELECT low, high, vector FROM sets WHERE id = ? AND vector IS NOT NULL');
    this.roughsOf = raw(
      `SELECT rough_id, rough FROM claims WHERE polish_id = ? ORDER BY position DESC LIMIT ${SAME_ROUGH.latest}`,
    );
  }

  /** Looks for the claim's stones among those of the other production keys of its population. */
  link(claim: ScoredClaim, polish: Identified, rough: Identified): void {
    if (!claim.production) return;
    const keys = this.keysOf(claim);
    if (keys.length < 2) return;
    this.linkSide(claim, polish, keys);
    this.linkSide(claim, rough, keys, polish.stone);
  }

  /** The production keys of the claim's population, its own among them. */
  private keysOf({ population, key_id }: ScoredClaim): string[] {
    let keys = this.producers.get(population);
    if (!keys?.includes(key_id)) {
      keys = [...(keys ?? []), key_id];
      this.producers.set(population, keys);
      this.produce.run(population, key_id);
    }
    return keys;
  }

  private linkSide(claim: ScoredClaim, shown: Identified, keys: string[], polish?: number): void {
    const { claims, groups, identity, joined } = this.parts;
    const { side, stone, sketch, model, fresh } = shown;
    const { population, key_id } = claim;
    let found: ReturnType<typeof this.windowOf> | undefined;
    const same = identity.sameStones(shown, {
      withScans: () => (fresh ? this.withScans(claim, shown) : []),
      withReference: (name) => this.byReference.all(name, side, population, key_id) as [number, number][],
      window: () => {
        if (fresh) found = this.windowOf(population, keys, side, model);
        return found?.window;
      },
      roughsOfPolish: () => (polish === undefined ? [] : this.roughsOfPolish(polish, model)),
      nameOf: (other) => groups.of(other),
      own: groups.of(stone),
    });
    // Read from its table just now, the window holds the set.
    if (sketch && found?.kept) found.window.add(stone, sketch);
    for (const group of same) {
      const own = groups.of(stone);
      if (own === group) continue;
      const from = Math.max(own, group);
      const moved = groups.members(from);
      if (side === 'rough' && claims.onTheirWay.some(({ rough_id }) => moved.includes(rough_id as number)))
        claims.flush();
      joined(side, from, groups.join(own, group), moved);
    }
  }

  private *withScans({ population, key_id, ...sides }: ScoredClaim, shown: Identified): Generator<number> {
    const { side, set, model, first } = shown;
    const sets = [...this.parts.sets.others(model, sides[side].digest)].map((other) => other.set.id);
    if (!first) sets.push(set.id);
    for (const id of sets)
      for (const [stone] of this.bySet.all(id, side, population, key_id) as [number][]) yield stone;
  }

  /** Roughs that other keys claimed for the polish. */
  private *roughsOfPolish(polish: number, model: number): Generator<Sent> {
    const { claims, groups, sets } = this.parts;
    const others = groups.members(groups.of(polish)).filter((other) => other !== polish);
    if (claims.onTheirWay.some(({ polish_id }) => others.includes(polish_id as number))) claims.flush();
    for (const other of others) {
      for (const [rough, digest] of this.roughsOf.all(other) as [number | null, string][]) {
        const { set } = rough === null ? {} : sets.find(model, digest);
        if (rough !== null && set) yield [rough, set.id];
      }
    }
  }

  private windowOf(population: string, keys: string[], side: Side, model: number) {
    const { windows } = this.parts;
    const name = `population ${population} ${side} ${model}`;
    const kept = windows.has(name);
    const window = windows.of(name, (window) => {
      this.writer.flush();
      const rows = keys.flatMap((key) => this.latestOfKey.all(key, side, model) as [number, number, number][]);
      rows.sort(([a], [b]) => a - b);
      for (const [, stone, set] of rows.slice(-NEAR.copy.latest)) {
        const row = this.sketchOf.get(set) as [number, number, Uint8Array] | undefined;
        if (row) window.add(stone, { low: row[0], high: row[1], values: bytesOf(row[2]) });
      }
    });
    return { window, kept };
  }
}
