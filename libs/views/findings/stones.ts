/** The stones of a key: which of them a side of a claim shows, found by the rule of identity or new. */
import type { Connection } from '../projection.js';
import type { Rows, Writer } from '../rows.js';
import type { Counters } from './counters.js';
import { type Identity, newStone, type ScoredClaim, type Sent, type Shown, type Side } from './identity.js';
import { NEAR, SAME_ROUGH } from './nearness.js';
import { Recent } from './recent.js';
import { bytesOf, type ScanSets, sketchIn } from './sets.js';
import type { NearWindow, NearWindows } from './windows.js';

/** The facts about a claim's side once its stone is known. */
export interface Identified extends Shown {
  stone: number;
  model: number;
  /** The key had not sent the set before. */
  fresh: boolean;
  /** No key had. */
  first: boolean;
}

/** Sets whose stone is kept in memory. */
const KEPT = 16_384;

type WindowRow = [stone: number, low: number, high: number, vector: Uint8Array];
/** A set that a stone was sent with: the later, the higher its number. */
interface Sending {
  seq: number;
  set: number;
  stone: number;
}

interface Parts {
  counters: Counters;
  windows: NearWindows;
  sets: ScanSets;
  identity: Identity;
  /** Two stones of a key have turned out to be one. */
  merge(side: Side, from: number, into: number): void;
}

export class KeyStones {
  private readonly stoneSets: Rows;
  private readonly references: Rows;
  private readonly bySet;
  private readonly byReference;
  private readonly anyWithReference;
  private readonly latestOfKey;
  private readonly latestOfStone;
  /** The stone of a set by set, side and key. Rows on their way are found here alone. */
  private readonly stones = new Map<string, number>();
  /** The latest sets of stones, latest first. */
  private readonly sentOf = new Recent<number, Sending[]>(KEPT);
  /** The key that used a reference last: rows of another one are flushed before its own, and found in the table. */
  private readonly lastUser = new Map<string, string>();
  private seq: number;

  constructor(
    db: Connection,
    private readonly writer: Writer,
    private readonly parts: Parts,
  ) {
    this.stoneSets = writer.into('stone_sets');
    this.references = writer.into('stone_references', 'ON CONFLICT DO NOTHING');
    const raw = (sql: string) => db.prepare(sql).raw();
    this.bySet = raw('SELECT stone_id FROM stone_sets WHERE set_id = ? AND key_id = ? AND side = ? LIMIT 1');
    this.byReference = raw(
      `SELECT stone_id, set_id FROM stone_references WHERE key_id = ? AND side = ? AND reference = ?
       ORDER BY stone_id DESC LIMIT ${SAME_ROUGH.latest}`,
    );
    this.anyWithReference = raw('SELECT 1 FROM stone_references WHERE reference = ? AND side = ? LIMIT 1');
    this.latestOfKey = raw(
      `SELECT l.stone_id, s.low, s.high, s.vector FROM (SELECT seq, stone_id, set_id FROM stone_sets
       WHERE key_id = ? AND side = ? AND model_id = ? ORDER BY seq DESC LIMIT ${NEAR.copy.latest}) l
       JOIN sets s ON s.id = l.set_id WHERE s.vector IS NOT NULL ORDER BY l.seq`,
    );
    this.latestOfStone = raw(
      `SELECT seq, set_id FROM stone_sets WHERE stone_id = ? ORDER BY seq DESC LIMIT ${SAME_ROUGH.latest}`,
    );
    [this.seq] = raw('SELECT coalesce(max(seq), 0) FROM stone_sets').get() as [number];
  }

  /** @param polish the polish that a rough is claimed for */
  identify(side: Side, claim: ScoredClaim, { confirmed, polish }: { confirmed: boolean; polish?: number }): Identified {
    const { sets, identity, merge } = this.parts;
    const { key_id } = claim;
    const { digest, references } = claim[side];
    const own = newStone(claim, side);
    const model = sets.models.of(claim.population, claim.model);
    const { set, waiting, first } = sets.claimed(model, digest, own);
    const before = first ? undefined : this.stoneOf(set.id, key_id, side, waiting);
    const fresh = before === undefined;
    const used = references.filter((name) => this.wasUsed(name, side));
    const shown: Shown = { side, set, sketch: sketchIn(set), used, confirmed };
    let window: NearWindow | undefined;
    const same = identity.sameStones(shown, {
      withScans: () => [before ?? this.underOther(model, digest, key_id, side) ?? []].flat(),
      withReference: (name) => this.withReference(name, key_id, side),
      window: () => {
        if (fresh) window = this.windowOf(key_id, side, model);
        return window;
      },
      roughsOfPolish: () =>
        polish === undefined || polish === newStone(claim, 'polish') ? [] : this.roughsOfPolish(polish),
      nameOf: (stone) => stone,
    });
    const stone = same.size > 0 ? Math.min(...same) : own;
    for (const other of same) if (other !== stone) merge(side, other, stone);
    if (same.size > 1) {
      this.forgetStones();
      for (const other of same) this.sentOf.delete(other);
    }
    const identified = { ...shown, stone, model, fresh, first };
    if (fresh) this.send(identified, claim, stone === own);
    if (shown.sketch) window?.add(stone, shown.sketch);
    for (const name of references) this.refer(name, identified, key_id);
    return identified;
  }

