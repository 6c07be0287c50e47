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
import { withinSpans } from '#kit/views/spans';
import { ACTIONS } from '#science/matching/action';
import {
  type ClaimRecord,
  type ClaimRow,
  COLUMNS,
  type OwnClaimRow,
  ownRowOf,
  type Row,
  recordOf,
  rowOf,
} from './queries-shapes.js';

export interface ClaimQuery extends Paging, Asked<typeof CLAIM_LISTING> {
  /** The ledger as it was when it held all up to this position; goes before `as_of`. Default: as it is. */
  asOf?: number;
  /** Claims of the one key that has this id. */
  keyId?: string;
}

/** Claims of a list looked at in one step. */
const LISTED_PAGE = 500;
/** Filters whose claims a table of its own lists, the rarest first: ?2 is what is asked for, ?3 a place, ?4 how many. */
const LISTS = {
  reference: `SELECT position FROM claim_references WHERE reference = ?2 AND position < ?3 ORDER BY position DESC LIMIT ?4`,
  warning: 'SELECT claim FROM claim_warnings WHERE kind = ?2 AND claim < ?3 ORDER BY claim DESC LIMIT ?4',
  label: `SELECT claim FROM labels WHERE label = ?2 AND claim < ?3 AND since <= ?1 AND until > ?1
    ORDER BY claim DESC LIMIT ?4`,
} as const;
const LISTED = ['finding', ...(Object.keys(LISTS) as (keyof typeof LISTS)[])] as const;
/** True if the latest note on a claim was not to take one back. @param position of the log, as SQL */
const reviewedUpTo = (position: string | number) =>
  `coalesce((SELECT counts FROM reviews WHERE claim = claims.position AND reviews.position <= ${position}
   ORDER BY reviews.position DESC LIMIT 1), 0)`;

