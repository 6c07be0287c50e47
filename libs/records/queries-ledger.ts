/** The ledger of claims and keys: every claim with what was logged of it, newest first. */
import type { Finding } from '#findings/events';
import type { Findings } from '#findings/queries';
import type { KeyLife } from '#keys/events';
import type { KeyFactsRow } from '#keys/queries-shapes';
import type { Asked, CLAIM_LISTING, ClaimSort, Paging } from '#kit/views/listings';
import {
  COUNTED_UP_TO,
  Conditions,
  type CountedPage,
  type Page,
  pageOf,
  readCursor,
  readSortedCursor,
  type Total,
  totalOf,
} from '#kit/views/page';
import { type Connection, LATEST } from '#kit/views/projection';
import { adviceOf } from '#science/matching/action';
import { type ClaimRecord, type ClaimRow, type OwnClaimRow, ownRowOf, rowOf } from './queries-shapes.js';
import type { PublicScoring, PublicSubmission } from './view-ledger.js';

export interface ClaimQuery extends Paging, Asked<typeof CLAIM_LISTING> {
  /** The ledger as it was when it held all up to this position; goes before `as_of`. Default: as it is. */
  asOf?: number;
  /** Claims of the one key that has this id. */
  keyId?: string;
}

/** Marked claims looked at in one step. */
const FINDING_PAGE = 500;
/** The state at the position ?1. */
const COLUMNS = `position, submission, CASE WHEN scored <= ?1 THEN scoring END,
  (SELECT count(*) FROM repeats WHERE claim = claims.position AND repeats.position <= ?1),
  (SELECT labelling FROM labels WHERE claim = claims.position AND since <= ?1 AND until > ?1), submitted_at,
  (SELECT review FROM reviews WHERE claim = claims.position AND reviews.position <= ?1
   ORDER BY reviews.position DESC LIMIT 1), probability, distance`;
type Row = [
  position: number,
  submission: string,
  scoring: string | null,
  repeats: number,
  labelling: string | null,
  submittedAt: string,
  review: string | null,
  probability: number,
  distance: number,
];

/** True if the latest note on a claim was not to take one back. @param position of the log, as SQL */
const reviewedUpTo = (position: string | number) =>
  `coalesce((SELECT counts FROM reviews WHERE claim = claims.position AND reviews.position <= ${position}
   ORDER BY reviews.position DESC LIMIT 1), 0)`;

const NEWEST = 'position DESC';
/** After every text that begins as another one does. */
const LAST_CHARACTER = '\u{10ffff}';
/** Orders by a value: what comes after a row of it, and the value's column in a row. */
const ORDERS = {
  time: undefined,
  p_match_5050: {
    by: 'probability DESC, position DESC',
    after: '(probability, position) < (?, ?)',
    column: 7,
  },
  distance: { by: 'distance, position', after: '(distance, position) > (?, ?)', column: 8 },
} as const satisfies Record<ClaimSort, unknown>;

declare module '#kit/views/reads' {
  interface ReadModels {
    ledger: Ledger;
  }
}

export class Ledger {
  constructor(
    private readonly view: { readonly db: Connection },
    private readonly findings: Findings,
  ) {}

  /**
   * Later events do not shift the pages that follow.
   * @throws BadCursor
   */
  claims(query: ClaimQuery): CountedPage<ClaimRecord> {
    return this.counted(query, recordOf);
  }

  /** The same in short. @throws BadCursor */
  claimRows(query: ClaimQuery): CountedPage<ClaimRow> {
    return this.counted(query, (row, findings) => rowOf(recordOf(row, findings)));
  }

  private counted<T>(query: ClaimQuery, read: (row: Row, findings: Finding[]) => T): CountedPage<T> {
    const asOf = query.asOf ?? (query.as_of === undefined ? LATEST : this.positionAt(new Date(query.as_of)));
    return { ...this.page(query, asOf, read), ...(query.total && this.total(query, asOf)) };
  }

  /** Number of claims that a query finds on all its pages. */
  private total({ finding, ...query }: ClaimQuery, asOf: number): Total {
    const conditions = conditionsOf({ finding, ...query });
    const counted = (more: Conditions) => totalOf(this.view, `claims ${more.and(conditions)}`, asOf, ...more.values);
    if (finding === undefined) return counted(upTo());
    let total = 0;
    for (const among of this.behind(finding, LATEST, asOf)) {
      total += counted(upTo(among)).total;
      if (total > COUNTED_UP_TO) break;
    }
    return { total: Math.min(total, COUNTED_UP_TO), total_exact: total <= COUNTED_UP_TO };
  }

