/** The table of findings, and the ids under which a finding was known before stones turned out to be one. */
import { FINDINGS, type Finding, type FindingReviewed } from '#domain';
import type { Connection } from '../projection.js';
import type { Writer } from '../rows.js';

/** Room for one finding of each kind at one position; a position is an event's, so that listings keep their order. */
const place = (position: number, kind: Finding) => position * FINDINGS.length + FINDINGS.indexOf(kind);

/** The first place that is none of a finding opened up to the position. */
export const placesUpTo = (position: number) => (position + 1) * FINDINGS.length;

/** What stands behind a finding. */
export interface Counted {
  roughs: number;
  claims: number;
  panel: number;
}

/** What is written of a finding that stands; the time is left as it is where it says null. */
type Standing = [roughs: number, claims: number, panel: number, lastAt: string | null, kind: Finding, root: number];
const LAST_AT = 3;
/** Findings whose ids are kept in memory. */
const KNOWN = 16_384;

/** A finding's `root` is its polish, or the group of polishes of a population. */
export function findingRows(db: Connection, writer: Writer) {
  const findingOf = db.prepare('SELECT opened, id, review FROM findings WHERE kind = ? AND polish_id = ?');
  const openFinding = db.prepare(
    `INSERT INTO findings (opened, kind, polish_id, id, key_id, population, opened_at, last_at, roughs, claims, panel)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const standFinding = db.prepare(
    'UPDATE findings SET roughs = ?, claims = ?, panel = ?, last_at = coalesce(?, last_at) WHERE kind = ? AND polish_id = ?',
  );
  const removeFinding = db.prepare('DELETE FROM findings WHERE kind = ? AND polish_id = ?');
  const addAlias = db.prepare('INSERT OR IGNORE INTO finding_aliases VALUES (?, ?, ?)');
  const setAlias = db.prepare('INSERT OR REPLACE INTO finding_aliases VALUES (?, ?, ?)');
  const moveAliases = db.prepare('UPDATE finding_aliases SET polish_id = ? WHERE polish_id = ?');
  const moveFinding = db.prepare('UPDATE findings SET polish_id = ? WHERE kind = ? AND polish_id = ?');
  const moveAndRename = db.prepare('UPDATE findings SET polish_id = ?, id = ? WHERE kind = ? AND polish_id = ?');
  const moveReview = db.prepare(
    `UPDATE findings SET (review, reviewed_claims) = (SELECT review, reviewed_claims FROM findings WHERE opened = ?)
     WHERE opened = ?`,
  );
  const setReview = db.prepare(
    `UPDATE findings SET review = ?1, reviewed_claims = ?2 WHERE id = ?3
     OR (kind, polish_id) IN (SELECT kind, polish_id FROM finding_aliases WHERE id = ?3)`,
  );
  /** Ids of findings looked for lately, or that there is none. */
  const known = new Map<string, string | undefined>();
  /** Changes on their way: a finding that many claims change is written once. */
  const standings = new Map<string, Standing>();

  const writeStandings = () => {
    for (const standing of standings.values()) standFinding.run(...standing);
    standings.clear();
  };
  writer.beforeFlush(writeStandings);
  /** Findings are about to be moved between these. */
  const forget = (...roots: number[]) => {
    for (const root of roots) {
      for (const kind of FINDINGS) {
        const key = `${kind} ${root}`;
        const standing = standings.get(key);
        if (standing) standFinding.run(...standing);
        standings.delete(key);
        known.delete(key);
      }
    }
  };

  const idOf = (kind: Finding, root: number): string | undefined => {
    const key = `${kind} ${root}`;
    if (!known.has(key)) {
      if (known.size >= KNOWN) known.clear();
      known.set(key, (findingOf.get(kind, root) as { id: string } | undefined)?.id);
    }
    return known.get(key);
  };

  /** @param key of the client @param population whose finding it is */
  const open = (
    kind: Finding,
    root: number,
    { id, key, population }: { id: string; key: string; population: string },
    { roughs, claims, panel }: Counted,
    position: number,
    at: string,
  ): void => {
    openFinding.run(place(position, kind), kind, root, id, key, population, at, at, roughs, claims, panel);
    known.set(`${kind} ${root}`, id);
  };

  const stand = (kind: Finding, root: number, { roughs, claims, panel }: Counted, at: string | null): void => {
    const key = `${kind} ${root}`;
    standings.set(key, [roughs, claims, panel, at ?? standings.get(key)?.[LAST_AT] ?? null, kind, root]);
  };

  const drop = (kind: Finding, root: number): void => {
    const key = `${kind} ${root}`;
    standings.delete(key);
    known.delete(key);
    removeFinding.run(kind, root);
  };

  /** From now on the id names this finding too. */
  const alias = (id: string, kind: Finding, root: number): void => {
    addAlias.run(id, kind, root);
  };

  /** Between a key's polishes: the older finding stays; the other's id goes on naming it. @param ownId of `into` */
  const merge = (from: number, into: number, ownId: (kind: Finding) => string): void => {
    forget(from, into);
    moveAliases.run(into, from);
    for (const kind of FINDINGS) {
      const other = findingOf.get(kind, from) as { id: string } | undefined;
      if (!other) continue;
      setAlias.run(other.id, kind, into);
      if (findingOf.get(kind, into)) drop(kind, from);
      else moveAndRename.run(into, ownId(kind), kind, from);
    }
  };

  /** Between groups: the finding that was opened first stays, under its id, with the review that either has. */
  const move = (from: number, into: number): void => {
    forget(from, into);
    moveAliases.run(into, from);
    for (const kind of FINDINGS) {
      type Found = { opened: number; id: string; review: string | null };
      const [a, b] = [into, from].map((root) => findingOf.get(kind, root) as Found | undefined);
      if (!b) continue;
      if (a) {
        const [kept, gone, root] = a.opened < b.opened ? [a, b, from] : [b, a, into];
        if (kept.review === null && gone.review !== null) moveReview.run(gone.opened, kept.opened);
        drop(kind, root);
        setAlias.run(gone.id, kind, into);
      }
      moveFinding.run(into, kind, from);
    }
  };

  /** The claims that the operator saw: what came since opens it again. */
  const review = ({ finding_id, claims, note, outcome, operator, at }: FindingReviewed['data']): void => {
    setReview.run(JSON.stringify({ note, outcome, operator, at }), claims, finding_id);
  };

  return { idOf, open, stand, drop, alias, merge, move, review };
}