/** With a verdict at the position ?1; said so that no index of the order of verdicts is looked through. */
const SCORED = 'scored IS NOT NULL AND +scored <= ?1';
const NEWEST = 'position DESC';
/** After every text that begins as another one does. */
const LAST_CHARACTER = '\u{10ffff}';
/** Orders by a value: the index that has them so, what comes after a row, and the value's column in a row. */
const ORDERS = {
  time: undefined,
  p_match_5050: {
    by: 'probability DESC, position DESC',
    index: 'claims_by_probability',
    after: '(probability, position) < (?, ?)',
    column: 7,
  },
  distance: {
    by: 'distance, position',
    index: 'claims_by_distance',
    after: '(distance, position) > (?, ?)',
    column: 8,
  },
} as const satisfies Record<ClaimSort, unknown>;
/** Claims that are put in order when they are asked for, at most; more are read in the order of an index. */
const SORTED = 5000;

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
  private total(query: ClaimQuery, asOf: number): Total {
    const { list, conditions } = this.listed(query, LATEST, asOf);
    const counted = (more: Conditions) => totalOf(this.view, `claims ${more.and(conditions)}`, asOf, ...more.values);
    if (list === undefined) return counted(upTo());
    let total = 0;
    for (const among of list) {
      total += counted(upTo(among)).total;
      if (total > COUNTED_UP_TO) break;
    }
    return { total: Math.min(total, COUNTED_UP_TO), total_exact: total <= COUNTED_UP_TO };
  }

  private page<T>(query: ClaimQuery, asOf: number, read: (row: Row, findings: Finding[]) => T): Page<T> {
    const { limit, cursor, finding, sort = 'time' } = query;
    const order = ORDERS[sort];
    if (order === undefined) {
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : readCursor(cursor);
      const rows = this.newest(query, before, asOf, limit + 1);
      return pageOf(rows, limit, this.reading(rows, asOf, read));
    }
    const conditions = conditionsOf(query, asOf);
    if (finding !== undefined) throw new TypeError('claims behind a finding are in another view, by time alone');
    const among = upTo().and(inTime(query)).and(conditions);
    among.where(SCORED);
    const many = this.areMany(among, asOf);
    const ofVerdict = sort === 'p_match_5050' && query.verdict === 'NO_MATCH';
    const index = ofVerdict ? 'claims_to_review' : order.index;
    if (cursor !== undefined) among.where(order.after, ...readSortedCursor(cursor));
    const rows = many
      ? this.rows(asOf, among, order.by, limit + 1, `INDEXED BY ${index}`)
      : this.rows(asOf, among, `+${order.by}`, limit + 1);
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

  /** True if more claims meet the conditions than are put in order at once. ?1 goes first, as a bare ? takes the next number. */
  private areMany(conditions: Conditions, asOf: number): boolean {
    const sql = `SELECT count(*) FROM (SELECT ?1 FROM claims ${conditions} LIMIT ${SORTED + 1})`;
    const [found] = this.view.db
      .prepare(sql)
      .raw()
      .get(asOf, ...conditions.values) as [number];
    return found > SORTED;
  }

  private rows(asOf: number, conditions: Conditions, order: string, limit: number, by = ''): Row[] {
    return this.view.db
      .prepare(`SELECT ${COLUMNS} FROM claims ${by} ${conditions} ORDER BY ${order} LIMIT ?`)
      .raw()
      .all(asOf, ...conditions.values, limit) as Row[];
  }

  /** Claims before a place, newest first. What a table of its own lists is compared with the other conditions. */
  private newest(query: ClaimQuery, before: number, asOf: number, limit: number): Row[] {
    const { list, conditions } = this.listed(query, before, asOf);
    if (list === undefined) {
      const among = since(before).and(upTo()).and(conditions);
      const ofProbability = query.p_min !== undefined || query.p_max !== undefined;
      // Few of a range of probabilities are found by its index, many in the order of all claims.
      const few = ofProbability && !this.areMany(among, asOf);
      return this.rows(asOf, among, few ? `+${NEWEST}` : NEWEST, limit);
    }
    const rows: Row[] = [];
    for (const among of list) {
      rows.push(...this.rows(asOf, upTo(among).and(conditions), NEWEST, limit - rows.length));
      if (rows.length >= limit) break;
    }
    return rows;
  }

  /**
   * The first filter of a query whose claims a table of its own lists, so that no other claims are read.
   * @returns places of these claims, newest first, some at a time; and the query's other conditions
   */
  private listed(
    query: ClaimQuery,
    before: number,
    asOf: number,
  ): { list?: Generator<number[]>; conditions: Conditions } {
    const filter = LISTED.find((one) => query[one] !== undefined && query[one] !== 'none');
    const { [filter ?? 'finding']: value, ...rest } = query;
    const conditions = inTime(rest).and(conditionsOf(rest, asOf));
    if (filter === undefined) return { conditions };
    if (filter === 'finding' || filter === 'warning') conditions.where(SCORED);
    const step = (from: number): number[] =>
      filter === 'finding'
        ? this.findings.claimsBehind(value as Finding, from, LISTED_PAGE, asOf)
        : firsts(this.view.db.prepare(LISTS[filter]).raw().all(asOf, value, from, LISTED_PAGE));
    function* steps(): Generator<number[]> {
      for (let among = step(before); among.length > 0; among = step(among[among.length - 1])) yield among;
    }
    return { list: steps(), conditions };
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
    return totalOf(this.view, "claims WHERE action = 'review' AND reviewed = 0");
  }

  /** The key that made a claim, which names the claim's stream, and the revisions of its labels in the key's. */
  placesOf(claimId: string): { keyId: string; labels: number[] } | undefined {
    const labels = '(SELECT json_group_array(revision) FROM labels WHERE claim = position)';
    const row = this.view.db.prepare(`SELECT key_id, ${labels} FROM claims WHERE claim_id = ?`).raw().get(claimId);
    const [keyId, revisions] = (row ?? []) as [string?, string?];
    return keyId === undefined ? undefined : { keyId, labels: JSON.parse(revisions as string) };
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

  keyNames(): string[] {
    return (this.view.db.prepare('SELECT name FROM keys').raw().all() as [string][]).map(([name]) => name);
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

const firsts = (rows: unknown[]) => (rows as [number][]).map(([value]) => value);

/** The page's own bound, which goes first: SQLite begins to read at the first one, and would skip all that is newer. */
function since(before: number): Conditions {
  const conditions = new Conditions();
  conditions.where('position < ?', before);
  return conditions;
}

/** The range of places that a query's times leave. */
function inTime(query: Pick<ClaimQuery, 'from' | 'to'>): Conditions {
  const conditions = new Conditions();
  withinSpans(conditions, query);
  return conditions;
}

/** A query's conditions on a claim besides its place. What holds now has a column of its own, with an index. */
function conditionsOf({ key, label, reference, status, ...query }: Partial<ClaimQuery>, asOf: number): Conditions {
  const now = asOf === LATEST;
  const conditions = new Conditions();
  conditions.equal('key_id', query.keyId);
  if (key !== undefined) {
    conditions.where('key_id = (SELECT id FROM keys WHERE prefix = ? OR name = ? ORDER BY position LIMIT 1)', key, key);
  }
  conditions.equal('key_kind', query.key_kind);
  conditions.equal('population', query.population);
  // Written out, so that the index of what waits for a review serves.
  if (query.verdict !== undefined)
    conditions.where(`verdict = '${query.verdict === 'MATCH' ? 'MATCH' : 'NO_MATCH'}' AND ${SCORED}`);
  if (query.action !== undefined)
    conditions.where(`action = '${ACTIONS.find((one) => one === query.action)}' AND ${SCORED}`);
  if (query.p_min !== undefined) conditions.where(`probability >= ? AND ${SCORED}`, query.p_min);
  if (query.p_max !== undefined) conditions.where(`probability <= ? AND ${SCORED}`, query.p_max);
  if (query.warning !== undefined) {
    conditions.where(`position IN (SELECT claim FROM claim_warnings WHERE kind = ?) AND ${SCORED}`, query.warning);
  }
  if (query.reviewed !== undefined) {
    const then = reviewedUpTo('?1');
    if (now) conditions.where(`reviewed = ${Number(query.reviewed)}`);
    else conditions.where(query.reviewed ? then : `NOT ${then}`);
  }
  if (query.reject_target !== undefined) conditions.equal('rung', Number(query.reject_target).toFixed(2));
  if (label === 'none') {
    conditions.where(now ? 'labelled IS NULL' : '(labelled IS NULL OR labelled > ?1)');
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
  if (status === 'scored') conditions.where(SCORED);
  if (status === 'unfinished') conditions.where(now ? 'scored IS NULL' : '(scored IS NULL OR scored > ?1)');
  return conditions;
}
