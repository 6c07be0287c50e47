/**
 * Counters of each polish, of a key and of a group of them in a population, and the findings that follow. A group's
 * counters stand in the same tables under the negative of its name. Each step touches a few rows, however many there are.
 */
import { createHash } from 'node:crypto';
import { FINDINGS, type Finding } from '#domain';
import type { Connection } from '../projection.js';
import type { Writer } from '../rows.js';
import { COUNTER_TABLES, type Counters, type PolishRow } from './counters.js';
import { type Counted, findingRows } from './finding-rows.js';
import { type Groups, membersOf } from './population.js';
import { newStone, type ScoredClaim, type Side } from './stones.js';
import type { NearWindows } from './windows.js';

export const COUNTING_TABLES = `
  ${COUNTER_TABLES};
  CREATE TABLE findings (
    opened INTEGER PRIMARY KEY, kind TEXT NOT NULL, polish_id INTEGER NOT NULL, id TEXT NOT NULL UNIQUE,
    key_id TEXT NOT NULL, population TEXT NOT NULL, opened_at TEXT NOT NULL, last_at TEXT NOT NULL,
    roughs INTEGER NOT NULL, claims INTEGER NOT NULL, panel INTEGER NOT NULL,
    review TEXT, reviewed_claims INTEGER, UNIQUE (kind, polish_id)
  );
  CREATE TABLE finding_aliases (id TEXT PRIMARY KEY, kind TEXT NOT NULL, polish_id INTEGER NOT NULL);
  CREATE INDEX finding_aliases_by_polish ON finding_aliases (polish_id)`;

/** The same for the same polish of the same key in every replica and rebuild. */
export const findingId = (kind: Finding, keyId: string, firstClaim: string): string =>
  `fnd_${createHash('sha256')
    .update(JSON.stringify([kind, keyId, firstClaim]))
    .digest('hex')
    .slice(0, 32)}`;

/** Roughs and claims behind a finding of this kind. */
const countsOf = (kind: Finding, { roughs, confirmed, claims, confirmed_claims }: PolishRow) =>
  kind === 'probing' ? { roughs, claims } : { roughs: confirmed, claims: confirmed_claims };

interface Parts {
  counters: Counters;
  groups: Groups;
  windows: NearWindows;
}

