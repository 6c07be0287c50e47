/** The ledger of claims and keys: every claim with what was logged of it, newest first. */
import type { EventReader } from '#event-store';
import { ledgerProjection, type ShownScoring, type ShownSubmission } from './ledger-fold.js';
import { ViewFile, type ViewHealth } from './view-file.js';

export const FINDINGS = ['probing', 'multi_pass'] as const;
export type Finding = (typeof FINDINGS)[number];

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
}

export type ClaimRecord = ShownSubmission & {
  status: 'scored' | 'unfinished';
  submitted_at: string;
  repeats: number;
  label: Record<string, unknown> | null;
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

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** The cursor is none that a page gave. */
export class BadCursor extends Error {
  override readonly name = 'BadCursor';
}

const COLUMNS = 'position, submission, scoring, verdict, repeats, labelling, probing, multi_pass, submitted_at';
type Row = [
  position: number,
  submission: string,
  scoring: string | null,
  verdict: string | null,
  repeats: number,
  labelling: string | null,
  probing: number,
  multiPass: number,
  submittedAt: string,
];

export class Ledger {
  private readonly view: ViewFile;

  constructor(directory: string, store: EventReader) {
    this.view = new ViewFile(ledgerProjection, directory, store);
  }

  /** Newest first; what is appended later does not shift the pages that follow. @throws BadCursor */
  claims(query: ClaimQuery): Page<ClaimRecord> {
    const conditions: string[] = [];
    const values: (string | number)[] = [];
    const where = (condition: string, ...given: (string | number)[]) => {
      conditions.push(condition);
      values.push(...given);
    };
    if (query.cursor !== undefined) where('position < ?', readCursor(query.cursor));
    if (query.key !== undefined) {
      where('key_id = (SELECT id FROM keys WHERE prefix = ? OR name = ?)', query.key, query.key);
    }
    if (query.population !== undefined) where('population = ?', query.population);
    if (query.verdict !== undefined) where('verdict = ?', query.verdict);
    if (query.rung !== undefined) where('rung = ?', query.rung);
    if (query.label === 'none') where('label IS NULL');
    else if (query.label !== undefined) where('label = ?', query.label);
    if (query.reference !== undefined) {
      where('position IN (SELECT position FROM claim_references WHERE reference = ?)', query.reference);
    }
    if (query.from !== undefined) where('submitted_at >= ?', query.from);
    if (query.to !== undefined) where('submitted_at < ?', query.to);
    if (query.finding !== undefined) where(`${query.finding === 'probing' ? 'probing' : 'multi_pass'} = 1`);
    if (query.status !== undefined) where(query.status === 'scored' ? 'verdict IS NOT NULL' : 'verdict IS NULL');
    const filter = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const rows = this.view.db
      .prepare(`SELECT ${COLUMNS} FROM claims ${filter} ORDER BY position DESC LIMIT ?`)
      .raw()
      .all(...values, query.limit + 1) as Row[];
    return page(rows, query.limit, recordOf);
  }

  claim(claimId: string): ClaimRecord | undefined {
    const row = this.view.db.prepare(`SELECT ${COLUMNS} FROM claims WHERE claim_id = ?`).raw().get(claimId);
    return row === undefined ? undefined : recordOf(row as Row);
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
    return page(
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

  waitFor(position: bigint, timeoutMs: number): Promise<boolean> {
    return this.view.waitFor(position, timeoutMs);
  }

  health(): ViewHealth {
    return this.view.health();
  }

  close(): Promise<void> {
    return this.view.close();
  }
}

function page<R extends [number, ...unknown[]], T>(rows: R[], limit: number, read: (row: R) => T): Page<T> {
  const shown = rows.slice(0, limit);
  const more = rows.length > limit;
  return { items: shown.map(read), next_cursor: more ? writeCursor(shown[shown.length - 1][0]) : null };
}

function recordOf(row: Row): ClaimRecord {
  const [, submission, scoring, verdict, repeats, labelling, probing, multiPass, submitted_at] = row;
  const { at: _, ...submitted } = JSON.parse(submission) as ShownSubmission;
  return {
    status: verdict === null ? 'unfinished' : 'scored',
    submitted_at,
    ...submitted,
    ...(scoring === null ? { verdict: null } : (JSON.parse(scoring) as ShownScoring)),
    repeats,
    label: labelling === null ? null : JSON.parse(labelling),
    findings: [...(probing ? (['probing'] as const) : []), ...(multiPass ? (['multi_pass'] as const) : [])],
  } as ClaimRecord;
}

const writeCursor = (position: number): string => Buffer.from(`p${position}`).toString('base64url');

function readCursor(cursor: string): number {
  const match = /^p([0-9]{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (!match) throw new BadCursor('the cursor is none that a page gave');
  return Number(match[1]);
}
