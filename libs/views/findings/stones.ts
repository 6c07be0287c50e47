/** Which stone of its key a scan set shows: known by its digest, its reference, or a nearly identical vector. */
import { ModelIds } from '../model-ids.js';
import type { Connection } from '../projection.js';
import type { Rows, Writer } from '../rows.js';
import { NEAR, SAME_ROUGH, type Sketch, similarity } from './nearness.js';
import type { NearWindow, NearWindows } from './windows.js';

/** A claim as it stands when its verdict comes. */
export interface ScoredClaim {
  position: number;
  claim_id: string;
  key_id: string;
  population: string;
  /** By a production key: what keys of a population do is looked at together. */
  production: boolean;
  model: string;
  rough: SetFacts;
  polish: SetFacts;
}
interface SetFacts {
  digest: string;
  references: string[];
}

export type Side = 'rough' | 'polish';
type Merge = (side: Side, from: number, into: number) => void;
/** What is known of a claim's side once its stone is. */
export interface Identified {
  stone: number;
  set: SetRow;
  sketch: Sketch | undefined;
  model: number;
  /** The key had not sent the set before. */
  fresh: boolean;
}
/** A scan set as it is in its table; without a sketch where it was scored and never banked. */
export type SetRow = {
  id: number;
  model_id: number;
  digest: string;
  low: number | null;
  high: number | null;
  vector: Uint8Array | null;
};

/** Claims are scored once, so that their places make ids that no other stone has. */
export const newStone = ({ position }: ScoredClaim, side: Side): number => 2 * position + (side === 'rough' ? 0 : 1);

/** Sets whose stone is kept in memory. */
const STONES_KEPT = 16_384;
/** Sets that are kept in memory, 1 kB each with vectors of three encoders: in twos, the newer half and the older one. */
const SETS_KEPT = 2048;

/** What was put or read lately: at most so many, none of them older than twice as many. */
class Recent<Key, Value> {
  private newer = new Map<Key, Value>();
  private older = new Map<Key, Value>();

  constructor(private readonly capacity: number) {}

  put(key: Key, value: Value): void {
    if (this.newer.size >= this.capacity / 2) {
      this.older = this.newer;
      this.newer = new Map();
    }
    this.newer.set(key, value);
  }

  /** Nothing is kept of what is not found. */
  of<Found extends Value | undefined>(key: Key, read: () => Found): Value | Found {
    const kept = this.newer.get(key);
    if (kept !== undefined) return kept;
    const found = this.older.get(key) ?? read();
    if (found !== undefined) this.put(key, found as Value);
    return found;
  }
}

/**
 * Finds, or makes, the stone that the side of a claim shows; merges stones that it shows to be one. A polish reference
 * suffices by itself. A rough's does not, or a panel of roughs could hide under one reference: the vectors must be alike.
 * A rough is also compared with those claimed for the same polish before, as a stone that is sent again is measured anew.
 */
