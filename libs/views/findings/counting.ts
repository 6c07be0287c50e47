/**
 * Counters of each polish, of a key and of a group of them in a population, and the findings that follow. A group's
 * counters stand in the same tables under the negative of its name. Each step touches a few rows, however many there are.
 */
import { createHash } from 'node:crypto';
import { FINDINGS, type Finding } from '#domain';
import type { Connection } from '../projection.js';
import type { Writer } from '../rows.js';
import { COUNTER_TABLES, type Counters, type PolishRow } from './counters.js';
import { type Counted, FindingRows } from './finding-rows.js';
import { newStone, type ScoredClaim, type Side } from './identity.js';
import { type Groups, membersOf } from './population.js';
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

/** As its event has it. */
interface Verdict {
  confirmed: boolean;
  position: number;
  at: string;
}

interface Parts {
  counters: Counters;
  groups: Groups;
  windows: NearWindows;
}

export class Counting {
  readonly findings: FindingRows;
  private readonly polishesByRough;
  private readonly polishesByOne;
  private readonly dropPairs;
  private readonly dropPolish;
  private readonly pairsOfPolish;
  private readonly countersOfPolish;
  private readonly pairsOfGroup;
  private readonly countersOfGroup;
  private readonly renames;

  constructor(
    db: Connection,
    private readonly writer: Writer,
    private readonly parts: Parts,
  ) {
    this.findings = new FindingRows(db, writer);
    this.polishesByRough = db
      .prepare(`SELECT DISTINCT polish_id FROM claims WHERE rough_id IN ${membersOf('?1')}`)
      .raw();
    this.polishesByOne = db.prepare('SELECT DISTINCT polish_id FROM claims WHERE rough_id = ?').raw();
    this.dropPairs = db.prepare('DELETE FROM pairs WHERE polish_id = ?');
    this.dropPolish = db.prepare('DELETE FROM polishes WHERE id = ?');
    this.pairsOfPolish = db.prepare(
      `INSERT INTO pairs SELECT polish_id, rough_id, max(verdict = 'MATCH') FROM claims
       WHERE polish_id = ? GROUP BY rough_id`,
    );
    this.countersOfPolish = db.prepare(
      `UPDATE polishes SET (roughs, confirmed) = (SELECT count(*), coalesce(sum(confirmed), 0) FROM pairs WHERE polish_id = ?1),
       (claims, confirmed_claims) = (SELECT count(*), coalesce(sum(verdict = 'MATCH'), 0) FROM claims WHERE polish_id = ?1)
       WHERE id = ?1`,
    );
    this.pairsOfGroup = db.prepare(
      `INSERT INTO pairs SELECT -?1, coalesce(g.group_id, p.rough_id), max(p.confirmed) FROM pairs p
       LEFT JOIN groups g ON g.stone_id = p.rough_id WHERE p.polish_id IN ${membersOf('?1')} GROUP BY 2`,
    );
    this.countersOfGroup = db.prepare(
      `INSERT OR REPLACE INTO polishes SELECT -?1, '', '',
       (SELECT count(*) FROM pairs WHERE polish_id = -?1), (SELECT coalesce(sum(confirmed), 0) FROM pairs WHERE polish_id = -?1),
       coalesce(sum(claims), 0), coalesce(sum(confirmed_claims), 0) FROM polishes WHERE id IN ${membersOf('?1')}`,
    );
    const rename = (table: string, column: string) =>
      db.prepare(`UPDATE OR REPLACE ${table} SET ${column} = ? WHERE ${column} = ?`);
    const sent = [rename('stone_sets', 'stone_id'), rename('stone_references', 'stone_id')];
    this.renames = {
      rough: [...sent, rename('claims', 'rough_id')],
      polish: [...sent, rename('claims', 'polish_id')],
    };
  }

  /** A claim with a verdict counts for its polish, and for the group that the polish is in. */
  count(claim: ScoredClaim, { rough, polish }: Record<Side, number>, verdict: Verdict): void {
    const { counters, groups } = this.parts;
    const { confirmed } = verdict;
    const group = claim.production ? groups.shared(polish) : undefined;
    if (group !== undefined) counters.add(-group, groups.of(rough), confirmed);
    if (polish !== newStone(claim, 'polish')) {
      this.raise(claim, counters.add(polish, rough, confirmed), verdict);
      return;
    }
    const own = counters.begin(polish, claim, rough, confirmed);
    if (group !== undefined) this.raise(claim, own, verdict);
  }

  /**
   * Two groups of a population's stones have turned out to be one. Only a rough that was claimed before has another name
   * now; its claims are in their table.
   * @param moved the stones of `from`
   */
  joined(side: Side, from: number, into: number, moved: readonly number[]): void {
    const { counters, groups } = this.parts;
    if (side === 'rough') {
      this.recountGroupsOf(moved.flatMap((rough) => this.polishesByOne.all(rough) as [number][]));
      return;
    }
    if (!counters.of(-into)) counters.absorb(-into, into, (rough) => groups.of(rough));
    if (counters.of(-from)) {
      counters.absorb(-into, -from, (rough) => rough);
      this.dropCounters(-from);
    } else counters.absorb(-into, from, (rough) => groups.of(rough));
    this.findings.move(from, into);
    this.settle(into);
  }

