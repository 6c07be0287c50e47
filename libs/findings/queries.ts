/** The findings that operators review, with the claims behind them. */

import { LRUCache } from 'lru-cache';
import type { Verdict } from '#claims/events';
import { FINDINGS } from '#domain/shapes';
import type { KeyKind } from '#keys/events';
import type { Asked, FINDING_LISTING, Paging } from '#kit/views/listings';
import { Conditions, type CountedPage, pageOf, readCursor, type Total, totalOf } from '#kit/views/page';
import { type Connection, LATEST, prepared } from '#kit/views/projection';
import type { Expected } from '#labels/events';
import { behind, COUNTED } from './counting.js';
import type { Finding } from './events.js';
import { PANEL_ROUGHS, placesUpTo } from './finding-rows.js';
import { membersOf } from './groups.js';
import type { ClaimBehind, FindingCounts, FindingRecord } from './queries-shapes.js';
import { groundOf } from './rule.js';
import { firstClaimOf } from './stones.js';

const CLAIMS_SHOWN = 100;
/** Claims that one finding shows when it is asked for alone. */
const MAX_CLAIMS_SHOWN = 1000;

export interface FindingQuery extends Paging, Asked<typeof FINDING_LISTING> {}

const OPEN = 'f.reviewed_claims IS NOT f.claims';
/** Findings of another kind have no panel. */
const BREACH = `(k.kind = 'production' AND f.panel >= ${PANEL_ROUGHS})`;
const FROM = 'findings f JOIN keys k ON k.id = f.key_id';
const MEMBERS = membersOf('f.polish_id');
/** SQL: places of the claims that polishes were first shown by, which are of the same key as all later ones. */
const firstClaimsOf = (
  polishes: string,
) => `(SELECT (one - 1) / 2 FROM (SELECT ${polishes} AS one UNION SELECT stone_id FROM groups
  WHERE group_id = ${polishes}))`;
/** Both kinds, named so that the index that begins with them is searched. */
const KINDS = FINDINGS.map((kind) => `'${kind}'`).join(', ');
const COLUMNS = `f.opened, f.id, f.kind, f.polish_id, f.population, f.opened_at, f.last_at, f.review, ${OPEN}, ${BREACH},
  k.name, k.prefix, k.kind, f.roughs, f.claims, f.changes`;
type Row = [
  opened: number,
  id: string,
  kind: Finding,
  polish: number,
  population: string,
  openedAt: string,
  lastAt: string,
  review: string | null,
  open: number,
  breach: number,
  keyName: string,
  prefix: string,
  keyKind: KeyKind,
  roughs: number,
  claims: number,
  changes: number,
];

/** What follows from the claims behind a finding and changes with them alone. */
type Derived = Pick<FindingRecord, 'keys' | 'evidence' | 'rule' | 'cosine' | 'polish'> & { worst: Sender };
interface Sender {
  name: string;
  prefix: string;
  kind: KeyKind;
  roughs: number;
  claims: number;
}
/** Findings whose derived facts are kept, with a connection; under their place, polish and number of changes. */
const KEPT = 2000;
const kept = new WeakMap<Connection, LRUCache<string, Derived>>();

declare module '#kit/views/reads' {
  interface ReadModels {
    findings: Findings;
  }
}

/** SQL: the part of a digest that the contract shows. */
const shown = (digest: string) => `(SELECT substr(text, 1, 16) FROM texts WHERE id = ${digest})`;

export class Findings {
  constructor(private readonly view: { readonly db: Connection }) {}

  /** Latest opened first. @throws BadCursor */
  list(query: FindingQuery): CountedPage<FindingRecord> {
    const conditions = conditionsOf(query);
    const total = query.total && this.total(query);
    conditions.where('f.opened < ?', query.cursor === undefined ? Number.MAX_SAFE_INTEGER : readCursor(query.cursor));
    const rows = this.view.db
      .prepare(`SELECT ${COLUMNS} FROM ${FROM} ${conditions} ORDER BY f.opened DESC LIMIT ?`)
      .raw()
      .all(...conditions.values, query.limit + 1) as Row[];
    return { ...pageOf(rows, query.limit, (row) => this.recordOf(row, CLAIMS_SHOWN)), ...total };
  }

  /** Number of findings that a query finds on all its pages. */
  private total(query: FindingQuery): Total {
    const conditions = conditionsOf(query);
    return totalOf(this.view, `${FROM} ${conditions}`, ...conditions.values);
  }

  /** A finding by its id, or by one that it had before two polishes turned out to be one. */
  one(id: string): FindingRecord | undefined {
    const row = this.view.db
      .prepare(
        `SELECT ${COLUMNS} FROM ${FROM} WHERE f.id = ?1 OR (f.kind, f.polish_id) IN
         (SELECT kind, polish_id FROM finding_aliases WHERE id = ?1)`,
      )
      .raw()
      .get(id) as Row | undefined;
    return row && this.recordOf(row, MAX_CLAIMS_SHOWN);
  }