export function identities(
  db: Connection,
  writer: Writer,
  { polishes, pairs, windows }: { polishes: Rows; pairs: Rows; windows: NearWindows },
) {
  const sets = writer.into('sets');
  const setOf = db.prepare('SELECT * FROM sets WHERE model_id = ? AND digest = ?');
  const vectorOf = db.prepare('SELECT vector FROM sets WHERE id = ?').raw();
  const bySet = db
    .prepare('SELECT stone_id FROM stone_sets WHERE set_id = ? AND key_id = ? AND side = ? LIMIT 1')
    .raw();
  const references = writer.into('stone_references', 'ON CONFLICT DO NOTHING');
  const byReference = db
    .prepare(
      `SELECT stone_id, set_id FROM stone_references WHERE key_id = ? AND side = ? AND reference = ?
       ORDER BY stone_id DESC LIMIT ${SAME_ROUGH.latest}`,
    )
    .raw();
  const latest = db
    .prepare(
      `SELECT l.stone_id, s.low, s.high, s.vector FROM (SELECT seq, stone_id, set_id FROM stone_sets
       WHERE key_id = ? AND side = ? AND model_id = ? ORDER BY seq DESC LIMIT ${NEAR.copy.latest}) l
       JOIN sets s ON s.id = l.set_id WHERE s.vector IS NOT NULL ORDER BY l.seq`,
    )
    .raw();
  const ofPolish = db
    .prepare(
      `SELECT p.rough_id, s.set_id FROM pairs p JOIN stone_sets s ON s.stone_id = p.rough_id
       WHERE p.polish_id = ? ORDER BY s.seq DESC LIMIT ${SAME_ROUGH.latest}`,
    )
    .raw();
  const confirmedOf = db.prepare('SELECT confirmed FROM polishes WHERE id = ?');
  const stoneSets = writer.into('stone_sets');
  const models = new ModelIds(db);
  /** Scored without having been banked, which the service does not do: such sets stand under the model's negative. */
  let unbanked = db.prepare('SELECT 1 FROM sets WHERE model_id < 0 LIMIT 1').raw().get() !== undefined;
  const stones = new Map<string, number>();
  /** A set's row never changes, and one that is not there yet is never looked for in vain before it comes through here. */
  const setsByName = new Recent<string, SetRow>(SETS_KEPT);
  const vectorsById = new Recent<number, Uint8Array | null>(SETS_KEPT);
  const keepSet = (set: SetRow) => {
    const name = `${set.model_id} ${set.digest}`;
    sets.add(set, name);
    setsByName.put(name, set);
    vectorsById.put(set.id, set.vector);
  };
  /** Which key used a reference last: rows of another one are flushed before its own, and found in the table. */
  const lastUser = new Map<string, string>();
  const flushReferences = () => {
    references.flush();
    lastUser.clear();
  };

  const windowOf = (key: string, side: Side, model: number): NearWindow =>
    windows.of(`${key} ${side} ${model}`, (window) => {
      writer.flush();
      for (const [stone, low, high, vector] of latest.all(key, side, model) as WindowRow[]) {
        window.add(stone, { low, high, values: bytesOf(vector) });
      }
    });
  const alike = (set: SetRow, vector: Uint8Array | null, min: number): boolean =>
    vector !== null && set.vector !== null && similarity(bytesOf(set.vector), bytesOf(vector)) >= min;
  /** Whether a set is as near to another one, known by its id, as that. */
  const near = (set: SetRow, other: number, min: number): boolean => {
    const vector = vectorsById.of(other, () => {
      const find = () => (vectorOf.get(other) as [Uint8Array | null] | undefined)?.[0];
      let found = find();
      if (found === undefined) {
        sets.flush();
        found = find();
      }
      return found ?? null;
    });
    return alike(set, vector, min);
  };
  /** Whether two polishes that merely resemble each other may be one: not where each was confirmed by its own rough. */
  const mayBeOne = (confirmed: boolean, stone: number): boolean => {
    if (!confirmed) return true;
    const row = (polishes.waiting(String(stone)) ?? confirmedOf.get(stone)) as { confirmed: number } | undefined;
    return (row?.confirmed ?? 0) === 0;
  };

  /** Rows on their way are found here alone. */
  const forgetStones = () => {
    writer.flush();
    stones.clear();
  };
  /** The stone that a set of the key belongs to. @param fresh banked since the last flush */
  const stoneOf = (set: number, key: string, side: Side, fresh = false): number | undefined => {
    const name = `${set} ${side} ${key}`;
    let stone = stones.get(name);
    if (stone === undefined && !fresh) {
      stone = (bySet.get(set, key, side) as [number] | undefined)?.[0];
      if (stone !== undefined) keepStone(name, stone);
    }
    return stone;
  };
  const keepStone = (name: string, stone: number) => {
    if (stones.size >= STONES_KEPT) forgetStones();
    stones.set(name, stone);
  };

  /** Stones of a window's sets that the sketch is near to. */
  const nearIn = (window: NearWindow, sketch: Sketch, side: Side, confirmed: boolean): Set<number> => {
    const found = new Set(window.near(sketch, NEAR.copy));
    if (side === 'rough') return found;
    for (const stone of new Set(window.near(sketch, NEAR.rescan))) {
      if (!found.has(stone) && mayBeOne(confirmed, stone)) found.add(stone);
    }
    return found;
  };

  const bank = (population: string, model: string, digest: string, { low, high, values }: Sketch, position: number) => {
    const model_id = models.of(population, model);
    // Twice the position, so that no stone's id is the same: a set that was never banked has its stone's.
    keepSet({ id: 2 * position, model_id, digest, low, high, vector: Buffer.from(values.buffer) });
  };

  const setIn = (model: number, digest: string): { set?: SetRow; fresh: boolean } => {
    const name = `${model} ${digest}`;
    const waiting = sets.waiting(name) as SetRow | undefined;
    return {
      set: waiting ?? setsByName.of(name, () => setOf.get(model, digest) as SetRow | undefined),
      fresh: !!waiting,
    };
  };
  /** Other numbers under which sets of the same population stand. */
  const otherNumbers = (own: number): number[] => {
    const others = models.others(own);
    return unbanked ? [...others, ...[own, ...others].map((id) => -id)] : others;
  };
  /** The stone that another set of the same scans belongs to: of another model, or from before it was banked. */
  const underOther = (own: number, digest: string, key: string, side: Side): number | undefined => {
    for (const model of otherNumbers(own)) {
      const { set, fresh } = setIn(model, digest);
      const stone = set && stoneOf(set.id, key, side, fresh);
      if (stone !== undefined) return stone;
    }
    return undefined;
  };
  const addUnbanked = (set: SetRow): SetRow => {
    keepSet(set);
    unbanked = true;
    return set;
  };

  /** @param polish the polish it is claimed for, where the side is the rough; @param confirmed whether the claim is */
  const identify = (
    side: Side,
    claim: ScoredClaim,
    { confirmed, polish, merge }: { confirmed: boolean; polish?: number; merge: Merge },
  ): Identified => {
    const { key_id } = claim;
    const { digest, references: names } = claim[side];
    const own = newStone(claim, side);
    const model = models.of(claim.population, claim.model);
    let { set, fresh } = setIn(model, digest);
    if (!set) ({ set, fresh } = setIn(-model, digest));
    set ??= addUnbanked({ id: own, model_id: -model, digest, low: null, high: null, vector: null });
    const { id, low, high, vector } = set;
    const sketch = low !== null && high !== null && vector ? { low, high, values: bytesOf(vector) } : undefined;
    const same = new Set<number>();
    const before = stoneOf(id, key_id, side, fresh);
    const known = before ?? underOther(model, digest, key_id, side);
    if (known !== undefined) same.add(known);
    for (const name of names) {
      if (references.waiting(`${key_id} ${side} ${name}`)) references.flush();
      if (!byReference.get(key_id, side, name)) continue;
      for (const [stone, other] of byReference.all(key_id, side, name) as [number, number][]) {
        if (side === 'polish' || near(set, other, SAME_ROUGH.withReference)) same.add(stone);
      }
    }
    const window = sketch && before === undefined ? windowOf(key_id, side, model) : undefined;
    if (sketch && window) for (const stone of nearIn(window, sketch, side, confirmed)) same.add(stone);
    if (sketch && same.size === 0 && polish !== undefined && polish !== newStone(claim, 'polish')) {
      pairs.flush();
      stoneSets.flush();
      for (const [stone, other] of ofPolish.all(polish) as [number, number][]) {
        if (near(set, other, SAME_ROUGH.cosine)) same.add(stone);
      }
    }
    const stone = same.size > 0 ? Math.min(...same) : own;
    for (const other of same) if (other !== stone) merge(side, other, stone);
    if (same.size > 1) forgetStones();
    if (before === undefined) {
      keepStone(`${id} ${side} ${key_id}`, stone);
      // One on its way of the same set is another key's: at most this one is, so that what others hold is in the table.
      if (stoneSets.waiting(`${id} ${side}`)) stoneSets.flush();
      stoneSets.add({ key_id, side, model_id: model, stone_id: stone, set_id: id }, `${id} ${side}`);
      if (sketch) window?.add(stone, sketch);
    }
    for (const name of names) {
      const users = `${side} ${name}`;
      if (lastUser.size >= STONES_KEPT) flushReferences();
      if ((lastUser.get(users) ?? key_id) !== key_id) flushReferences();
      lastUser.set(users, key_id);
      references.add({ key_id, side, reference: name, stone_id: stone, set_id: id }, `${key_id} ${side} ${name}`);
    }
    return { stone, set, sketch, model, fresh: before === undefined };
  };

  /** Ids of the sets of these scans under any model of the population. */
  const setsOf = (own: number, digest: string): number[] => {
    const models = [own, ...otherNumbers(own)];
    return models.flatMap((model) => setIn(model, digest).set?.id ?? []);
  };
  return { alike, bank, identify, near, nearIn, setIn, setsOf };
}

type WindowRow = [stone: number, low: number, high: number, vector: Uint8Array];

export const bytesOf = (blob: Uint8Array): Int8Array => new Int8Array(blob.buffer, blob.byteOffset, blob.byteLength);