  private page<T>(query: ClaimQuery, asOf: number, read: (row: Row, findings: Finding[]) => T): Page<T> {
    const { limit, cursor, finding, sort = 'time' } = query;
    const conditions = conditionsOf(query);
    const order = ORDERS[sort];
    if (order === undefined) {
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : readCursor(cursor);
      const rows =
        finding === undefined
          ? this.rows(asOf, since(before).and(upTo()).and(conditions), NEWEST, limit + 1)
          : this.rowsBehind(finding, asOf, conditions, before, limit + 1);
      return pageOf(rows, limit, this.reading(rows, asOf, read));
    }
    if (finding !== undefined) throw new TypeError('claims behind a finding are in another view, by time alone');
    const after = new Conditions();
    // The order's own index serves: positions are no range to look through.
    after.where('+position <= ?1 AND scored <= ?1');
    if (cursor !== undefined) after.where(order.after, ...readSortedCursor(cursor));
    const rows = this.rows(asOf, after.and(conditions), order.by, limit + 1);
    return pageOf(rows, limit, this.reading(rows, asOf, read), (row) => row[order.column]);
  }

  /** Claims whose verdicts were stored after a position, in that order, in short. */
  scoredAfter(position: number, limit: number): { position: number; claim: ClaimRow }[] {
    const found = this.view.db
      .prepare(`SELECT ${COLUMNS}, scored FROM claims WHERE scored > ?2 ORDER BY scored LIMIT ?3`)
      .raw()
      .all(LATEST, position, limit) as [...Row, scored: number][];
    const rows = found.map((row) => row.slice(0, -1) as Row);
    const read = this.reading(rows, LATEST, (row, findings) => rowOf(recordOf(row, findings)));
    return rows.map((row, i) => ({ position: Number(found[i].at(-1)), claim: read(row) }));
  }

  /** The last position that the log held at a time: clocks step back, so the latest time that it had seen counts. */
  positionAt(time: Date): number {
    const row = this.view.db
      .prepare('SELECT position FROM moments WHERE time <= ? ORDER BY time DESC LIMIT 1')
      .raw()
      .get(time.getTime());
    return (row as [number] | undefined)?.[0] ?? 0;
  }

  private rows(asOf: number, conditions: Conditions, order: string, limit: number): Row[] {
    return this.view.db
      .prepare(`SELECT ${COLUMNS} FROM claims ${conditions} ORDER BY ${order} LIMIT ?`)
      .raw()
      .all(asOf, ...conditions.values, limit) as Row[];
  }

  /** The claims behind findings stand in another view: its pages are compared with the other conditions. */
  private rowsBehind(finding: Finding, asOf: number, conditions: Conditions, before: number, limit: number): Row[] {
    const rows: Row[] = [];
    for (const among of this.behind(finding, before, asOf)) {
      rows.push(...this.rows(asOf, since(before).and(upTo(among)).and(conditions), NEWEST, limit - rows.length));
      if (rows.length >= limit) break;
    }
    return rows;
  }

  /** Places of the claims behind a finding, newest first, some at a time. */
  private *behind(finding: Finding, before: number, asOf: number): Generator<number[]> {
    for (let next = before; ; ) {
      const among = this.findings.claimsBehind(finding, next, FINDING_PAGE, asOf);
      if (among.length === 0) return;
      yield among;
      next = among[among.length - 1];
    }
  }

  /** Reads rows; who is behind which finding follows from what is known today of the stones. */
  private reading<T>(rows: Row[], asOf: number, read: (row: Row, findings: Finding[]) => T): (row: Row) => T {
    const scored = rows.filter(([, , scoring]) => scoring !== null);
    const found = this.findings.ofClaims(
      scored.map(([position]) => position),
      asOf,
    );
    return (row) => read(row, found.get(row[0]) ?? []);
  }

  claim(claimId: string): ClaimRecord | undefined {
    const found = this.view.db.prepare(`SELECT ${COLUMNS} FROM claims WHERE claim_id = ?`).raw().get(LATEST, claimId);
    if (found === undefined) return undefined;
    const row = found as Row;
    return this.reading([row], LATEST, recordOf)(row);
  }

  /** Claims as the holder of their key reads them. @throws BadCursor */
  ownClaims(query: ClaimQuery): Page<OwnClaimRow> {
    return this.page(query, LATEST, (row, findings) => ownRowOf(rowOf(recordOf(row, findings))));
  }

  /** Claims whose action is a review, and that have none. */
  waiting(): Total {
    return totalOf(this.view, `claims WHERE action = 'review' AND NOT ${reviewedUpTo(LATEST)}`);
  }

  /** The key that made a claim; it names the claim's stream. */
  keyOf(claimId: string): string | undefined {
    const row = this.view.db.prepare('SELECT key_id FROM claims WHERE claim_id = ?').raw().get(claimId);
    return (row as [string] | undefined)?.[0];
  }

  /** Keys in the order of their creation. @throws BadCursor */
  keys(query: { limit: number; cursor?: string }): Page<KeyFactsRow> {
    const after = query.cursor === undefined ? 0 : readCursor(query.cursor);
    const rows = this.view.db
      .prepare(
        `SELECT position, name, prefix, kind, population, created_at, created_by, life, revoked_at, revoked_by FROM keys
         WHERE position > ? ORDER BY position LIMIT ?`,
      )
      .raw()
      .all(after, query.limit + 1) as [number, ...(string | null)[]][];
    return pageOf(
      rows,
      query.limit,
      ([, name, prefix, kind, population, created_at, created_by, life, revoked_at, revoked_by]) => ({
        name: name!,
        prefix: prefix!,
        kind: kind!,
        population: population!,
        created_at: created_at!,
        created_by: created_by!,
        ...(JSON.parse(life!) as KeyLife),
        revoked_at,
        revoked_by,
      }),
    );
  }