  /** Everything about `from` becomes `into`'s: two stones of a key have turned out to be one. */
  merge(side: Side, from: number, into: number): void {
    const { groups, windows } = this.parts;
    this.writer.flush();
    const affected = side === 'polish' ? [into] : this.polishesOf(from).map(([id]) => id);
    for (const rename of this.renames[side]) rename.run(into, from);
    windows.rename(from, into);
    if (side === 'polish') this.dropCounters(from);
    for (const polish of affected) this.recount(polish);
    if (groups.shared(into) !== undefined || groups.shared(from) !== undefined) this.mergeGroups(side, from, into);
    else if (side === 'polish') this.mergeFindings(from, into);
    for (const polish of affected) {
      const shared = groups.shared(polish);
      if (shared === undefined) this.settle(polish);
      else this.recountGroup(shared);
    }
  }

  /** The groups of two stones that have turned out to be one, if they were in two. */
  private mergeGroups(side: Side, from: number, into: number): void {
    const { groups } = this.parts;
    const [a, b] = [groups.of(into), groups.of(from)];
    const root = a === b ? a : groups.join(a, b);
    groups.drop(from);
    if (a === b) return;
    if (side === 'rough') {
      this.recountGroupsOf(this.polishesOf(root));
      return;
    }
    this.dropCounters(-Math.max(a, b));
    this.findings.move(Math.max(a, b), root);
    this.recountGroup(root);
  }

  private mergeFindings(from: number, into: number): void {
    this.findings.merge(from, into, (kind) => {
      const { key_id, claim_id } = this.parts.counters.of(into) as PolishRow;
      return findingId(kind, key_id, claim_id);
    });
  }

  /** The counts behind a finding: by the one key that did most, or by the keys of the population together. */
  private standing(kind: Finding, root: number): Counted {
    const { counters, groups } = this.parts;
    const own = groups.members(root).flatMap((id) => {
      const polish = counters.of(id);
      return polish ? [countsOf(kind, polish)] : [];
    });
    const max = Math.max(0, ...own.map(({ roughs }) => roughs));
    const shared = groups.shared(root) === undefined ? undefined : counters.of(-root);
    const all = shared ? countsOf(kind, shared) : own[0];
    const roughs = Math.max(max, all?.roughs ?? 0);
    return { roughs, claims: all?.claims ?? 0, panel: kind === 'probing' ? max : 0 };
  }

  /** Roughs that have turned out to be one are no panel. */
  private settle(root: number): void {
    for (const kind of FINDINGS) {
      if (this.findings.idOf(kind, root) === undefined) continue;
      const counted = this.standing(kind, root);
      if (counted.roughs < 2) this.findings.drop(kind, root);
      else this.findings.stand(kind, root, counted, null);
    }
  }

  private raise(claim: ScoredClaim, own: PolishRow, { confirmed, position, at }: Verdict): void {
    const { findings } = this;
    const shared = claim.production ? this.parts.groups.shared(own.id) : undefined;
    const root = shared ?? own.id;
    for (const kind of FINDINGS) {
      if (countsOf(kind, own).roughs < 2 && shared === undefined) continue;
      const found = findings.idOf(kind, root);
      const counted = this.standing(kind, root);
      if (counted.roughs < 2) continue;
      const id = findingId(kind, own.key_id, own.claim_id);
      if (found === undefined) {
        findings.open(kind, root, { id, key: claim.key_id, population: claim.population }, counted, position, at);
        continue;
      }
      // A claim that was not confirmed changes nothing of what was passed.
      if (kind === 'probing' || confirmed) findings.stand(kind, root, counted, at);
      // By itself the key would have had a finding of this name: it goes on naming it.
      if (found !== id && countsOf(kind, own).roughs >= 2) findings.alias(id, kind, root);
    }
  }

  private polishesOf(rough: number): [number][] {
    return this.polishesByRough.all(rough) as [number][];
  }

  private recount(polish: number): void {
    this.dropPairs.run(polish);
    this.pairsOfPolish.run(polish);
    this.countersOfPolish.run(polish);
    this.parts.counters.forget(polish);
  }

  /** Counters of a group from those of its polishes. */
  private recountGroup(group: number): void {
    const { counters } = this.parts;
    counters.flush();
    this.dropPairs.run(-group);
    this.pairsOfGroup.run(group);
    this.countersOfGroup.run(group);
    counters.forget(-group);
    this.settle(group);
  }

  private recountGroupsOf(polishes: [number][]): void {
    const shared = polishes.map(([polish]) => this.parts.groups.shared(polish)).filter((group) => group !== undefined);
    for (const group of new Set(shared)) this.recountGroup(group);
  }

  private dropCounters(id: number): void {
    const { counters } = this.parts;
    counters.flush();
    this.dropPairs.run(id);
    this.dropPolish.run(id);
    counters.forget(id);
  }
}