export function counting(db: Connection, writer: Writer, { counters, groups, windows }: Parts) {
  const findings = findingRows(db, writer);

  /** What stands behind a finding: by the one key that did most, or by the keys of the population together. */
  const standing = (kind: Finding, root: number): Counted => {
    const members = groups.members(root);
    const own = members.flatMap((id) => {
      const polish = counters.of(id);
      return polish ? [countsOf(kind, polish)] : [];
    });
    const max = Math.max(0, ...own.map(({ roughs }) => roughs));
    const shared = groups.shared(root) === undefined ? undefined : counters.of(-root);
    const all = shared ? countsOf(kind, shared) : own[0];
    const roughs = Math.max(max, all?.roughs ?? 0);
    return { roughs, claims: all?.claims ?? 0, panel: kind === 'probing' ? max : 0 };
  };

  /** Roughs that have turned out to be one are no panel. */
  const settle = (root: number): void => {
    for (const kind of FINDINGS) {
      if (findings.idOf(kind, root) === undefined) continue;
      const counted = standing(kind, root);
      if (counted.roughs < 2) findings.drop(kind, root);
      else findings.stand(kind, root, counted, null);
    }
  };

  const raise = (claim: ScoredClaim, own: PolishRow, confirmed: boolean, position: number, at: string): void => {
    const shared = claim.production ? groups.shared(own.id) : undefined;
    const root = shared ?? own.id;
    for (const kind of FINDINGS) {
      if (countsOf(kind, own).roughs < 2 && shared === undefined) continue;
      const found = findings.idOf(kind, root);
      const counted = standing(kind, root);
      if (counted.roughs < 2) continue;
      const id = findingId(kind, own.key_id, own.claim_id);
      if (found === undefined) {
        const { key_id: key, population } = claim;
        findings.open(kind, root, { id, key, population }, counted, position, at);
        continue;
      }
      // A claim that was not confirmed changes nothing of what was passed.
      if (kind === 'probing' || confirmed) findings.stand(kind, root, counted, at);
      // By itself the key would have had a finding of this name: it goes on naming it.
      if (found !== id && countsOf(kind, own).roughs >= 2) findings.alias(id, kind, root);
    }
  };

  const count = (
    claim: ScoredClaim,
    rough: number,
    polishId: number,
    confirmed: boolean,
    position: number,
    at: string,
  ): void => {
    const group = claim.production ? groups.shared(polishId) : undefined;
    if (group !== undefined) counters.add(-group, groups.of(rough), confirmed);
    if (polishId !== newStone(claim, 'polish')) {
      raise(claim, counters.add(polishId, rough, confirmed), confirmed, position, at);
      return;
    }
    const own = counters.begin(polishId, claim, rough, confirmed);
    if (group !== undefined) raise(claim, own, confirmed, position, at);
  };

  const polishesByRough = db
    .prepare(`SELECT DISTINCT polish_id FROM claims WHERE rough_id IN ${membersOf('?1')}`)
    .raw();
  const polishesOf = (rough: number) => polishesByRough.all(rough) as [number][];
  const polishesByOne = db.prepare('SELECT DISTINCT polish_id FROM claims WHERE rough_id = ?').raw();

  const dropPairs = db.prepare('DELETE FROM pairs WHERE polish_id = ?');
  const dropPolish = db.prepare('DELETE FROM polishes WHERE id = ?');
  const pairsOfGroup = db.prepare(
    `INSERT INTO pairs SELECT -?1, coalesce(g.group_id, p.rough_id), max(p.confirmed) FROM pairs p
     LEFT JOIN groups g ON g.stone_id = p.rough_id WHERE p.polish_id IN ${membersOf('?1')} GROUP BY 2`,
  );
  const countersOfGroup = db.prepare(
    `INSERT OR REPLACE INTO polishes SELECT -?1, '', '',
     (SELECT count(*) FROM pairs WHERE polish_id = -?1), (SELECT coalesce(sum(confirmed), 0) FROM pairs WHERE polish_id = -?1),
     coalesce(sum(claims), 0), coalesce(sum(confirmed_claims), 0) FROM polishes WHERE id IN ${membersOf('?1')}`,
  );
  /** Counters of a group from those of its polishes. */
  const recountGroup = (group: number): void => {
    counters.flush();
    dropPairs.run(-group);
    pairsOfGroup.run(group);
    countersOfGroup.run(group);
    counters.forget(-group);
    settle(group);
  };
  const dropCounters = (id: number): void => {
    counters.flush();
    dropPairs.run(id);
    dropPolish.run(id);
    counters.forget(id);
  };
  const recountGroupsOf = (polishes: [number][]): void => {
    const shared = polishes.map(([polish]) => groups.shared(polish)).filter((group) => group !== undefined);
    for (const group of new Set(shared)) recountGroup(group);
  };

  /**
   * Two groups of a population's stones have turned out to be one. Only a rough that was claimed before has another name
   * now; its claims are in their table.
   * @param moved the stones of `from`
   */
  const joined = (side: Side, from: number, into: number, moved: readonly number[]): void => {
    if (side === 'rough') {
      recountGroupsOf(moved.flatMap((rough) => polishesByOne.all(rough) as [number][]));
      return;
    }
    if (!counters.of(-into)) counters.absorb(-into, into, (rough) => groups.of(rough));
    if (counters.of(-from)) {
      counters.absorb(-into, -from, (rough) => rough);
      dropCounters(-from);
    } else counters.absorb(-into, from, (rough) => groups.of(rough));
    findings.move(from, into);
    settle(into);
  };

  const renames = ['stone_sets', 'stone_references'].map((table) =>
    db.prepare(`UPDATE OR REPLACE ${table} SET stone_id = ? WHERE stone_id = ?`),
  );
  const renameInClaims = {
    rough: db.prepare('UPDATE claims SET rough_id = ? WHERE rough_id = ?'),
    polish: db.prepare('UPDATE claims SET polish_id = ? WHERE polish_id = ?'),
  };
  /** Everything about `from` becomes `into`'s: two stones of a key have turned out to be one. */
  const merge = (side: Side, from: number, into: number): void => {
    writer.flush();
    const affected = side === 'polish' ? [into] : polishesOf(from).map(([id]) => id);
    for (const rename of renames) rename.run(into, from);
    renameInClaims[side].run(into, from);
    windows.rename(from, into);
    if (side === 'polish') dropCounters(from);
    for (const polish of affected) recount(polish);
    const [group, other] = [groups.shared(into), groups.shared(from)];
    const grouped = group !== undefined || other !== undefined;
    if (grouped) {
      const [a, b] = [group ?? into, other ?? from];
      const root = a === b ? a : groups.join(a, b);
      groups.drop(from);
      if (a !== b && side === 'polish') {
        dropCounters(-Math.max(a, b));
        findings.move(Math.max(a, b), root);
        recountGroup(root);
      } else if (a !== b) recountGroupsOf(polishesOf(root));
    } else if (side === 'polish') {
      findings.merge(from, into, (kind) => {
        const { key_id, claim_id } = counters.of(into) as PolishRow;
        return findingId(kind, key_id, claim_id);
      });
    }
    for (const polish of affected) {
      const shared = groups.shared(polish);
      if (shared === undefined) settle(polish);
      else recountGroup(shared);
    }
  };

  const pairsOfPolish = db.prepare(
    `INSERT INTO pairs SELECT polish_id, rough_id, max(verdict = 'MATCH') FROM claims
     WHERE polish_id = ? GROUP BY rough_id`,
  );
  const countersOfPolish = db.prepare(
    `UPDATE polishes SET (roughs, confirmed) = (SELECT count(*), coalesce(sum(confirmed), 0) FROM pairs WHERE polish_id = ?1),
     (claims, confirmed_claims) = (SELECT count(*), coalesce(sum(verdict = 'MATCH'), 0) FROM claims WHERE polish_id = ?1)
     WHERE id = ?1`,
  );
  const recount = (polish: number): void => {
    dropPairs.run(polish);
    pairsOfPolish.run(polish);
    countersOfPolish.run(polish);
    counters.forget(polish);
  };

  return { count, merge, joined, review: findings.review };
}
