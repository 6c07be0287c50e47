/**
 * Tells which stone a side of a claim shows: one rule, asked within a key and between the production keys of a population.
 * The same scans or the same reference make one stone, different references two, whatever the vectors say. A panel of
 * roughs must not hide under one reference: roughs of one reference are two where their vectors are not alike at all. Such a
 * reference names no stone, as one that all claims of a key share: for a polish it is as if it were missing.
 * Only where a reference is missing do the vectors decide. A rough is then also compared with those that were claimed
 * for the same polish before, because a stone that is sent again is measured again.
 */
import type { Rows, Tables } from '#kit/views/tables';
import { type Groups, membersOf } from './groups.js';
import { NEAR, SAME_ROUGH, type Sketch, similarity, sketchOf, valuesOf } from './nearness.js';
import { type WindowSet, Windows } from './windows.js';

/** What is doubtful is what hygiene looks at: roughs that came under several references, and references of several roughs. */
export const STONE_TABLES = `
  CREATE TABLE sets (
    model_id INTEGER NOT NULL, digest INTEGER NOT NULL, low INTEGER NOT NULL, high INTEGER NOT NULL, vector BLOB NOT NULL,
    UNIQUE (model_id, digest)
  );
  CREATE TABLE stone_sets (
    seq INTEGER PRIMARY KEY, key_id TEXT NOT NULL, production INTEGER NOT NULL, side TEXT NOT NULL,
    model_id INTEGER NOT NULL, digest INTEGER NOT NULL, stone_id INTEGER NOT NULL
  );
  CREATE INDEX stone_sets_by_digest ON stone_sets (digest);
  CREATE INDEX stone_sets_by_stone ON stone_sets (stone_id);
  CREATE INDEX stone_sets_of_key ON stone_sets (key_id, side, model_id, seq);
  CREATE INDEX stone_sets_of_population ON stone_sets (model_id, side, seq) WHERE production;
  CREATE TABLE stone_references (
    key_id TEXT NOT NULL, side TEXT NOT NULL, reference TEXT NOT NULL, stone_id INTEGER NOT NULL,
    seq INTEGER NOT NULL, PRIMARY KEY (key_id, side, reference, stone_id)
  ) WITHOUT ROWID;
  CREATE INDEX stone_references_by_stone ON stone_references (stone_id);
  CREATE INDEX stone_references_by_name ON stone_references (reference, side, stone_id);
  CREATE TABLE doubtful_stones (stone_id INTEGER PRIMARY KEY);
  CREATE TABLE doubtful_references (key_id TEXT NOT NULL, reference TEXT NOT NULL, PRIMARY KEY (key_id, reference)) WITHOUT ROWID`;

export type Side = 'rough' | 'polish';

/** A claim as it is when its verdict comes. */
export interface ScoredClaim {
  position: number;
  claim_id: string;
  key_id: string;
  population: string;
  /** By a production key: the production keys of a population are looked at together. */
  production: boolean;
  /** Of the population's model. */
  model: number;
  rough: SetFacts;
  polish: SetFacts;
  probability: number;
}
interface SetFacts {
  /** Number of the digest. */
  digest: number;
  references: string[];
}

/** Claims are scored once, so that their places make ids that no other stone has. */
export const newStone = ({ position }: ScoredClaim, side: Side): number => 2 * position + (side === 'rough' ? 0 : 1);
/** SQL: the place of the claim that a polish was first shown by. */
export const firstClaimOf = (polish: string) => `(${polish} - 1) / 2`;

/** A side of a claim once its stone is known. */
interface Shown {
  claim: ScoredClaim;
  side: Side;
  sketch: Sketch | undefined;
  /** The key had not sent the set before. */
  fresh: boolean;
  stone: number;
}

/** A stone, and the values of a set that it was sent with; none where that was never banked. */
type Sent = [stone: number, values: Uint8Array | null];

/** The stones that a side is compared with. */
interface Scope {
  withScans(): Iterable<number>;
  withReference(reference: string): Iterable<Sent>;
  window: string;
  latest(): WindowSet[];
  /** Roughs that were claimed for the same polish. */
  roughsOfPolish(): Iterable<Sent>;
}

