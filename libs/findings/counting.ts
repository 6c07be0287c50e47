/** Counts the roughs that were claimed, or confirmed, for a polish or a group of them, and the findings that follow. */
import { createHash } from 'node:crypto';
import { FINDINGS } from '#domain/shapes';
import type { Tables } from '#kit/views/tables';
import type { Finding } from './events.js';
import { type Counted, FindingRows } from './finding-rows.js';
import { type Groups, membersOf } from './groups.js';
import { firstClaimOf, type ScoredClaim, type Side } from './stones.js';

/** The same for the same polish of the same key in every replica and rebuild. */
export const findingId = (kind: Finding, keyId: string, firstClaim: string): string =>
  `fnd_${createHash('sha256')
    .update(JSON.stringify([kind, keyId, firstClaim]))
    .digest('hex')
    .slice(0, 32)}`;

/** SQL: claims behind a finding of the kind. */
export const behind = (kind: Finding, claims = '') => (kind === 'probing' ? 'true' : `${claims}verdict = 'MATCH'`);

type Counts = [roughs: number, claims: number];

export class Counting {
  readonly findings: FindingRows;
  private readonly several;
  private readonly own;
  private readonly together;
  private readonly firstClaim;
  private readonly members;
  private readonly polishesOf;
  private readonly rename;

  constructor(
    tables: Tables,
    private readonly groups: Groups,
  ) {
    this.findings = new FindingRows(tables);
    const byKind = (sql: (kind: Finding) => string) => {
      const [probing, multi_pass] = FINDINGS.map((kind) => tables.prepare(sql(kind)).raw());
      return { probing, multi_pass };
    };
    // Most polishes have one rough, whatever their claims: two reads of an index say so.
    const end = (which: 'min' | 'max') => `(SELECT ${which}(rough_id) FROM claims WHERE polish_id = ?1)`;
    this.several = tables.prepare(`SELECT ${end('min')} <> ${end('max')}`).raw();
    this.own = byKind(
      (kind) => `SELECT count(DISTINCT rough_id), count(*) FROM claims WHERE polish_id = ? AND ${behind(kind)}`,
    );
    this.together = byKind(
      (kind) =>
        `SELECT count(DISTINCT coalesce(g.group_id, c.rough_id)), count(*) FROM claims c LEFT JOIN groups g
         ON g.stone_id = c.rough_id WHERE c.polish_id IN ${membersOf('?1')} AND ${behind(kind)}`,
    );
    this.firstClaim = tables
      .prepare(`SELECT key_id, claim_id FROM claims WHERE position = ${firstClaimOf('?1')}`)
      .raw();
    this.members = tables.prepare(`SELECT * FROM ${membersOf('?1')}`).raw();
    const polishesOf = (roughs: string) =>
      tables.prepare(`SELECT DISTINCT polish_id FROM claims WHERE rough_id IN ${roughs}`).raw();
    this.polishesOf = { stone: polishesOf('(?1)'), group: polishesOf(membersOf('?1')) };
    this.rename = {
      rough: tables.prepare('UPDATE claims SET rough_id = ? WHERE rough_id = ?'),
      polish: tables.prepare('UPDATE claims SET polish_id = ? WHERE polish_id = ?'),
    };
  }

  /** Raises what follows from a claim that has just been scored, and stands in its table. */
  count(claim: ScoredClaim, polish: number, confirmed: boolean, at: string): void {
    const { findings } = this;
    const shared = claim.production ? this.groups.shared(polish) : undefined;
    if (shared === undefined && (this.several.get(polish) as [number])[0] === 0) return;
    const root = shared ?? polish;
    for (const kind of FINDINGS) {
      const [own] = this.own[kind].get(polish) as Counts;
      if (own < 2 && shared === undefined) continue;
      const counted = this.standing(kind, root);
      if (counted.roughs < 2) continue;
      const id = this.idOf(kind, polish);
      const found = findings.find(kind, root);
      if (!found) {
        findings.open(kind, root, { id, key: claim.key_id, population: claim.population }, counted, claim.position, at);
        continue;
      }
      // A claim that was not confirmed changes nothing of what was passed.
      if (kind === 'probing' || confirmed) findings.stand(kind, root, counted, at);
      // By itself the key would have had a finding of this name: it goes on naming it.
      if (found.id !== id && own >= 2) findings.alias(id, kind, root);
    }
  }

  /** Two stones of a key have turned out to be one: all of `from` becomes `into`'s, the older one's. */
  merge(side: Side, from: number, into: number): void {
    const { groups } = this;
    const affected = side === 'polish' ? [into] : this.list(this.polishesOf.stone, from);
    this.rename[side].run(into, from);
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
    if (side === 'polish') this.findings.move(Math.max(a, b), root);
    this.settle(side === 'polish' ? [root] : this.list(this.polishesOf.group, root));
  }

  /** Findings of polishes as they are now: roughs that have turned out to be one are not counted twice. */
  private settle(polishes: number[]): void {
    for (const root of new Set(polishes.map((polish) => this.groups.of(polish)))) {
      for (const kind of FINDINGS) {
        if (!this.findings.find(kind, root)) continue;
        const counted = this.standing(kind, root);
        if (counted.roughs < 2) this.findings.drop(kind, root);
        else this.findings.stand(kind, root, counted, null);
      }
    }
  }

  /** The counts behind a finding: by the one key that did most, or by the keys of the population together. */
  private standing(kind: Finding, root: number): Counted {
    const own = this.list(this.members, root).map((polish) => (this.own[kind].get(polish) as Counts)[0]);
    const [together, claims] = this.together[kind].get(root) as Counts;
    const most = Math.max(...own);
    return { roughs: Math.max(most, together), claims, panel: kind === 'probing' ? most : 0 };
  }

  private idOf(kind: Finding, polish: number): string {
    const [key, claim] = this.firstClaim.get(polish) as [string, string];
    return findingId(kind, key, claim);
  }

  private list(query: { all(stone: number): unknown[] }, stone: number): number[] {
    return (query.all(stone) as [number][]).map(([found]) => found);
  }
}
