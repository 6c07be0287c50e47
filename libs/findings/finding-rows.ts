/** The table of findings, and the ids under which a finding was known before stones turned out to be one. */
import { FINDINGS } from '#domain/shapes';
import type { Tables } from '#kit/views/tables';
import type { Finding, FindingReviewed } from './events.js';

/** Roughs claimed for one polish from which on it is a panel: two may be one mix-up that was put right. */
export const PANEL_ROUGHS = 3;

/** A finding's `polish_id` is its polish, or the group of polishes of a population. */
export const FINDING_TABLES = `
  CREATE TABLE findings (
    opened INTEGER PRIMARY KEY, kind TEXT NOT NULL, polish_id INTEGER NOT NULL, id TEXT NOT NULL UNIQUE,
    key_id TEXT NOT NULL, population TEXT NOT NULL, opened_at TEXT NOT NULL, last_at TEXT NOT NULL,
    roughs INTEGER NOT NULL, claims INTEGER NOT NULL, panel INTEGER NOT NULL,
    review TEXT, reviewed_claims INTEGER, changes INTEGER NOT NULL DEFAULT 0, UNIQUE (kind, polish_id)
  );
  CREATE INDEX findings_by_time ON findings (opened_at, kind, key_id, population, panel, claims, reviewed_claims);
  CREATE INDEX findings_by_population ON findings (population, opened);
  CREATE INDEX findings_by_kind ON findings (kind, opened);
  CREATE INDEX findings_open ON findings (opened) WHERE reviewed_claims IS NOT claims;
  CREATE INDEX findings_reviewed ON findings (opened) WHERE NOT (reviewed_claims IS NOT claims);
  CREATE INDEX findings_of_panels ON findings (opened) WHERE panel >= ${PANEL_ROUGHS};
  CREATE TABLE finding_aliases (id TEXT PRIMARY KEY, kind TEXT NOT NULL, polish_id INTEGER NOT NULL);
  CREATE INDEX finding_aliases_by_polish ON finding_aliases (polish_id)`;

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

export class FindingRows {
  private readonly statements;

  constructor(tables: Tables) {
    this.statements = prepare(tables);
  }

  find(kind: Finding, root: number) {
    type Found = { opened: number; id: string; review: string | null };
    return this.statements.find.get(kind, root) as Found | undefined;
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
  }

  /** @param at of the claim that came to it; null where none did */
  stand(kind: Finding, root: number, { roughs, claims, panel }: Counted, at: string | null): void {
    this.statements.stand.run(roughs, claims, panel, at, kind, root);
  }

  /** A claim came to its polish that it does not count. */
  touch(kind: Finding, root: number): void {
    this.statements.touch.run(kind, root);
  }

  drop(kind: Finding, root: number): void {
    this.statements.remove.run(kind, root);
  }

  /** From now on the id names this finding too. */
  alias(id: string, kind: Finding, root: number): void {
    this.statements.addAlias.run(id, kind, root);
  }

  /** Between a key's polishes: the older finding stays; the other's id goes on naming it. @param ownId of `into` */
  merge(from: number, into: number, ownId: (kind: Finding) => string): void {
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

  /** With the claims that the operator saw: what came since opens it again, as does taking the note back. */
  review({ finding_id, claims, note, outcome, operator, at }: FindingReviewed['data']): void {
    const seen = outcome === 'taken_back' ? null : claims;
    this.statements.review.run(JSON.stringify({ note, outcome, operator, at }), seen, finding_id);
  }
}

const prepare = (tables: Tables) => ({
  find: tables.prepare('SELECT opened, id, review FROM findings WHERE kind = ? AND polish_id = ?'),
  open: tables.prepare(
    `INSERT INTO findings (opened, kind, polish_id, id, key_id, population, opened_at, last_at, roughs, claims, panel)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ),
  stand: tables.prepare(
    `UPDATE findings SET roughs = ?, claims = ?, panel = ?, last_at = coalesce(?, last_at), changes = changes + 1
     WHERE kind = ? AND polish_id = ?`,
  ),
  touch: tables.prepare('UPDATE findings SET changes = changes + 1 WHERE kind = ? AND polish_id = ?'),
  remove: tables.prepare('DELETE FROM findings WHERE kind = ? AND polish_id = ?'),
  addAlias: tables.prepare('INSERT OR IGNORE INTO finding_aliases VALUES (?, ?, ?)'),
  setAlias: tables.prepare('INSERT OR REPLACE INTO finding_aliases VALUES (?, ?, ?)'),
  moveAliases: tables.prepare('UPDATE finding_aliases SET polish_id = ? WHERE polish_id = ?'),
  move: tables.prepare('UPDATE findings SET polish_id = ? WHERE kind = ? AND polish_id = ?'),
  moveAndRename: tables.prepare('UPDATE findings SET polish_id = ?, id = ? WHERE kind = ? AND polish_id = ?'),
  moveReview: tables.prepare(
    `UPDATE findings SET (review, reviewed_claims) = (SELECT review, reviewed_claims FROM findings WHERE opened = ?)
     WHERE opened = ?`,
  ),
  review: tables.prepare(
    `UPDATE findings SET review = ?1, reviewed_claims = ?2 WHERE id = ?3
     OR (kind, polish_id) IN (SELECT kind, polish_id FROM finding_aliases WHERE id = ?3)`,
  ),
});