  /** Breaches of the operating rule that no operator has reviewed since they last changed, latest opened first. */
  breaches(): { key: string; population: string; finding: string; roughs: number }[] {
    return this.view.db
      .prepare(
        `SELECT o.name AS key, f.population, f.id AS finding, p.roughs
         FROM ${FROM} JOIN polishes p ON p.polish_id IN ${MEMBERS} JOIN claims c ON c.position = ${firstClaimOf('p.polish_id')}
         JOIN keys o ON o.id = c.key_id WHERE ${BREACH} AND ${OPEN} AND p.roughs >= ${PANEL_ROUGHS}
         ORDER BY f.opened DESC, p.polish_id`,
      )
      .all() as ReturnType<Findings['breaches']>;
  }

  /** Findings that no operator has reviewed since they last changed. @param breaches only breaches of the operating rule */
  open({ breaches = false } = {}): Total {
    return totalOf(this.view, `${FROM} WHERE ${OPEN}${breaches ? ` AND ${BREACH}` : ''}`);
  }

  /** Number of findings opened from one time on and before another: ISO 8601. */
  opened(from: string, to: string): Total {
    return totalOf(this.view, 'findings WHERE opened_at >= ? AND opened_at < ?', from, to);
  }

  /** By kind, the key that opened them, and population. @param from, to ISO 8601, of their opening */
  counts(from: string, to: string): FindingCounts[] {
    return this.view.db
      .prepare(
        `SELECT f.kind, k.kind AS key_kind, f.population, k.name AS key, k.prefix AS key_prefix, count(*) AS findings, sum(${OPEN}) AS open,
         sum(${BREACH}) AS breaches FROM ${FROM} WHERE f.opened_at >= ? AND f.opened_at < ?
         GROUP BY f.kind, k.kind, f.population, k.name, k.prefix ORDER BY f.kind, k.kind, f.population, k.name`,
      )
      .all(from, to) as FindingCounts[];
  }

  /** By place of the claim: the findings that it is behind, of those opened up to a position. */
  ofClaims(positions: number[], openedUpTo = LATEST): Map<number, Finding[]> {
    const found = new Map<number, Finding[]>();
    if (positions.length === 0) return found;
    const rows = this.view.db
      .prepare(
        `SELECT c.position, f.kind FROM claims c LEFT JOIN groups g ON g.stone_id = c.polish_id
         JOIN findings f ON f.kind IN (${KINDS}) AND f.polish_id = coalesce(g.group_id, c.polish_id)
         WHERE c.position IN (${positions.join(', ')}) AND (f.kind = 'probing' OR c.verdict = 'MATCH')
         AND f.opened < ? ORDER BY c.position, f.kind DESC`,
      )
      .raw()
      .all(placesUpTo(openedUpTo)) as [number, Finding][];
    for (const [position, kind] of rows) found.set(position, [...(found.get(position) ?? []), kind]);
    return found;
  }

  /** Places of claims behind findings of a kind, opened up to a position: newest first, before a place. */
  claimsBehind(kind: Finding, before: number, limit: number, openedUpTo = LATEST): number[] {
    const rows = this.view.db
      .prepare(
        `SELECT c.position FROM claims c LEFT JOIN groups g ON g.stone_id = c.polish_id
         JOIN findings f ON f.polish_id = coalesce(g.group_id, c.polish_id) WHERE c.${kind} = 1 AND f.kind = ? AND c.position < ?
         AND ${behind(kind, 'c.')} AND f.opened < ? ORDER BY c.position DESC LIMIT ?`,
      )
      .raw()
      .all(kind, before, placesUpTo(openedUpTo), limit) as [number][];
    return rows.map(([position]) => position);
  }

  private recordOf(row: Row, claimsShown: number): FindingRecord {
    const [, id, kind, polish, population, opened_at, last_claim_at, review, open, breach, name, prefix, keyKind] = row;
    const [roughs, claims_total] = row.slice(13) as number[];
    const { worst, keys, evidence, rule, cosine, polish: sets } = this.derived(row);
    return {
      id,
      kind,
      status: open ? 'open' : 'reviewed',
      key: { name, prefix, kind: keyKind },
      keys,
      population,
      evidence,
      breach: breach
        ? `key ${worst.name} tried one polish against ${worst.roughs} roughs: the published error rates do not hold for such use; ` +
          'use a test key for trials'
        : null,
      ...{ rule, cosine, polish: sets },
      roughs,
      claims_total,
      claims: this.claimsOf(kind, polish, claimsShown),
      opened_at,
      last_claim_at,
      review: review === null ? null : JSON.parse(review),
    };
  }

