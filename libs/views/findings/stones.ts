/** Which stone of its key a scan set shows: known by its digest, its reference, or a nearly identical vector. */
import type { Connection } from '../projection.js';
import { NEAR, NearWindow, SAME_ROUGH, similarity } from './nearness.js';

/** A claim as it stands when its verdict comes. */
export interface ScoredClaim {
  position: number;
  claim_id: string;
  key_id: string;
  population: string;
  model: string;
  rough: string;
  polish: string;
  rough_references: string;
  polish_references: string;
  polish_id: number | null;
}

type Side = 'rough' | 'polish';
type Merge = (side: Side, from: number, into: number) => void;
type SetRow = [id: number, low: number, high: number, vector: Buffer];

/** Keys whose windows are kept in memory; others are read again when they are needed. */
const WINDOWS_KEPT = 256;
/** Sets whose stone is kept in memory. */
const STONES_KEPT = 16_384;

/**
 * Finds, or makes, the stone that the side of a claim shows; merges stones that it shows to be one. A polish reference
 * suffices by itself. A rough's does not, or a panel of roughs could hide under one reference: the vectors must be alike.
 * A rough is also compared with those claimed for the same polish before, as a stone that is sent again is measured anew.
 */
export function identities(db: Connection) {
  const setOf = db
    .prepare('SELECT id, low, high, vector FROM sets WHERE population = ? AND model = ? AND digest = ?')
    .raw();
  const vectorOf = db.prepare('SELECT vector FROM sets WHERE id = ?').raw();
  const byDigest = db
    .prepare('SELECT stone_id, max(model = ?) FROM stone_sets WHERE key_id = ? AND side = ? AND digest = ?')
    .raw();
  const bySet = db
    .prepare('SELECT stone_id FROM stone_sets WHERE set_id = ? AND key_id = ? AND side = ? LIMIT 1')
    .raw();
  const byReference = db
    .prepare(
      `SELECT stone_id, set_id FROM stone_references WHERE key_id = ? AND side = ? AND reference = ?
       ORDER BY stone_id DESC LIMIT ${SAME_ROUGH.latest}`,
    )
    .raw();
  const latest = db
    .prepare(
      `SELECT s.id, s.low, s.high FROM (SELECT seq, set_id FROM stone_sets WHERE key_id = ? AND side = ? AND model = ?
       AND set_id IS NOT NULL ORDER BY seq DESC LIMIT ${NEAR.copy.latest}) l JOIN sets s ON s.id = l.set_id ORDER BY l.seq`,
    )
    .raw();
  const ofPolish = db
    .prepare(
      `SELECT p.rough_id, s.set_id FROM pairs p JOIN stone_sets s ON s.stone_id = p.rough_id
       WHERE p.polish_id = ? ORDER BY s.seq DESC LIMIT ${SAME_ROUGH.latest}`,
    )
    .raw();
  const confirmedOf = db.prepare('SELECT confirmed FROM polishes WHERE id = ?').raw();
  const addSet = db.prepare(
    'INSERT INTO stone_sets (key_id, side, digest, model, stone_id, set_id) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const addReference = db.prepare('INSERT OR IGNORE INTO stone_references VALUES (?, ?, ?, ?, ?)');
  const windows = new Map<string, NearWindow>();
  const stones = new Map<string, number>();

  const windowOf = (key: string, side: Side, model: string): NearWindow => {
    const name = `${key} ${side} ${model}`;
    let window = windows.get(name);
    if (!window) {
      window = new NearWindow();
      for (const [id, low, high] of latest.all(key, side, model) as [number, number, number][]) {
        window.add(id, { low, high });
      }
    }
    windows.delete(name);
    windows.set(name, window);
    if (windows.size > WINDOWS_KEPT) windows.delete(windows.keys().next().value as string);
    return window;
  };
  const near = (set: SetRow, other: number, least: number): boolean => {
    const [vector] = (vectorOf.get(other) as [Buffer] | undefined) ?? [];
    return vector !== undefined && similarity(bytesOf(set[3]), bytesOf(vector)) >= least;
  };

  /** The stone that a set of a window belongs to, kept until stones are merged. */
  const stoneOf = (set: number, key: string, side: Side): number | undefined => {
    const name = `${set} ${side} ${key}`;
    let stone = stones.get(name);
    if (stone === undefined) {
      stone = (bySet.get(set, key, side) as [number] | undefined)?.[0];
      if (stones.size >= STONES_KEPT) stones.clear();
      if (stone !== undefined) stones.set(name, stone);
    }
    return stone;
  };

  /** Adds the stones of the key's latest sets that the set's vectors are near to; one already there needs no look. */
  const addNear = (
    same: Set<number>,
    set: SetRow,
    window: NearWindow,
    { key, side, confirmed }: { key: string; side: Side; confirmed: boolean },
  ): void => {
    const add = (bar: { cosine: number; latest: number; slack: number }, mayBe: (stone: number) => boolean) => {
      for (const other of window.candidates({ low: set[1], high: set[2] }, bar)) {
        const stone = stoneOf(other, key, side);
        if (stone === undefined || same.has(stone) || !mayBe(stone)) continue;
        if (near(set, other, bar.cosine)) same.add(stone);
      }
    };
    add(NEAR.copy, () => true);
    if (side === 'rough') return;
    add(NEAR.rescan, (stone) => {
      const [before] = (confirmedOf.get(stone) as [number] | undefined) ?? [0];
      return !(confirmed && before > 0);
    });
  };

  /** @param polish the polish it is claimed for, where the side is the rough; @param confirmed whether the claim is */
  return (
    side: Side,
    claim: ScoredClaim,
    { confirmed, polish, merge }: { confirmed: boolean; polish?: number; merge: Merge },
  ): number => {
    const { key_id, population, model } = claim;
    const digest = claim[side];
    const references = JSON.parse(claim[`${side}_references`]) as string[];
    const set = setOf.get(population, model, digest) as SetRow | undefined;
    const same = new Set<number>();
    const [known, ofModel] = byDigest.get(model, key_id, side, digest) as [number | null, number | null];
    if (known !== null) same.add(known);
    for (const reference of references) {
      for (const [stone, other] of byReference.all(key_id, side, reference) as [number, number | null][]) {
        if (side === 'polish' || (set && other !== null && near(set, other, SAME_ROUGH.withReference))) same.add(stone);
      }
    }
    const window = set && !ofModel ? windowOf(key_id, side, model) : undefined;
    if (set && window) addNear(same, set, window, { key: key_id, side, confirmed });
    if (set && polish !== undefined && same.size === 0) {
      for (const [stone, other] of ofPolish.all(polish) as [number, number | null][]) {
        if (other !== null && near(set, other, SAME_ROUGH.cosine)) same.add(stone);
      }
    }
    // Claims are scored once, so that their places make ids that no other stone has.
    const own = 2 * claim.position + (side === 'rough' ? 0 : 1);
    const stone = same.size > 0 ? Math.min(...same) : own;
    for (const other of same) if (other !== stone) merge(side, other, stone);
    if (same.size > 1) stones.clear();
    if (!ofModel) {
      addSet.run(key_id, side, digest, model, stone, set?.[0] ?? null);
      if (set) window?.add(set[0], { low: set[1], high: set[2] });
    }
    for (const reference of references) addReference.run(key_id, side, reference, stone, set?.[0] ?? null);
    return stone;
  };
}

const bytesOf = (blob: Buffer): Int8Array => new Int8Array(blob.buffer, blob.byteOffset, blob.byteLength);
