/**
 * What calls were, counted by key as the fold goes, for each hour and each ten minutes: a window's counts are those of its whole hours,
 * of ten minutes at its two ends, and of single calls for less.
 */

import type { Asked, CALL_WINDOW } from '#kit/views/listings';
import { Conditions } from '#kit/views/page';
import type { Connection } from '#kit/views/projection';
import { withinSpans } from '#kit/views/spans';
import type { Row, Tables } from '#kit/views/tables';

/** ISO 8601: at or after, and before. */
export interface Window {
  from: string;
  to: string;
}

export interface CallQuery extends Asked<typeof CALL_WINDOW> {}

/** Times are ISO 8601 in UTC: so many letters name the hour, and the ten minutes. */
const NAMED = [
  { letters: 13, ms: 3_600_000 },
  { letters: 15, ms: 600_000 },
] as const;
const [HOUR] = NAMED;

export const TALLIES_TABLE = `
  CREATE TABLE tallies (
    letters INTEGER NOT NULL, time TEXT NOT NULL, key_id TEXT NOT NULL, tag TEXT NOT NULL, what TEXT NOT NULL, value TEXT NOT NULL,
    population TEXT, key_kind TEXT, count INTEGER NOT NULL, PRIMARY KEY (letters, time, key_id, tag, what, value)
  ) WITHOUT ROWID`;

/** Written at a flush. `countsOf` counts single calls by the same rules. */
export function talliesIn(tables: Tables) {
  const add = tables.prepare(
    'INSERT INTO tallies VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count',
  );
  const counted = new Map<string, { row: (string | null)[]; count: number }>();
  const count = ({ at, key_id, tag, population, key_kind, count: calls }: Row, what: string, value: unknown) => {
    const facts = [key_id ?? '', tag, what, String(value), population ?? null, key_kind ?? null];
    for (const { letters } of NAMED) {
      const row = [String(at).slice(0, letters), ...facts] as (string | null)[];
      const name = row.join('\n');
      const before = counted.get(name);
      if (before) before.count += Number(calls);
      else counted.set(name, { row, count: Number(calls) });
    }
  };
  return {
    add(call: Row, kinds: readonly string[]): void {
      const { status, reason, verdict, repeat, rough_scans, polish_scans } = call;
      const measured = status === 200 && repeat === 0;
      count(call, 'status', status);
      if (reason) count(call, 'reason', reason);
      if (status === 200 && repeat) count(call, 'repeat', 1);
      if (verdict && !repeat) count(call, 'verdict', verdict);
      for (const kind of kinds) count(call, 'warning', kind);
      if (measured) count(call, 'rough_scans', rough_scans);
      if (measured) count(call, 'polish_scans', polish_scans);
    },
    flush(): void {
      for (const { row, count: calls } of counted.values()) add.run(String(row[0]).length, ...row, calls);
      counted.clear();
    },
  };
}

interface Part extends Window {
  /** Of the names that count it; undefined where its calls are counted one by one. */
  letters?: number;
}

/** A time's beginning as a time; it may be any text. */
const beginOf = (name: string) => name + '0000-00-00T00:00:00.000Z'.slice(name.length);
/** After every time. */
const LAST_TIME = '~';

/** Parts that make up a window, without those in which no time is. */
function partsOf(from: string, to: string, [named, ...finer]: readonly (typeof NAMED)[number][] = NAMED): Part[] {
  if (from >= to) return [];
  if (named === undefined) return [{ from, to }];
  const { letters, ms } = named;
  const name = from.slice(0, letters);
  const first = from <= beginOf(name) ? name : new Date(Date.parse(beginOf(name)) + ms).toISOString().slice(0, letters);
  const last = to.slice(0, letters);
  // After the year 9999 a time is written with a sign.
  if (first >= last || first.startsWith('+')) return partsOf(from, to, finer);
  const ends = [partsOf(from, beginOf(first), finer), partsOf(beginOf(last), to, finer)];
  return [...ends[0], { letters, from: first, to: last }, ...ends[1]];
}

/** Counts of a window's calls, and of its replays apart. */
interface Counted {
  own: Tallies;
  replays: Tallies;
}