  private derived(row: Row): Derived {
    const [opened, , kind, polish] = row;
    const { db } = this.view;
    const of = kept.get(db) ?? new LRUCache({ max: KEPT });
    kept.set(db, of);
    const name = `${opened} ${polish} ${row[15]}`;
    const known = of.get(name);
    if (known) return known;
    const members = membersOf('?1');
    const column = (query: string) => (prepared(db, query).all(polish) as [string][]).map(([text]) => text);
    const senders = this.sendersOf(kind, polish);
    const derived: Derived = {
      keys: senders.map(({ name, prefix, kind }) => ({ name, prefix, kind })),
      worst: senders.toSorted((a, b) => b.roughs - a.roughs)[0],
      evidence: this.evidenceOf(kind, polish, senders),
      ...groundOf(db, kind, polish),
      polish: {
        digests: column(
          `SELECT DISTINCT ${shown('digest')} FROM stone_sets WHERE stone_id IN ${members}
           ORDER BY seq LIMIT 100`,
        ),
        references: column(
          `SELECT DISTINCT reference FROM stone_references WHERE stone_id IN ${members} ORDER BY 1 LIMIT 100`,
        ),
      },
    };
    of.set(name, derived);
    return derived;
  }

  /** The keys behind a finding with what each did by itself, in the order of their first claims on the polish. */
  private sendersOf(kind: Finding, polish: number): Sender[] {
    const [roughs, claims] = COUNTED[kind];
    const rows = prepared(
      this.view.db,
      `SELECT k.name, k.prefix, k.kind, max(p.${roughs}), sum(p.${claims}) FROM polishes p
       JOIN claims c ON c.position = ${firstClaimOf('p.polish_id')} JOIN keys k ON k.id = c.key_id
       WHERE p.polish_id IN ${membersOf('?1')} AND p.${claims} > 0 GROUP BY k.id ORDER BY min(p.polish_id)`,
    ).all(polish) as [string, string, KeyKind, number, number][];
    return rows.map(([name, prefix, kind, roughs, claims]) => ({ name, prefix, kind, roughs, claims }));
  }

  private evidenceOf(kind: Finding, polish: number, senders: Sender[]): FindingRecord['evidence'] {
    const of = `SELECT ${COUNTED[kind]} FROM polish_groups WHERE group_id = ?1`;
    const [roughs, claims] = (prepared(this.view.db, of).get(polish) as [number, number] | undefined) ?? [0, 0];
    const keys = senders.map(({ name }) => name);
    return [
      ...senders
        .filter((key) => key.roughs >= 2)
        .map((key) => ({ by: 'key' as const, keys: [key.name], roughs: key.roughs, claims: key.claims })),
      ...(roughs >= 2 && keys.length > 1 ? [{ by: 'population' as const, keys, roughs, claims }] : []),
    ];
  }

  private claimsOf(kind: Finding, polish: number, limit: number): ClaimBehind[] {
    // The latest ones of each polish: one may have very many.
    const rows = prepared(
      this.view.db,
      `SELECT claim_id, submitted_at, rung, verdict, score, label, ${shown('rough')}, rough_references,
         ${shown('polish')}, polish_references
       FROM claims WHERE position IN (SELECT c.position FROM polishes p JOIN claims c ON c.position IN (
         SELECT position FROM claims WHERE polish_id = p.polish_id AND ${behind(kind)} ORDER BY position DESC LIMIT ?2)
         WHERE p.polish_id IN ${membersOf('?1')})
       ORDER BY position DESC LIMIT ?2`,
    ).all(polish, limit) as [
      string,
      string,
      string,
      Verdict,
      number,
      Expected | null,
      string,
      string,
      string,
      string,
    ][];
    return rows.map(
      ([claim_id, submitted_at, rung, verdict, fused_score, label, rough, roughNames, cut, cutNames]) => ({
        claim_id,
        submitted_at,
        reject_target: Number(rung),
        verdict,
        fused_score,
        label,
        rough: { digest: rough, references: JSON.parse(roughNames) },
        polish: { digest: cut, references: JSON.parse(cutNames) },
      }),
    );
  }
}

/** A query's conditions on a finding besides its place. */
function conditionsOf(query: Omit<FindingQuery, 'limit' | 'cursor'>): Conditions {
  const conditions = new Conditions();
  conditions.equal('f.kind', query.kind);
  conditions.equal('f.population', query.population);
  conditions.equal('k.kind', query.key_kind);
  if (query.key !== undefined) {
    conditions.where(
      `EXISTS (SELECT 1 FROM claims c JOIN keys o ON o.id = c.key_id WHERE c.position IN ${firstClaimsOf('f.polish_id')}
       AND (o.prefix = ? OR o.name = ?))`,
      query.key,
      query.key,
    );
  }
  if (query.status !== undefined) conditions.where(query.status === 'open' ? OPEN : `NOT (${OPEN})`);
  if (query.breach !== undefined) conditions.where(query.breach ? BREACH : `NOT ${BREACH}`);
  if (query.reference !== undefined) {
    const named = "SELECT stone_id FROM stone_references WHERE side = 'polish' AND reference = ?";
    conditions.where(`EXISTS (${named} AND stone_id IN ${MEMBERS})`, query.reference);
  }
  if (query.from !== undefined) conditions.where('f.opened_at >= ?', query.from);
  if (query.to !== undefined) conditions.where('f.opened_at < ?', query.to);
  return conditions;
}