type SketchRow = [stone: number, low: number, high: number, values: Uint8Array];

const sketchIn = ([stone, low, high, values]: SketchRow): WindowSet => [stone, { low, high, values: valuesOf(values) }];

/** Conditions on the owner of a stone: the key itself, or the other production keys of its population. */
const OWN = 'key_id = ?3';
const OTHERS = "key_id <> ?3 AND key_id IN (SELECT id FROM keys WHERE population = ?4 AND kind = 'production')";

export class Stones {
  private readonly sets: Rows;
  private readonly storedSketch;
  private readonly windows = new Windows();
  private readonly statements;

  constructor(
    tables: Tables,
    private readonly groups: Groups,
  ) {
    this.sets = tables.into('sets', { key: ['model_id', 'digest'] });
    this.storedSketch = this.sets.reader('low', 'high', 'vector');
    this.statements = prepare(tables);
  }

  /** Of a set that is stored several times the first one counts. */
  bank(model_id: number, digest: number, vectors: Record<string, string>): void {
    if (this.storedSketch(model_id, digest)) return;
    const { low, high, values } = sketchOf(vectors);
    this.sets.add({ model_id, digest, low, high, vector: Buffer.from(values.buffer) });
  }

  /**
   * The stone of a side among those of its key; where it turns out to be several of them, these become one.
   * @param polish that a rough is claimed for
   * @param merge told of each stone that has turned out to be an older one, before the claim is counted
   */
  identify(side: Side, claim: ScoredClaim, polish: number, merge: (from: number, into: number) => void): Shown {
    const { statements } = this;
    const { key_id, model } = claim;
    const { digest, references } = claim[side];
    const own = newStone(claim, side);
    const sketch = this.sketchIn(model, digest);
    const sent = statements.sentWith.get(digest, key_id, side, model) as [number] | undefined;
    const shown: Shown = { claim, side, sketch, fresh: sent === undefined, stone: own };
    const window = `key ${key_id} ${side} ${model}`;
    const same = this.sameStones(shown, {
      withScans: () => first(statements.ownWithScans.all(digest, side, key_id)),
      withReference: (name) => statements.ownWithReference.all(name, side, key_id) as Sent[],
      window,
      latest: () => (statements.latestOfKey.all(key_id, side, model) as SketchRow[]).map(sketchIn).reverse(),
      roughsOfPolish: () => statements.roughsOfPolish.all(polish) as Sent[],
    });
    const stone = same.size > 0 ? Math.min(...same) : own;
    for (const other of same) if (other !== stone) merge(other, stone);
    const set = sent?.[0] ?? this.send({ ...shown, stone });
    if (sketch && !sent) {
      this.windows.add(window, stone, sketch);
      if (claim.production) this.windows.add(`population ${side} ${model}`, stone, sketch);
    }
    for (const name of references) {
      statements.refer.run(key_id, side, name, stone, set);
      if (side === 'rough') statements.doubtReference.run(key_id, name, stone);
    }
    if (side === 'rough' && references.length > 0) statements.doubtStone.run(stone);
    return { ...shown, stone };
  }

  /** Groups of the population's stones that the side shows too. */
  othersOf(shown: Shown, polish: number): Set<number> {
    const { statements, groups } = this;
    const { claim, side, stone } = shown;
    const { key_id, population, production, model } = claim;
    if (!production || !statements.otherKey.get(population, key_id)) return new Set();
    const found = this.sameStones(shown, {
      withScans: () => first(statements.othersWithScans.all(claim[side].digest, side, key_id, population)),
      withReference: (name) => statements.othersWithReference.all(name, side, key_id, population) as Sent[],
      window: `population ${side} ${model}`,
      latest: () => (statements.latestOfPopulation.all(side, model) as SketchRow[]).map(sketchIn).reverse(),
      roughsOfPolish: () => statements.roughsOfGroup.all(polish, groups.of(polish), model) as Sent[],
    });
    const same = new Set([...found].map((other) => groups.of(other)));
    same.delete(groups.of(stone));
    return same;
  }