/** What the calls of a window were, by bucket. @param letters of a time that name a bucket; 0 makes one of all */
export function countsOf(
  db: Connection,
  { from = '', to = LAST_TIME, ...who }: CallQuery,
  letters = 0,
): Map<string, Counted> {
  const parts = partsOf(from, to);
  const asked: Conditions[] = [];
  const where = (conditions: Conditions) => {
    asked.push(conditions);
    return conditions;
  };
  const single =
    'SELECT at, tag, status, reason, repeat, verdict, warnings, rough_scans, polish_scans, count FROM calls';
  const ends = parts
    .filter((part) => part.letters === undefined)
    .map((part) => `${single} ${where(windowOf({ ...part, ...who }))}`);
  const whole = parts
    .filter((part) => part.letters !== undefined)
    .map((part) => {
      const conditions = new Conditions();
      conditions.where(`letters = ${part.letters} AND time >= ? AND time < ?`, part.from, part.to);
      return `UNION ALL SELECT time, tag, what, value, count FROM tallies ${where(conditions.and(whoOf(who)))}`;
    });
  const rows = db
    .prepare(
      `WITH ends AS MATERIALIZED (${ends.join(' UNION ALL ') || `${single} WHERE position = 0`})
       SELECT substr(at, 1, ${letters}), tag = 'verify_match_replay', what, value, sum(count) FROM (
         SELECT at, tag, 'status' AS what, CAST(status AS TEXT) AS value, count FROM ends
         UNION ALL SELECT at, tag, 'reason', reason, count FROM ends WHERE reason IS NOT NULL
         UNION ALL SELECT at, tag, 'repeat', '1', count FROM ends WHERE repeat AND status = 200
         UNION ALL SELECT at, tag, 'verdict', verdict, count FROM ends WHERE verdict IS NOT NULL AND repeat = 0
         UNION ALL SELECT at, tag, 'warning', kind.value, count FROM ends, json_each(warnings) kind WHERE repeat = 0
         UNION ALL SELECT at, tag, 'rough_scans', CAST(rough_scans AS TEXT), count FROM ends WHERE status = 200 AND repeat = 0
         UNION ALL SELECT at, tag, 'polish_scans', CAST(polish_scans AS TEXT), count FROM ends WHERE status = 200 AND repeat = 0
         ${whole.join(' ')}
       ) GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
    )
    .raw()
    .all(...asked.flatMap(({ values }) => values)) as [string, number, string, string, number][];
  const buckets = new Map<string, Counted>();
  for (const [bucket, isReplay, what, value, count] of rows) {
    const counted = buckets.get(bucket) ?? { own: new Tallies(), replays: new Tallies() };
    buckets.set(bucket, counted);
    (isReplay ? counted.replays : counted.own).add(what, value, count);
  }
  return buckets;
}

/** The latest hour of a window from which on there are so many answered calls of a tag; where there are fewer, its beginning. */
export function enoughFrom(db: Connection, query: CallQuery, tag: string, enough: number): string | undefined {
  const { from = '', to = LAST_TIME, ...who } = query;
  const hours = partsOf(from, to).find(({ letters }) => letters === HOUR.letters);
  if (!hours) return query.from;
  const conditions = new Conditions();
  const answered = `letters = ${HOUR.letters} AND time >= ? AND time < ? AND tag = ? AND what = 'status' AND value = '200'`;
  conditions.where(answered, hours.from, hours.to, tag);
  const latest = `SELECT time, sum(sum(count)) OVER (ORDER BY time DESC) AS calls FROM tallies ${conditions.and(whoOf(who))} GROUP BY time`;
  const [hour] = db
    .prepare(`SELECT max(time) FROM (${latest}) WHERE calls >= ?`)
    .raw()
    .get(...conditions.values, enough) as [string | null];
  return hour === null ? query.from : beginOf(hour);
}

/** What calls were, counted by kind and value. */
export class Tallies {
  private readonly counts = new Map<string, Record<string, number>>();

  add(what: string, value: string, count: number): void {
    const counts = this.counts.get(what) ?? {};
    this.counts.set(what, counts);
    counts[value] = count;
  }

  of(what: string): Record<string, number> {
    return this.counts.get(what) ?? {};
  }

  get calls(): number {
    return Object.values(this.of('status')).reduce((sum, count) => sum + count, 0);
  }

  get repeats(): number {
    return this.of('repeat')['1'] ?? 0;
  }

  get verdicts() {
    const { MATCH = 0, NO_MATCH = 0 } = this.of('verdict');
    const verdicts = MATCH + NO_MATCH;
    return { verdicts: { MATCH, NO_MATCH }, match_share: verdicts > 0 ? MATCH / verdicts : null };
  }
}

export const NO_CALLS: Counted = { own: new Tallies(), replays: new Tallies() };

/** Conditions on a call's time and key. */
export function windowOf({ from, to, ...who }: CallQuery): Conditions {
  const conditions = new Conditions();
  withinSpans(conditions, { from, to });
  if (from !== undefined) conditions.where('at >= ?', from);
  if (to !== undefined) conditions.where('at < ?', to);
  return conditions.and(whoOf(who));
}

function whoOf({ population, key, key_kind }: Omit<CallQuery, 'from' | 'to'>): Conditions {
  const conditions = new Conditions();
  conditions.equal('population', population);
  conditions.equal('key_kind', key_kind);
  if (key !== undefined) {
    conditions.where('key_id = (SELECT id FROM keys WHERE prefix = ? OR name = ? LIMIT 1)', key, key);
  }
  return conditions;
}
