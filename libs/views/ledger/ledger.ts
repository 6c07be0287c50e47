/** The ledger of claims and keys: every claim with what was logged of it, newest first. */
import type { Finding, Reviewed } from '#domain';
import type { Findings } from '../findings/findings.js';
import { Conditions, type Page, pageOf, readCursor, type Total, totalOf } from '../page.js';
import { type Connection, LATEST } from '../projection.js';
import type { ShownScoring, ShownSubmission } from './fold.js';

export interface ClaimQuery {
  limit: number;
  /** As the page before gave it. */
  cursor?: string;
  /** Name, or shown prefix, of the key. */
  key?: string;
  population?: string;
  verdict?: 'MATCH' | 'NO_MATCH';
  /** As `0.98`. */
  rung?: string;
  /** `none`: not labelled. */
  label?: 'match' | 'no_match' | 'none';
  reference?: string;
  /** ISO 8601, inclusive. */
  from?: string;
  /** ISO 8601, exclusive. */
  to?: string;
  finding?: Finding;
  status?: 'scored' | 'unfinished';
  /** Of `p_match_5050`, inclusive. */
  pMin?: number;
  /** Whether an operator has noted something of it. */
  reviewed?: boolean;
  /** The ledger as it was when it held all up to this position. Default: as it is. */
  asOf?: number;
}

export type ClaimRecord = ShownSubmission & {
  status: 'scored' | 'unfinished';
  submitted_at: string;
  repeats: number;
  label: Record<string, unknown> | null;
  review: Omit<Reviewed, 'request_id'> | null;
  findings: Finding[];
} & ({ verdict: null } | ShownScoring);

export interface KeyRow {
  name: string;
  prefix: string;
  kind: string;
  population: string;
  status: 'active' | 'revoked';
  created_at: string;
  created_by: string;
  revoked_at: string | null;
  revoked_by: string | null;
}

/** A NO_MATCH that is at least so probable wants a person to look (specification 2.6). */
export const REVIEW_FROM = 0.6;

/** Marked claims looked at in one step. */
const FINDING_PAGE = 500;
/** What held at the position ?1. */
const COLUMNS = `position, submission, CASE WHEN scored <= ?1 THEN scoring END,
  (SELECT count(*) FROM repeats WHERE claim = claims.position AND repeats.position <= ?1),
  (SELECT labelling FROM labels WHERE claim = claims.position AND since <= ?1 AND until > ?1), submitted_at,
  (SELECT review FROM reviews WHERE claim = claims.position AND reviews.position <= ?1
   ORDER BY reviews.position DESC LIMIT 1)`;
type Row = [
  position: number,
  submission: string,
  scoring: string | null,
  repeats: number,
  labelling: string | null,
  submittedAt: string,
  review: string | null,
];

export class Ledger {
  constructor(
    private readonly view: { readonly db: Connection },
    private readonly findings: Findings,
  ) {}

  /** Newest first; what is appended later does not shift the pages that follow. @throws BadCursor */
  claims(query: ClaimQuery): Page<ClaimRecord> {
    const { limit, cursor, key, label, reference, finding, status, asOf = LATEST } = query;
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : readCursor(cursor);
    const conditions = new Conditions();
    if (key !== undefined) {
      conditions.where(
        'key_id = (SELECT id FROM keys WHERE prefix = ? OR name = ? ORDER BY position LIMIT 1)',
        key,
        key,
      );
    }
    conditions.equal('population', query.population);
    // Written out, so that the index of what waits for a review serves.
    if (query.verdict !== undefined)
      conditions.where(`verdict = '${query.verdict === 'MATCH' ? 'MATCH' : 'NO_MATCH'}' AND scored <= ?1`);
    if (query.pMin !== undefined) conditions.where('probability >= ? AND scored <= ?1', query.pMin);
    if (query.reviewed !== undefined) {
      const known = 'EXISTS (SELECT 1 FROM reviews WHERE claim = claims.position AND reviews.position <= ?1)';
      conditions.where(query.reviewed ? known : `NOT ${known}`);
    }
    conditions.equal('rung', query.rung);
    if (label === 'none') {
      conditions.where('NOT EXISTS (SELECT 1 FROM labels WHERE claim = position AND since <= ?1 AND until > ?1)');
    } else if (label !== undefined) {
      conditions.where('position IN (SELECT claim FROM labels WHERE since <= ?1 AND until > ?1 AND label = ?)', label);
    }
    if (reference !== undefined) {
      conditions.where('position IN (SELECT position FROM claim_references WHERE reference = ?)', reference);
    }
    if (query.from !== undefined) conditions.where('submitted_at >= ?', query.from);
    if (query.to !== undefined) conditions.where('submitted_at < ?', query.to);
    if (status === 'scored' || finding !== undefined) conditions.where('scored <= ?1');
    if (status === 'unfinished') conditions.where('(scored IS NULL OR scored > ?1)');
    const rows =
      finding === undefined
        ? this.rows(asOf, conditions, before, limit + 1)
        : this.rowsBehind(finding, asOf, conditions, before, limit + 1);
    return pageOf(rows, limit, this.recordOf(rows, asOf));
  }