  /** Everything that `from` was sent with becomes `into`'s. */
  rename(from: number, into: number): void {
    this.statements.renameSets.run(into, from);
    this.statements.renameReferences.run(into, from);
    this.statements.doubtStone.run(into);
    this.windows.rename(from, into);
  }

  private sameStones({ claim, side, sketch, fresh, stone: own }: Shown, scope: Scope): Set<number> {
    const same = new Set(scope.withScans());
    const references = claim[side].references.filter((name) => side === 'rough' || !this.isShared(name, claim));
    for (const reference of references) {
      for (const [stone, values] of scope.withReference(reference)) {
        if (side === 'polish' || alike(sketch, values, SAME_ROUGH.withReference)) same.add(stone);
      }
    }
    if (!sketch) return same;
    const named = references.length > 0 || [own, ...same].some((stone) => this.isNamed(stone));
    const fits = this.oneReference(named);
    if (fresh) for (const stone of this.nearIn(scope, claim, side, sketch, fits)) same.add(stone);
    if (side === 'polish' || [...same].some((stone) => this.groups.of(stone) !== this.groups.of(own))) return same;
    for (const [stone, values] of scope.roughsOfPolish()) {
      if (alike(sketch, values, SAME_ROUGH.cosine) && fits(stone)) same.add(stone);
    }
    return same;
  }

  private sketchIn(model: number, digest: number): Sketch | undefined {
    const row = this.storedSketch(model, digest) as { low: number; high: number; vector: Uint8Array } | undefined;
    return row && { low: row.low, high: row.high, values: valuesOf(row.vector) };
  }

  /** True if the key has sent roughs under the reference that are not alike at all, the claim's own among them. */
  private isShared(reference: string, { key_id, rough, model }: ScoredClaim): boolean {
    const sent = this.statements.ownWithReference.all(reference, 'rough', key_id) as Sent[];
    if (new Set(sent.map(([stone]) => stone)).size > 1) return true;
    const sketch = rough.references.includes(reference) ? this.sketchIn(model, rough.digest) : undefined;
    return (
      sketch !== undefined &&
      sent.some(([, values]) => values !== null && !alike(sketch, values, SAME_ROUGH.withReference))
    );
  }

  /** Asked of one stone after another that is alike: lets through those without a reference, and one with, if there is none yet. */
  private oneReference(named: boolean): (stone: number) => boolean {
    let taken: number | undefined;
    return (stone) => {
      if (!this.isNamed(stone)) return true;
      const group = this.groups.of(stone);
      if (named && group !== taken) return false;
      [named, taken] = [true, group];
      return true;
    };
  }

  /** True if the stone, or one that it was found to be, bears a reference. */
  private isNamed(stone: number): boolean {
    return this.statements.named.get(this.groups.of(stone)) !== undefined;
  }

  /** Stones of the latest sets that the sketch is near to. @param fits asked last, of a stone that is near */
  private nearIn(
    scope: Scope,
    claim: ScoredClaim,
    side: Side,
    sketch: Sketch,
    fits: (stone: number) => boolean,
  ): Set<number> {
    const window = this.windows.of(scope.window, scope.latest);
    const found = window.near(sketch, NEAR.copy, fits);
    if (side === 'rough') return found;
    const mayBeOne = (stone: number) => !found.has(stone) && this.mayBeOne(claim, stone) && fits(stone);
    for (const stone of window.near(sketch, NEAR.rescan, mayBeOne)) found.add(stone);
    return found;
  }

  /** True if two polishes that merely resemble each other may be one: not if each was plausibly cut from its own rough. */
  private mayBeOne({ probability }: ScoredClaim, stone: number): boolean {
    if (probability < NEAR.plausible) return true;
    const [most] = (this.statements.mostProbable.get(stone) as [number] | undefined) ?? [0];
    return most < NEAR.plausible;
  }

  private send({ claim, side, stone }: Shown): number {
    const { key_id, production, model } = claim;
    this.statements.send.run(key_id, production ? 1 : 0, side, model, claim[side].digest, stone);
    return (this.statements.lastSent.get() as [number])[0];
  }
}

const first = (rows: unknown[]) => (rows as [number][]).map(([value]) => value);

