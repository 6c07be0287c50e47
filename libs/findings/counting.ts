/** Counts the roughs that were claimed, or confirmed, for a polish or a group of them, and the findings that follow. */
import { createHash } from 'node:crypto';
import { FINDINGS } from '#domain/shapes';
import type { Query, Tables } from '#kit/views/tables';
import type { Finding } from './events.js';
import { type Counted, FindingRows } from './finding-rows.js';
import { type Groups, membersOf } from './groups.js';
import { firstClaimOf, newStone, type ScoredClaim, type Side } from './stones.js';

/** The same for the same polish of the same key in every replica and rebuild. */
export const findingId = (kind: Finding, keyId: string, firstClaim: string): string =>
  `fnd_${createHash('sha256')
    .update(JSON.stringify([kind, keyId, firstClaim]))
    .digest('hex')
    .slice(0, 32)}`;

/** SQL: claims behind a finding of the kind. */
export const behind = (kind: Finding, claims = '') => (kind === 'probing' ? 'true' : `${claims}verdict = 'MATCH'`);
/** Columns of the roughs and claims that a finding of the kind counts. */
export const COUNTED = { probing: ['roughs', 'claims'], multi_pass: ['passed_roughs', 'passed'] } as const;

/** What was claimed of a polish, and of a group of them, where roughs of one group are one: added up claim by claim. Polishes with several labels. */
export const COUNT_TABLES = `
  CREATE TABLE polishes (
    polish_id INTEGER PRIMARY KEY, roughs INTEGER NOT NULL, claims INTEGER NOT NULL,
    passed_roughs INTEGER NOT NULL, passed INTEGER NOT NULL, probability REAL NOT NULL
  );
  CREATE TABLE polish_groups (
    group_id INTEGER PRIMARY KEY, roughs INTEGER NOT NULL, claims INTEGER NOT NULL,
    passed_roughs INTEGER NOT NULL, passed INTEGER NOT NULL
  );
  CREATE TABLE labelled_again (polish_id INTEGER PRIMARY KEY)`;
const ADDED = ['roughs', 'claims', 'passed_roughs', 'passed']
  .map((one) => `${one} = ${one} + excluded.${one}`)
  .join(', ');
const counted = (rough: string) => `count(DISTINCT ${rough}), count(*),
  count(DISTINCT CASE WHEN verdict = 'MATCH' THEN ${rough} END), coalesce(sum(verdict = 'MATCH'), 0)`;

type Counts = [roughs: number, claims: number];
/** The stones of a claim. */
export interface Pair {
  polish: number;
  rough: number;
}

export class Counting {
  readonly findings: FindingRows;
  private readonly statements;

  constructor(
    tables: Tables,
    private readonly groups: Groups,
  ) {
    this.findings = new FindingRows(tables);
    this.statements = prepare(tables);
  }

  /** Raises what follows from a claim that has just been scored, and stands in its table. */
  count(claim: ScoredClaim, { polish, rough }: Pair, confirmed: boolean, at: string): void {
    const { findings, groups, statements } = this;
    const shared = claim.production ? groups.shared(polish) : undefined;
    const passed = Number(confirmed);
    if (shared === undefined && polish === newStone(claim, 'polish')) {
      statements.add.run(polish, 1, 1, passed, passed, claim.probability);
      return;
    }
    const isNew = (paired: ByKind, kind: Finding, ...of: [polish: number, rough: number]) =>
      Number(paired[kind].get(...of, claim.position) === undefined);
    const { pair, together } = statements;
    const own = [isNew(pair, 'probing', polish, rough), 1, confirmed ? isNew(pair, 'multi_pass', polish, rough) : 0];
    statements.add.run(polish, ...own, passed, claim.probability);
    if (shared !== undefined) {
      const root = groups.of(rough);
      const all = [isNew(together, 'probing', shared, root), 1];
      statements.addShared.run(shared, ...all, confirmed ? isNew(together, 'multi_pass', shared, root) : 0, passed);
    }
    const root = shared ?? polish;
    for (const kind of FINDINGS) {
      const [roughs] = statements.own[kind].get(polish) as Counts;
      if (roughs < 2 && shared === undefined) continue;
      const standing = this.standing(kind, root);
      if (standing.roughs < 2) continue;
      const id = this.idOf(kind, polish);
      const found = findings.find(kind, root);
      if (!found) {
        const opened = { id, key: claim.key_id, population: claim.population };
        findings.open(kind, root, opened, standing, claim.position, at);
        this.mark(kind, root);
        continue;
      }
      // A claim that was not confirmed changes nothing of what was passed, but the scans of its polish.
      if (kind === 'multi_pass' && !confirmed) findings.touch(kind, root);
      else {
        findings.stand(kind, root, standing, at);
        statements.markOne[kind].run(claim.position);
      }
      // By itself the key would have had a finding of this name: it goes on naming it.
      if (found.id !== id && roughs >= 2) findings.alias(id, kind, root);
    }
  }

  /** A claim on the polish has a label now. */
  label(polish: number): void {
    this.statements.label.run(polish);
  }

  /** Two stones of a key have turned out to be one: all of `from` becomes `into`'s, the older one's. */
  merge(side: Side, from: number, into: number): void {
    const { groups, statements } = this;
    const affected = side === 'polish' ? [into] : this.list(statements.polishesOf.stone, from);
    statements.rename[side].run(into, from);
    if (side === 'polish') statements.drop.run(from);
    for (const polish of affected) statements.recount.run(polish);
    if (side === 'polish') this.label(into);
    if (groups.shared(into) !== undefined || groups.shared(from) !== undefined) {
      const [a, b] = [groups.of(into), groups.of(from)];
      if (a !== b) this.join(side, a, b);
      groups.drop(from);
    } else if (side === 'polish') this.findings.merge(from, into, (kind) => this.idOf(kind, into));
    this.settle(affected);
  }

