/** The table of findings, and the ids under which a finding was known before stones turned out to be one. */
import { FINDINGS, type Finding, type FindingReviewed } from '#domain';
import type { Connection } from '../projection.js';
import type { Writer } from '../rows.js';

/** Room for one finding of each kind at one position; a position is an event's, so that listings keep their order. */
const place = (position: number, kind: Finding) => position * FINDINGS.length + FINDINGS.indexOf(kind);

/** The first place after those of findings opened up to the position. */
export const placesUpTo = (position: number) => (position + 1) * FINDINGS.length;

/** The counts behind a finding. */
export interface Counted {
  roughs: number;
  claims: number;
  panel: number;
}

/** The columns of a finding that stands; the time is left as it is where it is null. */
type Standing = [roughs: number, claims: number, panel: number, lastAt: string | null, kind: Finding, root: number];
const LAST_AT = 3;
/** Findings whose ids are kept in memory. */
const KNOWN = 16_384;

/** A finding's `root` is its polish, or the group of polishes of a population. */
export class FindingRows {
  private readonly statements;
  /** Ids of findings looked for lately, or that there is none. */
  private readonly known = new Map<string, string | undefined>();
  /** Changes on their way: a finding that many claims change is written once. */
  private readonly standings = new Map<string, Standing>();

  constructor(db: Connection, writer: Writer) {
    this.statements = prepare(db);
    writer.beforeFlush(() => {
      for (const standing of this.standings.values()) this.statements.stand.run(...standing);
      this.standings.clear();
    });
  }

  idOf(kind: Finding, root: number): string | undefined {
    const key = `${kind} ${root}`;
    if (!this.known.has(key)) {
      if (this.known.size >= KNOWN) this.known.clear();
      this.known.set(key, this.find(kind, root)?.id);
    }
    return this.known.get(key);
  }

  /** @param key of the client @param population whose finding it is */
  open(
    kind: Finding,
    root: number,
    { id, key, population }: { id: string; key: string; population: string },
    { roughs, claims, panel }: Counted,
    position: number,
    at: string,
  ): void {
    this.statements.open.run(place(position, kind), kind, root, id, key, population, at, at, roughs, claims, panel);
    this.known.set(`${kind} ${root}`, id);
  }

  stand(kind: Finding, root: number, { roughs, claims, panel }: Counted, at: string | null): void {
    const key = `${kind} ${root}`;
    const last = at ?? this.standings.get(key)?.[LAST_AT] ?? null;
    this.standings.set(key, [roughs, claims, panel, last, kind, root]);
  }

  drop(kind: Finding, root: number): void {
    const key = `${kind} ${root}`;
    this.standings.delete(key);
    this.known.delete(key);
    this.statements.remove.run(kind, root);
  }

  /** From now on the id names this finding too. */
  alias(id: string, kind: Finding, root: number): void {
    this.statements.addAlias.run(id, kind, root);
  }

  /** Between a key's polishes: the older finding stays; the other's id goes on naming it. @param ownId of `into` */
  merge(from: number, into: number, ownId: (kind: Finding) => string): void {
    this.settle(from, into);
    this.statements.moveAliases.run(into, from);
    for (const kind of FINDINGS) {
      const other = this.find(kind, from);
      if (!other) continue;
      this.statements.setAlias.run(other.id, kind, into);
      if (this.find(kind, into)) this.drop(kind, from);
      else this.statements.moveAndRename.run(into, ownId(kind), kind, from);
    }
  }

  /** Between groups: the finding that was opened first stays, under its id, with the review that either has. */
  move(from: number, into: number): void {
    this.settle(from, into);
    this.statements.moveAliases.run(into, from);
    for (const kind of FINDINGS) {
      const [a, b] = [this.find(kind, into), this.find(kind, from)];
      if (!b) continue;
      if (a) {
        const [kept, gone, root] = a.opened < b.opened ? [a, b, from] : [b, a, into];
        if (kept.review === null && gone.review !== null) this.statements.moveReview.run(gone.opened, kept.opened);
        this.drop(kind, root);
        this.statements.setAlias.run(gone.id, kind, into);
      }
      this.statements.move.run(into, kind, from);
    }
  }

  /** The claims that the operator saw: what came since opens it again. */
  review({ finding_id, claims, note, outcome, operator, at }: FindingReviewed['data']): void {
    this.statements.review.run(JSON.stringify({ note, outcome, operator, at }), claims, finding_id);
  }

  private find(kind: Finding, root: number) {
    type Found = { opened: number; id: string; review: string | null };
    return this.statements.find.get(kind, root) as Found | undefined;
  }

  /** Findings of these are about to be moved. */
  private settle(...roots: number[]): void {
    for (const root of roots) {
      for (const kind of FINDINGS) {
        const key = `${kind} ${root}`;
        const standing = this.standings.get(key);
        if (standing) this.statements.stand.run(...standing);
        this.standings.delete(key);
        this.known.delete(key);
      }
    }
  }
}

const prepare = (db: Connection) => ({
  find: db.prepare('SELECT opened, id, review FROM findings WHERE kind = ? AND polish_id = ?'),
  open: db.prepare(
    `INSERT INTO findings (opened, kind, polish_id, id, key_id, population, opened_at, last_at, roughs, claims, panel)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ),
  stand: db.prepare(
    'UPDATE findings SET roughs = ?, claims = ?, panel = ?, last_at = coalesce(?, last_at) WHERE kind = ? AND polish_id = ?',
  ),
  remove: db.prepare('DELETE FROM findings WHERE kind = ? AND polish_id = ?'),
  addAlias: db.prepare('INSERT OR IGNORE INTO finding_aliases VALUES (?, ?, ?)'),
  setAlias: db.prepare('INSERT OR REPLACE INTO finding_aliases VALUES (?, ?, ?)'),
  moveAliases: db.prepare('UPDATE finding_aliases SET polish_id = ? WHERE polish_id = ?'),
  move: db.prepare('UPDATE findings SET polish_id = ? WHERE kind = ? AND polish_id = ?'),
  moveAndRename: db.prepare('UPDATE findings SET polish_id = ?, id = ? WHERE kind = ? AND polish_id = ?'),
  moveReview: db.prepare(
    `UPDATE findings SET (review, reviewed_claims) = (SELECT review, reviewed_claims FROM findings WHERE opened = ?)
     WHERE opened = ?`,
  ),
  review: db.prepare(
    `UPDATE findings SET review = ?1, reviewed_claims = ?2 WHERE id = ?3
     OR (kind, polish_id) IN (SELECT kind, polish_id FROM finding_aliases WHERE id = ?3)`,
  ),
});
