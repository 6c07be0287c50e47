/** Which stone of its key a scan set shows: known by its digest, its reference, or a nearly identical vector. */
import { ModelIds } from '../model-ids.js';
import type { Connection } from '../projection.js';
import type { Writer } from '../rows.js';
import type { Counters } from './counters.js';
import { NEAR, SAME_ROUGH, type Sketch, similarity } from './nearness.js';
import { Recent } from './recent.js';
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
  /** Nobody had. */
  first: boolean;
  /** References of the claim's side that were used before, by whichever key. */
  used: string[];
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
/** Sets that are kept in memory, 1 kB each with vectors of three encoders. */
const SETS_KEPT = 8192;

/**
 * Finds, or makes, the stone that the side of a claim shows; merges stones that it shows to be one. A polish reference
 * suffices by itself. A rough's does not, or a panel of roughs could hide under one reference: the vectors must be alike.
 * A rough is also compared with those claimed for the same polish before, because a stone that is sent again is measured again.
 */
export function identities(
  db: Connection,
  writer: Writer,
  { counters, windows }: { counters: Counters; windows: NearWindows },
) {
  const sets = writer.into('sets');
  const setOf = db.prepare('SELECT * FROM sets WHERE model_id = ? AND digest = ?');
  const vectorOf = db.prepare('SELECT vector FROM sets WHERE id = ?').raw();
  const bySet = db
    .prepare('SELECT stone_id FROM stone_sets WHERE set_id = ? AND key_id = ? AND side = ? LIMIT 1')
    .raw();
  const references = writer.into('stone_references', 'ON CONFLICT DO NOTHING');
  const anyWith = db.prepare('SELECT 1 FROM stone_references WHERE reference = ? AND side = ? LIMIT 1').raw();
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
  const latestOf = db
    .prepare(`SELECT seq, set_id FROM stone_sets WHERE stone_id = ? ORDER BY seq DESC LIMIT ${SAME_ROUGH.latest}`)
    .raw();
  const stoneSets = writer.into('stone_sets');
  const models = new ModelIds(db);
  /** Digests of sets that were scored without having been banked, which the service does not do; undefined where many were. */
  let unbanked: Set<string> | undefined = new Set(
    (db.prepare(`SELECT digest FROM sets WHERE model_id < 0 LIMIT ${STONES_KEPT}`).raw().all() as [string][]).flat(),
  );
  if (unbanked.size === STONES_KEPT) unbanked = undefined;
  const mayBeUnbanked = (digest: string) => unbanked === undefined || unbanked.has(digest);
  /** Sets that were banked and have not been claimed. */
  const unclaimed = new Set<number>();
  let [seq] = db.prepare('SELECT coalesce(max(seq), 0) FROM stone_sets').raw().get() as [number];
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

  /** The latest sets of stones, latest first. */
  const sentOf = new Recent<number, Sent[]>(STONES_KEPT);
  const latestSets = (stone: number): Sent[] =>
    sentOf.of(stone, () => {
      if (stoneSets.onTheirWay.some(({ stone_id }) => stone_id === stone)) stoneSets.flush();
      return (latestOf.all(stone) as [number, number][]).map(([seq, set]) => ({ seq, set, stone }));
    });
  /** The sets that a polish's roughs were sent with, the latest ones. */
  const latestOfPolish = (polish: number): Sent[] => {
    const sent: Sent[] = [];
    for (const rough of counters.roughsOf(polish).keys()) {
      sent.push(...latestSets(rough));
      if (sent.length > 2 * SAME_ROUGH.latest) keepLatest(sent);
    }
    keepLatest(sent);
    return sent;
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
    return (counters.of(stone)?.confirmed ?? 0) === 0;
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
    const id = 2 * position;
    keepSet({ id, model_id, digest, low, high, vector: Buffer.from(values.buffer) });
    if (unclaimed.size >= STONES_KEPT) unclaimed.clear();
    unclaimed.add(id);
  };

  const setIn = (model: number, digest: string): { set?: SetRow; fresh: boolean } => {
    const name = `${model} ${digest}`;
    const waiting = sets.waiting(name) as SetRow | undefined;
    return {
      set: waiting ?? setsByName.of(name, () => setOf.get(model, digest) as SetRow | undefined),
      fresh: !!waiting,
    };
  };
  /** Other numbers under which sets of the same scans may stand. */
  const otherNumbers = (own: number, digest: string): number[] => {
    const others = models.others(own);
    return mayBeUnbanked(digest) ? [...others, ...[own, ...others].map((id) => -id)] : others;
  };
  /** The stone that another set of the same scans belongs to: of another model, or from before it was banked. */
  const underOther = (own: number, digest: string, key: string, side: Side): number | undefined => {
    for (const model of otherNumbers(own, digest)) {
      const { set, fresh } = setIn(model, digest);
      const stone = set && stoneOf(set.id, key, side, fresh);
      if (stone !== undefined) return stone;
    }
    return undefined;
  };
  const addUnbanked = (set: SetRow): SetRow => {
    keepSet(set);
    unbanked?.add(set.digest);
    if (unbanked?.size === STONES_KEPT) unbanked = undefined;
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
    if (!set && mayBeUnbanked(digest)) ({ set, fresh } = setIn(-model, digest));
    set ??= addUnbanked({ id: own, model_id: -model, digest, low: null, high: null, vector: null });
    const { id, low, high, vector } = set;
    const sketch = low !== null && high !== null && vector ? { low, high, values: bytesOf(vector) } : undefined;
    const same = new Set<number>();
    const first = unclaimed.delete(id);
    const before = first ? undefined : stoneOf(id, key_id, side, fresh);
    const known = before ?? underOther(model, digest, key_id, side);
    if (known !== undefined) same.add(known);
    const used = names.filter((name) => lastUser.has(`${side} ${name}`) || anyWith.get(name, side) !== undefined);
    for (const name of used) {
      if (references.waiting(`${key_id} ${side} ${name}`)) references.flush();
      for (const [stone, other] of byReference.all(key_id, side, name) as [number, number][]) {
        if (side === 'polish' || near(set, other, SAME_ROUGH.withReference)) same.add(stone);
      }
    }
    const window = sketch && before === undefined ? windowOf(key_id, side, model) : undefined;
    if (sketch && window) for (const stone of nearIn(window, sketch, side, confirmed)) same.add(stone);
    if (sketch && same.size === 0 && polish !== undefined && polish !== newStone(claim, 'polish')) {
      for (const { stone, set: other } of latestOfPolish(polish))
        if (near(set, other, SAME_ROUGH.cosine)) same.add(stone);
    }
    const stone = same.size > 0 ? Math.min(...same) : own;
    for (const other of same) if (other !== stone) merge(side, other, stone);
    if (same.size > 1) {
      forgetStones();
      for (const other of same) sentOf.delete(other);
    }
    if (before === undefined) {
      keepStone(`${id} ${side} ${key_id}`, stone);
      // One on its way of the same set is another key's: at most this one is, so that what others hold is in the table.
      if (stoneSets.waiting(`${id} ${side}`)) stoneSets.flush();
      stoneSets.add({ seq: ++seq, key_id, side, model_id: model, stone_id: stone, set_id: id }, `${id} ${side}`);
      const sent = stone === own ? [] : sentOf.get(stone);
      if (side === 'rough' && sent)
        sentOf.put(stone, [{ seq, set: id, stone }, ...sent.slice(0, SAME_ROUGH.latest - 1)]);
      if (sketch) window?.add(stone, sketch);
    }
    for (const name of names) {
      const users = `${side} ${name}`;
      if (lastUser.size >= STONES_KEPT) flushReferences();
      if ((lastUser.get(users) ?? key_id) !== key_id) flushReferences();
      lastUser.set(users, key_id);
      references.add({ key_id, side, reference: name, stone_id: stone, set_id: id }, `${key_id} ${side} ${name}`);
    }
    return { stone, set, sketch, model, fresh: before === undefined, first, used };
  };

  /** Ids of the other sets of these scans, under any model of the population. */
  const otherSetsOf = (own: number, digest: string): number[] =>
    otherNumbers(own, digest).flatMap((model) => setIn(model, digest).set?.id ?? []);
  return { alike, bank, identify, near, nearIn, otherSetsOf, setIn };
}

/** A set that a stone was sent with. */
interface Sent {
  seq: number;
  set: number;
  stone: number;
}

function keepLatest(sent: Sent[]): void {
  sent.sort((a, b) => b.seq - a.seq);
  if (sent.length > SAME_ROUGH.latest) sent.length = SAME_ROUGH.latest;
}

type WindowRow = [stone: number, low: number, high: number, vector: Uint8Array];

export const bytesOf = (blob: Uint8Array): Int8Array => new Int8Array(blob.buffer, blob.byteOffset, blob.byteLength);