  private wasUsed(name: string, side: Side): boolean {
    return this.lastUser.has(`${side} ${name}`) || this.anyWithReference.get(name, side) !== undefined;
  }

  private withReference(name: string, key: string, side: Side): Sent[] {
    if (this.references.waiting(`${key} ${side} ${name}`)) this.references.flush();
    return this.byReference.all(key, side, name) as [number, number][];
  }

  private windowOf(key: string, side: Side, model: number): NearWindow {
    return this.parts.windows.of(`${key} ${side} ${model}`, (window) => {
      this.writer.flush();
      for (const [stone, low, high, vector] of this.latestOfKey.all(key, side, model) as WindowRow[]) {
        window.add(stone, { low, high, values: bytesOf(vector) });
      }
    });
  }

  /** The sets that a polish's roughs were sent with, the latest ones. */
  private roughsOfPolish(polish: number): Sent[] {
    const sent: Sending[] = [];
    for (const rough of this.parts.counters.roughsOf(polish).keys()) {
      sent.push(...this.latestSets(rough));
      if (sent.length > 2 * SAME_ROUGH.latest) keepLatest(sent);
    }
    keepLatest(sent);
    return sent.map(({ stone, set }) => [stone, set]);
  }

  private latestSets(stone: number): Sending[] {
    return this.sentOf.of(stone, () => {
      if (this.stoneSets.onTheirWay.some(({ stone_id }) => stone_id === stone)) this.stoneSets.flush();
      return (this.latestOfStone.all(stone) as [number, number][]).map(([seq, set]) => ({ seq, set, stone }));
    });
  }

  /** The stone that another set of the same scans belongs to. */
  private underOther(model: number, digest: string, key: string, side: Side): number | undefined {
    for (const { set, waiting } of this.parts.sets.others(model, digest)) {
      const stone = this.stoneOf(set.id, key, side, waiting);
      if (stone !== undefined) return stone;
    }
    return undefined;
  }

  /** The stone that a set of the key belongs to. @param waiting banked since the last flush */
  private stoneOf(set: number, key: string, side: Side, waiting: boolean): number | undefined {
    const name = `${set} ${side} ${key}`;
    const kept = this.stones.get(name);
    if (kept !== undefined || waiting) return kept;
    const stone = (this.bySet.get(set, key, side) as [number] | undefined)?.[0];
    if (stone !== undefined) this.keepStone(name, stone);
    return stone;
  }

  private keepStone(name: string, stone: number): void {
    if (this.stones.size >= KEPT) this.forgetStones();
    this.stones.set(name, stone);
  }

  private forgetStones(): void {
    this.writer.flush();
    this.stones.clear();
  }

  private send({ side, stone, model, set: { id } }: Identified, { key_id }: ScoredClaim, isNew: boolean): void {
    this.keepStone(`${id} ${side} ${key_id}`, stone);
    // One on its way of the same set is another key's: at most this one is, so that what others hold is in the table.
    if (this.stoneSets.waiting(`${id} ${side}`)) this.stoneSets.flush();
    const seq = ++this.seq;
    this.stoneSets.add({ seq, key_id, side, model_id: model, stone_id: stone, set_id: id }, `${id} ${side}`);
    const sent = isNew ? [] : this.sentOf.get(stone);
    if (side === 'rough' && sent)
      this.sentOf.put(stone, [{ seq, set: id, stone }, ...sent.slice(0, SAME_ROUGH.latest - 1)]);
  }

  private refer(name: string, { side, stone, set }: Identified, key_id: string): void {
    const users = `${side} ${name}`;
    if (this.lastUser.size >= KEPT || (this.lastUser.get(users) ?? key_id) !== key_id) {
      this.references.flush();
      this.lastUser.clear();
    }
    this.lastUser.set(users, key_id);
    const row = { key_id, side, reference: name, stone_id: stone, set_id: set.id };
    this.references.add(row, `${key_id} ${side} ${name}`);
  }
}

function keepLatest(sent: Sending[]): void {
  sent.sort((a, b) => b.seq - a.seq);
  if (sent.length > SAME_ROUGH.latest) sent.length = SAME_ROUGH.latest;
}