  /** Ids of the keys whose shown prefix begins so: two at most, because two are one too many. */
  keysByPrefix(prefix: string): string[] {
    const rows = this.view.db
      .prepare('SELECT id FROM keys WHERE substr(prefix, 1, ?) = ? LIMIT 2')
      .raw()
      .all(prefix.length, prefix) as [string][];
    return rows.map(([id]) => id);
  }
}

/** Claims up to the position ?1, which stands first in every statement. */
function upTo(among?: number[]): Conditions {
  const conditions = new Conditions();
  conditions.where('position <= ?1');
  if (among) conditions.where(`position IN (${among.join(', ')})`);
  return conditions;
}

/** The page's own bound, which goes first: SQLite begins to read at the first one, and would skip all that is newer. */
function since(before: number): Conditions {
  const conditions = new Conditions();
  conditions.where('position < ?', before);
  return conditions;
}

/** A query's conditions on a claim besides its place. */
function conditionsOf({ key, label, reference, finding, status, ...query }: Partial<ClaimQuery>): Conditions {
  const conditions = new Conditions();
  conditions.equal('key_id', query.keyId);
  if (key !== undefined) {
    conditions.where('key_id = (SELECT id FROM keys WHERE prefix = ? OR name = ? ORDER BY position LIMIT 1)', key, key);
  }
  if (query.key_kind !== undefined) conditions.where('key_id IN (SELECT id FROM keys WHERE kind = ?)', query.key_kind);
  conditions.equal('population', query.population);
  // Written out, so that the index of what waits for a review serves.
  if (query.verdict !== undefined)
    conditions.where(`verdict = '${query.verdict === 'MATCH' ? 'MATCH' : 'NO_MATCH'}' AND scored <= ?1`);
  if (query.action !== undefined) conditions.where('action = ? AND scored <= ?1', query.action);
  if (query.p_min !== undefined) conditions.where('probability >= ? AND scored <= ?1', query.p_min);
  if (query.p_max !== undefined) conditions.where('probability <= ? AND scored <= ?1', query.p_max);
  if (query.warning !== undefined) {
    conditions.where('position IN (SELECT claim FROM claim_warnings WHERE kind = ?) AND scored <= ?1', query.warning);
  }
  if (query.reviewed !== undefined) {
    const reviewed = reviewedUpTo('?1');
    conditions.where(query.reviewed ? reviewed : `NOT ${reviewed}`);
  }
  if (query.reject_target !== undefined) conditions.equal('rung', Number(query.reject_target).toFixed(2));
  if (label === 'none') {
    conditions.where('NOT EXISTS (SELECT 1 FROM labels WHERE claim = position AND since <= ?1 AND until > ?1)');
  } else if (label !== undefined) {
    conditions.where('position IN (SELECT claim FROM labels WHERE since <= ?1 AND until > ?1 AND label = ?)', label);
  }
  if (reference !== undefined) {
    conditions.where('position IN (SELECT position FROM claim_references WHERE reference = ?)', reference);
  }
  if (query.search !== undefined) {
    const id = query.search.toLowerCase();
    const ofStone = `SELECT position FROM claim_references
      WHERE reference COLLATE NOCASE >= ? AND reference COLLATE NOCASE < ?`;
    conditions.where(
      `((claim_id >= ? AND claim_id < ?) OR position IN (${ofStone}))`,
      ...[id, id + LAST_CHARACTER, query.search, query.search + LAST_CHARACTER],
    );
  }
  if (query.from !== undefined) conditions.where('submitted_at >= ?', query.from);
  if (query.to !== undefined) conditions.where('submitted_at < ?', query.to);
  if (status === 'scored' || finding !== undefined) conditions.where('scored <= ?1');
  if (status === 'unfinished') conditions.where('(scored IS NULL OR scored > ?1)');
  return conditions;
}

function recordOf(row: Row, findings: Finding[]): ClaimRecord {
  const [, submission, scoring, repeats, labelling, submitted_at, review] = row;
  const { at: _, ...submitted } = JSON.parse(submission) as PublicSubmission;
  const scored = scoring === null ? undefined : (JSON.parse(scoring) as PublicScoring);
  return {
    status: scored ? 'scored' : 'unfinished',
    submitted_at,
    ...submitted,
    ...(scored
      ? { ...scored, ...adviceOf(scored, submitted.shared_scans ?? 0, scored.action_reasons) }
      : { verdict: null, action: null }),
    // Null where it is not known.
    shared_scans: submitted.shared_scans,
    repeats,
    label: labelling === null ? null : JSON.parse(labelling),
    review: review === null ? null : JSON.parse(review),
    findings,
  };
}