const alike = (sketch: Sketch | undefined, values: Uint8Array | null, cosine: number): boolean =>
  sketch !== undefined && values !== null && similarity(sketch.values, valuesOf(values)) >= cosine;

/** Few sets have a digest. By themselves SQLite's plans go through all sets of the key, which may be a hundred thousand. */
const BY_DIGEST = 'stone_sets INDEXED BY stone_sets_by_digest WHERE digest = ?1';

function prepare(tables: Tables) {
  const raw = (sql: string) => tables.prepare(sql).raw();
  const withScans = (owner: string) => raw(`SELECT DISTINCT stone_id FROM ${BY_DIGEST} AND side = ?2 AND ${owner}`);
  const withReference = (owner: string) =>
    raw(
      `SELECT r.stone_id, (SELECT v.vector FROM stone_sets s JOIN sets v USING (model_id, digest) WHERE s.seq = r.seq)
       FROM stone_references r WHERE reference = ?1 AND side = ?2 AND ${owner}
       ORDER BY r.stone_id DESC LIMIT ${SAME_ROUGH.latest}`,
    );
  const latest = (condition: string) =>
    raw(
      `SELECT s.stone_id, v.low, v.high, v.vector FROM stone_sets s CROSS JOIN sets v USING (model_id, digest)
       WHERE ${condition} ORDER BY s.seq DESC LIMIT ${NEAR.copy.latest}`,
    );
  return {
    sentWith: raw(`SELECT seq FROM ${BY_DIGEST} AND key_id = ?2 AND side = ?3 AND model_id = ?4`),
    ownWithScans: withScans(OWN),
    othersWithScans: withScans(OTHERS),
    ownWithReference: withReference(OWN),
    othersWithReference: withReference(OTHERS),
    latestOfKey: latest('s.key_id = ? AND s.side = ? AND s.model_id = ?'),
    latestOfPopulation: latest('s.production AND s.side = ? AND s.model_id = ?'),
    roughsOfPolish: raw(
      `SELECT s.stone_id, (SELECT v.vector FROM sets v WHERE v.model_id = s.model_id AND v.digest = s.digest) FROM stone_sets s
       WHERE s.stone_id IN (SELECT DISTINCT rough_id FROM claims WHERE polish_id = ?)
       ORDER BY s.seq DESC LIMIT ${SAME_ROUGH.latest}`,
    ),
    roughsOfGroup: raw(
      `SELECT c.rough_id, v.vector FROM groups g JOIN claims c ON c.position IN (SELECT position FROM claims
       WHERE polish_id = g.stone_id ORDER BY position DESC LIMIT ${SAME_ROUGH.latest})
       JOIN sets v ON v.model_id = ?3 AND v.digest = c.rough WHERE g.group_id = ?2 AND g.stone_id <> ?1`,
    ),
    named: raw(`SELECT 1 FROM stone_references WHERE stone_id IN ${membersOf('?1')} LIMIT 1`),
    otherKey: raw("SELECT 1 FROM keys WHERE population = ? AND kind = 'production' AND id <> ? LIMIT 1"),
    mostProbable: raw('SELECT probability FROM polishes WHERE polish_id = ?'),
    send: tables.prepare(
      'INSERT INTO stone_sets (key_id, production, side, model_id, digest, stone_id) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    lastSent: raw('SELECT last_insert_rowid()'),
    refer: tables.prepare('INSERT INTO stone_references VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING'),
    doubtReference: tables.prepare(
      `INSERT OR IGNORE INTO doubtful_references SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM stone_references
       WHERE key_id = ?1 AND side = 'rough' AND reference = ?2 AND stone_id <> ?3)`,
    ),
    doubtStone: tables.prepare(
      `INSERT OR IGNORE INTO doubtful_stones SELECT ?1 WHERE (SELECT min(reference) <> max(reference) FROM stone_references
       WHERE stone_id = ?1 AND side = 'rough')`,
    ),
    renameSets: tables.prepare('UPDATE stone_sets SET stone_id = ? WHERE stone_id = ?'),
    renameReferences: tables.prepare('UPDATE OR REPLACE stone_references SET stone_id = ? WHERE stone_id = ?'),
  };
}
