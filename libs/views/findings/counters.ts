/** Counters of each polish, and which roughs were claimed for it: tables, with what was used lately in memory. */
import type { Connection } from '../projection.js';
import type { Rows, Writer } from '../rows.js';
import { Recent } from './recent.js';

/** A group of a population's polishes has its counters under the negative of its name. */
export const COUNTER_TABLES = `
  CREATE TABLE polishes (
    id INTEGER PRIMARY KEY, key_id TEXT NOT NULL, claim_id TEXT NOT NULL,
    roughs INTEGER NOT NULL, confirmed INTEGER NOT NULL, claims INTEGER NOT NULL, confirmed_claims INTEGER NOT NULL
  );
  CREATE TABLE pairs (
    polish_id INTEGER NOT NULL, rough_id INTEGER NOT NULL, confirmed INTEGER NOT NULL, PRIMARY KEY (polish_id, rough_id)
  ) WITHOUT ROWID`;

/** A row of `polishes`. */
export type PolishRow = {
  id: number;
  key_id: string;
  claim_id: string;
  roughs: number;
  confirmed: number;
  claims: number;
  confirmed_claims: number;
};

/** Polishes that are kept in memory. */
const KEPT = 8192;

export class Counters {
  private readonly polishes: Rows;
  private readonly pairs: Rows;
  private readonly polishById;
  private readonly pairsById;
  /** Rows on their way are the same objects. */
  private readonly kept = new Recent<number, PolishRow>(KEPT);
  /** By polish, whether each of its roughs was confirmed. */
  private readonly roughs = new Recent<number, Map<number, boolean>>(KEPT);

  constructor(db: Connection, writer: Writer) {
    this.polishes = writer.into(
      'polishes',
      `ON CONFLICT (id) DO UPDATE SET roughs = excluded.roughs, confirmed = excluded.confirmed, claims = excluded.claims,
       confirmed_claims = excluded.confirmed_claims`,
    );
    this.pairs = writer.into('pairs', 'ON CONFLICT (polish_id, rough_id) DO UPDATE SET confirmed = excluded.confirmed');
    this.polishById = db.prepare('SELECT * FROM polishes WHERE id = ?');
    this.pairsById = db.prepare('SELECT rough_id, confirmed FROM pairs WHERE polish_id = ?').raw();
  }

  of(polish: number): PolishRow | undefined {
    return this.kept.of(
      polish,
      () => (this.polishes.waiting(String(polish)) ?? this.polishById.get(polish)) as PolishRow | undefined,
    );
  }

  /** The roughs that were claimed for a polish, and whether they were confirmed. */
  roughsOf(polish: number): ReadonlyMap<number, boolean> {
    return this.roughs.of(polish, () => {
      if (this.pairs.onTheirWay.some(({ polish_id }) => polish_id === polish)) this.pairs.flush();
      const rows = this.pairsById.all(polish) as [number, number][];
      return new Map(rows.map(([rough, confirmed]) => [rough, confirmed === 1]));
    });
  }

  /** A polish's first claim. */
  begin(id: number, { key_id, claim_id }: { key_id: string; claim_id: string }, rough: number, confirmed: boolean) {
    const one = confirmed ? 1 : 0;
    const row: PolishRow = { id, key_id, claim_id, roughs: 1, confirmed: one, claims: 1, confirmed_claims: one };
    this.polishes.add(row, String(id));
    this.kept.put(id, row);
    this.pairs.add({ polish_id: id, rough_id: rough, confirmed: one });
    this.roughs.put(id, new Map([[rough, confirmed]]));
    return row;
  }

  /** One claim more, on a polish that is known. */
  add(id: number, rough: number, confirmed: boolean): PolishRow {
    const polish = this.of(id) as PolishRow;
    this.pair(polish, rough, confirmed);
    polish.claims++;
    if (confirmed) polish.confirmed_claims++;
    this.changed(polish);
    return polish;
  }

  /** A group's counters get what stands behind a polish or another group. @param nameOf a rough, in a group's counters */
  absorb(group: number, part: number, nameOf: (rough: number) => number): void {
    let row = this.of(group);
    if (!row) {
      row = { id: group, key_id: '', claim_id: '', roughs: 0, confirmed: 0, claims: 0, confirmed_claims: 0 };
      this.kept.put(group, row);
    }
    const counted = this.of(part);
    if (counted) {
      for (const [rough, confirmed] of this.roughsOf(part)) this.pair(row, nameOf(rough), confirmed);
      row.claims += counted.claims;
      row.confirmed_claims += counted.confirmed_claims;
    }
    this.changed(row);
  }

  private pair(polish: PolishRow, rough: number, confirmed: boolean): void {
    const roughs = this.roughsOf(polish.id) as Map<number, boolean>;
    const before = roughs.get(rough);
    const passes = confirmed && !before;
    if (before !== undefined && !passes) return;
    this.pairs.add({ polish_id: polish.id, rough_id: rough, confirmed: confirmed ? 1 : 0 });
    roughs.set(rough, confirmed);
    if (before === undefined) polish.roughs++;
    if (passes) polish.confirmed++;
  }

  private changed(polish: PolishRow): void {
    if (!this.polishes.waiting(String(polish.id))) this.polishes.add(polish, String(polish.id));
  }

  flush(): void {
    this.polishes.flush();
    this.pairs.flush();
  }

  /** They have been changed in their tables. */
  forget(polish: number): void {
    this.kept.delete(polish);
    this.roughs.delete(polish);
  }
}