  /** Two groups of a population's stones have turned out to be one. */
  join(side: Side, a: number, b: number): void {
    const root = this.groups.join(a, b);
    if (side === 'polish') {
      this.findings.move(Math.max(a, b), root);
      this.statements.dropShared.run(Math.max(a, b));
    }
    this.settle(side === 'polish' ? [root] : this.list(this.statements.polishesOf.group, root));
  }

  /** Findings of polishes as they are now: roughs that have turned out to be one are not counted twice. */
  private settle(polishes: number[]): void {
    for (const root of new Set(polishes.map((polish) => this.groups.of(polish)))) {
      if (this.groups.shared(root) !== undefined) this.statements.recountShared.run(root);
      for (const kind of FINDINGS) {
        if (!this.findings.find(kind, root)) continue;
        const standing = this.standing(kind, root);
        if (standing.roughs < 2) this.findings.drop(kind, root);
        else {
          this.findings.stand(kind, root, standing, null);
          this.mark(kind, root);
        }
      }
    }
  }

  /** The counts behind a finding: by the one key that did most, or by the keys of the population together. */
  private standing(kind: Finding, root: number): Counted {
    const [most] = this.statements.most[kind].get(root) as [number];
    const own = this.statements.own[kind].get(root) as Counts | undefined;
    const [together, claims] = (this.statements.shared[kind].get(root) ?? own) as Counts;
    return { roughs: Math.max(most, together), claims, panel: kind === 'probing' ? most : 0 };
  }

  /** Marks all claims behind a finding, by which listings find them. A mark stays: what reads it asks for the finding too. */
  private mark(kind: Finding, root: number): void {
    this.statements.mark[kind].run(root);
  }

  private idOf(kind: Finding, polish: number): string {
    const [key, claim] = this.statements.firstClaim.get(polish) as [string, string];
    return findingId(kind, key, claim);
  }

  private list(query: Query, stone: number): number[] {
    return (query.all(stone) as [number][]).map(([found]) => found);
  }
}

type ByKind = Record<Finding, Query>;

function prepare(tables: Tables) {
  const prepare = (sql: string) => tables.prepare(sql);
  const raw = (sql: string) => tables.prepare(sql).raw();
  const byKind = (of: (kind: Finding) => Query): ByKind => ({ probing: of('probing'), multi_pass: of('multi_pass') });
  const members = membersOf('?1');
  const polishesOf = (roughs: string) => raw(`SELECT DISTINCT polish_id FROM claims WHERE rough_id IN ${roughs}`);
  return {
    pair: byKind((kind) =>
      raw(`SELECT 1 FROM claims WHERE polish_id = ?1 AND rough_id = ?2 AND position <> ?3 AND ${behind(kind)} LIMIT 1`),
    ),
    together: byKind((kind) =>
      raw(
        `SELECT 1 FROM claims WHERE polish_id IN ${members} AND rough_id IN ${membersOf('?2')} AND position <> ?3
         AND ${behind(kind)} LIMIT 1`,
      ),
    ),
    add: prepare(
      `INSERT INTO polishes VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET ${ADDED}, probability = max(probability, excluded.probability)`,
    ),
    addShared: prepare(`INSERT INTO polish_groups VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET ${ADDED}`),
    recount: prepare(
      `INSERT OR REPLACE INTO polishes SELECT ?1, ${counted('rough_id')}, coalesce(max(probability), 0) FROM claims
       WHERE polish_id = ?1`,
    ),
    recountShared: prepare(
      `INSERT OR REPLACE INTO polish_groups SELECT ?1, ${counted('coalesce(g.group_id, c.rough_id)')}
       FROM claims c LEFT JOIN groups g ON g.stone_id = c.rough_id WHERE c.polish_id IN ${members}`,
    ),
    label: prepare(
      `INSERT OR IGNORE INTO labelled_again SELECT ?1 WHERE
       (SELECT count(*) FROM (SELECT 1 FROM claims WHERE polish_id = ?1 AND label IS NOT NULL LIMIT 2)) > 1`,
    ),
    drop: prepare('DELETE FROM polishes WHERE polish_id = ?'),
    dropShared: prepare('DELETE FROM polish_groups WHERE group_id = ?'),
    own: byKind((kind) => raw(`SELECT ${COUNTED[kind]} FROM polishes WHERE polish_id = ?`)),
    most: byKind((kind) => raw(`SELECT max(${COUNTED[kind][0]}) FROM polishes WHERE polish_id IN ${members}`)),
    shared: byKind((kind) => raw(`SELECT ${COUNTED[kind]} FROM polish_groups WHERE group_id = ?`)),
    mark: byKind((kind) =>
      prepare(`UPDATE claims SET ${kind} = 1 WHERE polish_id IN ${members} AND ${behind(kind)} AND ${kind} = 0`),
    ),
    markOne: byKind((kind) => prepare(`UPDATE claims SET ${kind} = 1 WHERE position = ?`)),
    firstClaim: raw(`SELECT key_id, claim_id FROM claims WHERE position = ${firstClaimOf('?1')}`),
    polishesOf: { stone: polishesOf('(?1)'), group: polishesOf(members) },
    rename: {
      rough: prepare('UPDATE claims SET rough_id = ? WHERE rough_id = ?'),
      polish: prepare('UPDATE claims SET polish_id = ? WHERE polish_id = ?'),
    },
  };
}