  /** The last position that the log held at a time: clocks step back, so the latest time that it had seen counts. */
  positionAt(time: Date): number {
    const row = this.view.db
      .prepare('SELECT position FROM moments WHERE time <= ? ORDER BY time DESC LIMIT 1')
      .raw()
      .get(time.getTime());
    return (row as [number] | undefined)?.[0] ?? 0;
  }

  private rows(asOf: number, conditions: Conditions, before: number, limit: number, among?: number[]): Row[] {
    const all = new Conditions();
    all.where('position <= ?1 AND position < ?', before);
    if (among) all.where(`position IN (${among.join(', ')})`);
    return this.view.db
      .prepare(`SELECT ${COLUMNS} FROM claims ${all.and(conditions)} ORDER BY position DESC LIMIT ?`)
      .raw()
      .all(asOf, ...all.values, limit) as Row[];
  }

  /** The claims behind findings stand in another view: its pages are held against the other conditions. */
  private rowsBehind(finding: Finding, asOf: number, conditions: Conditions, before: number, limit: number): Row[] {
    const rows: Row[] = [];
    for (let next = before; rows.length < limit; ) {
      const among = this.findings.claimsBehind(finding, next, FINDING_PAGE, asOf);
      if (among.length === 0) break;
      rows.push(...this.rows(asOf, conditions, before, limit - rows.length, among));
      next = among[among.length - 1];
    }
    return rows;
  }

  /** Reads rows; who is behind which finding follows from what is known today of the stones. */
  private recordOf(rows: Row[], asOf: number): (row: Row) => ClaimRecord {
    const scored = rows.filter(([, , scoring]) => scoring !== null);
    const found = this.findings.ofClaims(
      scored.map(([position]) => position),
      asOf,
    );
    return (row) => recordOf(row, found.get(row[0]) ?? []);
  }

  claim(claimId: string): ClaimRecord | undefined {
    const found = this.view.db.prepare(`SELECT ${COLUMNS} FROM claims WHERE claim_id = ?`).raw().get(LATEST, claimId);
    if (found === undefined) return undefined;
    const row = found as Row;
    return this.recordOf([row], LATEST)(row);
  }

  /** Claims answered NO_MATCH that want a review and have none. */
  waiting(): Total {
    const reviewed = 'EXISTS (SELECT 1 FROM reviews WHERE claim = claims.position)';
    return totalOf(
      this.view,
      `claims WHERE verdict = 'NO_MATCH' AND probability >= ? AND NOT ${reviewed}`,
      REVIEW_FROM,
    );
  }

  /** Which key made a claim: what names its stream. */
  keyOf(claimId: string): string | undefined {
    const row = this.view.db.prepare('SELECT key_id FROM claims WHERE claim_id = ?').raw().get(claimId);
    return (row as [string] | undefined)?.[0];
  }

  /** Keys in the order of their creation. @throws BadCursor */
  keys(query: { limit: number; cursor?: string }): Page<KeyRow> {
    const after = query.cursor === undefined ? 0 : readCursor(query.cursor);
    const rows = this.view.db
      .prepare(
        `SELECT position, name, prefix, kind, population, created_at, created_by, revoked_at, revoked_by FROM keys
         WHERE position > ? ORDER BY position LIMIT ?`,
      )
      .raw()
      .all(after, query.limit + 1) as [number, ...(string | null)[]][];
    return pageOf(
      rows,
      query.limit,
      ([, name, prefix, kind, population, created_at, created_by, revoked_at, revoked_by]) => ({
        name: name!,
        prefix: prefix!,
        kind: kind!,
        population: population!,
        status: revoked_at === null ? ('active' as const) : ('revoked' as const),
        created_at: created_at!,
        created_by: created_by!,
        revoked_at,
        revoked_by,
      }),
    );
  }

  /** Ids of the keys whose shown prefix begins so: two at most, as two are one too many. */
  keysByPrefix(prefix: string): string[] {
    const rows = this.view.db
      .prepare('SELECT id FROM keys WHERE substr(prefix, 1, ?) = ? LIMIT 2')
      .raw()
      .all(prefix.length, prefix) as [string][];
    return rows.map(([id]) => id);
  }
}

function recordOf(row: Row, findings: Finding[]): ClaimRecord {
  const [, submission, scoring, repeats, labelling, submitted_at, review] = row;
  const { at: _, ...submitted } = JSON.parse(submission) as ShownSubmission;
  return {
    status: scoring === null ? 'unfinished' : 'scored',
    submitted_at,
    ...submitted,
    ...(scoring === null ? { verdict: null } : (JSON.parse(scoring) as ShownScoring)),
    repeats,
    label: labelling === null ? null : JSON.parse(labelling),
    review: review === null ? null : JSON.parse(review),
    findings,
  } as ClaimRecord;
}
