/** Calls as operators see them: records, and a summary of a window of them. */

import type { Static } from 'typebox';
import type { Verdict } from '#claims/events';
import type { Findings } from '#findings/queries';
import { withinHours } from '#kit/views/hours';
import {
  type Asked,
  type Bucket,
  type CALL_LISTING,
  type CALL_SUMMARY,
  type CALL_WINDOW,
  MAX_BUCKETS,
  type Paging,
} from '#kit/views/listings';
import { Conditions, type Page, pageOf, readCursor } from '#kit/views/page';
import type { Connection } from '#kit/views/projection';
import type { Expected } from '#labels/events';
import type { DriftClaim } from '#science/calibration/drift';
import { quantile } from '#science/numerics/quantile';
import {
  type CallBucket,
  type CallOutline,
  type CallRecord,
  type CallSummary,
  type LabelAgreement,
  type Quantiles,
  shownCall,
  type windowSummary,
} from './shapes-calls.js';

/** ISO 8601: at or after, and before. */
export interface Window {
  from: string;
  to: string;
}

export interface CallQuery extends Asked<typeof CALL_WINDOW> {}
export interface CallSummaryQuery extends Asked<typeof CALL_SUMMARY> {}
export interface CallRecordQuery extends Paging, Asked<typeof CALL_LISTING> {}

/** Calls whose values quantiles are taken of, at most: the latest. */
const MAX_SAMPLED = 5_000;
const QUANTILES = { p05: 0.05, p50: 0.5, p95: 0.95, p99: 0.99 };

const MEASURES = [
  'score',
  'rough_sharpness',
  'polish_sharpness',
  'rough_detail_residual',
  'polish_detail_residual',
] as const;

/** Gauges that drift looks at, in its order. */
const DRIFT_GAUGES = MEASURES.slice(1).join(', ');

type Counts = Record<string, number>;

/** Used if no time is given. */
const DEFAULT_WINDOW_MS = 24 * 3600 * 1000;

/** A window holds more hours or days than are listed. */
export class TooManyBuckets extends RangeError {
  override readonly name = 'TooManyBuckets';
}

/** A window of calls, with all that the views hold of it. */
export interface WindowSummary extends CallSummaryQuery, Static<typeof windowSummary> {
  from: string;
  to: string;
}

declare module '#kit/views/reads' {
  interface ReadModels {
    telemetry: Telemetry;
  }
}

export class Telemetry {
  /** @param findings those opened meanwhile are counted in a window's summary */
  constructor(
    private readonly view: { readonly db: Connection },
    private readonly findings: Findings,
  ) {}

  /** Records, latest first. @throws BadCursor */
  calls(query: CallRecordQuery): Page<CallRecord> {
    const conditions = windowOf(query);
    conditions.where('position < ?', query.cursor === undefined ? Number.MAX_SAFE_INTEGER : readCursor(query.cursor));
    conditions.equal('tag', query.tag);
    // What is rare has indexes, which leave out what most calls are.
    if (query.tag !== undefined && query.tag !== 'verify_match') conditions.where("tag <> 'verify_match'");
    conditions.equal('status', query.status);
    if (query.status !== undefined && query.status !== 200) conditions.where('status <> 200');
    conditions.equal('reason', query.reason);
    conditions.equal('verdict', query.verdict);
    conditions.equal('claim_id', query.claim_id);
    conditions.equal('request_id', query.request_id);
    conditions.equal('kind', query.warning);
    const warned = '(SELECT kind, position AS place FROM warnings) CROSS JOIN calls ON position = place';
    const [from, order] = query.warning === undefined ? ['calls', 'position'] : [warned, 'place'];
    const rows = this.view.db
      .prepare(`SELECT calls.* FROM ${from} ${conditions} ORDER BY ${order} DESC LIMIT ?`)
      .all(...conditions.values, query.limit + 1) as Record<string, unknown>[];
    return pageOf(
      rows.map((row): [number, Record<string, unknown>] => [Number(row.position), row]),
      query.limit,
      ([, row]) => shownCall(row),
    );
  }

  /** Time of each key's last use for a claim, by its shown prefix. */
  lastUses(prefixes: string[]): Map<string, string | null> {
    const rows = this.view.db
      .prepare('SELECT prefix, used_at FROM keys WHERE prefix IN (SELECT value FROM json_each(?))')
      .raw()
      .all(JSON.stringify(prefixes)) as [string, string | null][];
    return new Map(rows);
  }

  /** Summary of one tag; calls without a key are in the summary of all keys and populations. */
  summary(query: CallQuery, tag: 'verify_match' | 'verify_match_replay'): CallSummary {
    const tags = tag === 'verify_match' ? [tag, 'refused_at_the_edge'] : [tag];
    const [tallies = new Tallies()] = [...this.tallied(query, tags).values()];
    const conditions = windowOf(query);
    conditions.equal('tag', tag);
    if (tag !== 'verify_match') conditions.where("tag <> 'verify_match'");
    const sampled = this.view.db
      .prepare(
        `SELECT latency, repeat, ${MEASURES.join(', ')} FROM calls ${conditions} AND status = 200
         ORDER BY at DESC, position DESC LIMIT ?`,
      )
      .raw()
      .all(...conditions.values, MAX_SAMPLED) as [string, ...number[]][];
    // A repeat took its time; it measured nothing new.
    const measured = sampled.filter(([, repeat]) => repeat === 0);
    return {
      calls: tallies.calls,
      repeats: tallies.repeats,
      by_status: tallies.of('status'),
      by_reason: tallies.of('reason'),
      verdicts: tallies.of('verdict'),
      warnings: tallies.of('warning'),
      rough_scans: tallies.of('rough_scans'),
      polish_scans: tallies.of('polish_scans'),
      latency_ms: stages(sampled.map(([latency]) => latency)),
      quantiles: Object.fromEntries(
        MEASURES.map((measure, i) => [measure, quantilesOf(measured.map((row) => row[i + 2] as number))]),
      ) as CallSummary['quantiles'],
      quantiles_over: sampled.length,
    };
  }

  /**
   * What the calls of a window were: whole hours as the fold has counted them, those of its two ends one by one.
   * @param letters of a time that name a bucket; 0 makes one of all
   * @returns by bucket
   */
  private tallied(query: CallQuery, tags: readonly string[], letters = 0): Map<string, Tallies> {
    const { from = '', to = LAST_TIME, ...who } = query;
    const [first, last] = [hourFrom(from), to.slice(0, 13)];
    const whole = first < last;
    const filter = whoOf(who);
    filter.where(`tag IN (${tags.map((tag) => `'${tag}'`).join(', ')})`);
    const hours = new Conditions();
    hours.where('hour >= ? AND hour < ?', first, whole ? last : first);
    hours.and(filter);
    const ends = [windowOf({ from, to: whole ? first : to }).and(filter)];
    if (whole) ends.push(windowOf({ from: last, to }).and(filter));
    const single = 'SELECT at, status, reason, repeat, verdict, warnings, rough_scans, polish_scans, count FROM calls';
    const rows = this.view.db
      .prepare(
        `WITH ends AS MATERIALIZED (${ends.map((of) => `${single} ${of}`).join(' UNION ALL ')})
         SELECT substr(at, 1, ${letters}), what, value, sum(count) FROM (
           SELECT hour AS at, what, value, count FROM tallies ${hours}
           UNION ALL SELECT at, 'status', CAST(status AS TEXT), count FROM ends
           UNION ALL SELECT at, 'reason', reason, count FROM ends WHERE reason IS NOT NULL
           UNION ALL SELECT at, 'repeat', '1', count FROM ends WHERE repeat AND status = 200
           UNION ALL SELECT at, 'verdict', verdict, count FROM ends WHERE verdict IS NOT NULL AND repeat = 0
           UNION ALL SELECT at, 'warning', kind.value, count FROM ends, json_each(warnings) kind WHERE repeat = 0
           UNION ALL SELECT at, 'rough_scans', CAST(rough_scans AS TEXT), count FROM ends WHERE status = 200 AND repeat = 0
           UNION ALL SELECT at, 'polish_scans', CAST(polish_scans AS TEXT), count FROM ends WHERE status = 200 AND repeat = 0
         ) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
      )
      .raw()
      .all(...[...ends, hours].flatMap(({ values }) => values)) as [string, string, string, number][];
    const buckets = new Map<string, Tallies>();
    for (const [bucket, what, value, count] of rows) {
      const tallies = buckets.get(bucket) ?? new Tallies();
      buckets.set(bucket, tallies);
      tallies.add(what, value, count);
    }
    return buckets;
  }

  /**
   * Claims of a population's production keys under a model after a place in the log, in its order, as drift looks at
   * them. Repeats and replays are none.
   */
  driftClaims(population: string, model: string, after: number, limit: number): DriftClaim[] {
    const rows = this.view.db
      .prepare(
        `SELECT position, at, rough_digest, polish_digest, rough_scans, polish_scans, raw_score, ${DRIFT_GAUGES} FROM calls
         WHERE population = ? AND tag = 'verify_match' AND position > ? AND status = 200 AND repeat = 0
         AND key_kind = 'production' AND model = ? ORDER BY position LIMIT ?`,
      )
      .raw()
      .all(population, after, model, limit) as [number, string, string, string, ...number[]][];
    return rows.map(([position, at, rough, polish, roughScans, polishScans, ...values]) => {
      const scans = { rough: roughScans, polish: polishScans };
      return { position, at, rough, polish, scans, values };
    });
  }

  /** Scans and gauges of claims by claim_id, in the order in which drift looks at them. */
  driftGauges(claims: string[]): Map<string, Pick<DriftClaim, 'scans' | 'values'>> {
    const rows = this.view.db
      .prepare(
        `SELECT claim_id, rough_scans, polish_scans, ${DRIFT_GAUGES} FROM calls WHERE claim_id IN (SELECT value FROM json_each(?)) AND repeat = 0`,
      )
      .raw()
      .all(JSON.stringify(claims)) as [string, ...number[]][];
    return new Map(rows.map(([id, rough, polish, ...values]) => [id, { scans: { rough, polish }, values }]));
  }

  /** Calls of a window but replays, in few numbers. */
  outline(window: Window): CallOutline {
    const [own = new Tallies()] = [...this.tallied(window, NO_REPLAYS).values()];
    const [replays = new Tallies()] = [...this.tallied(window, ['verify_match_replay']).values()];
    const { '200': answered = 0 } = own.of('status');
    return {
      calls: own.calls,
      answered,
      repeats: own.repeats,
      refused: own.calls - answered,
      replays: replays.calls,
      ...own.verdicts,
      refusals: own.of('reason'),
      whole_window: true,
    };
  }

  /** The calls of each hour or day, replays left out. @throws TooManyBuckets */
  buckets(query: CallQuery & Window, bucket: Bucket): CallBucket[] {
    const begins = bucketsIn(query, bucket);
    // Times are ISO 8601 in UTC: their beginnings name the hour and the day.
    const letters = bucket === 'hour' ? 13 : 10;
    const counted = this.tallied(query, NO_REPLAYS, letters);
    return begins.map((from) => {
      const tallies = counted.get(from.slice(0, letters)) ?? new Tallies();
      const { '200': answered = 0 } = tallies.of('status');
      const { calls, repeats, verdicts } = tallies;
      return { from, calls, repeats, refused: calls - answered, ...verdicts };
    });
  }

  /**
   * Summary of the last 24 hours unless the query says when.
   * @throws TooManyBuckets
   */
  window(query: CallSummaryQuery, now: Date): WindowSummary {
    const { population, key, key_kind, bucket } = query;
    const window = { ...query, ...windowAt(now, query) };
    const { from, to } = window;
    return {
      ...window,
      ...this.summary(window, 'verify_match'),
      replay: this.summary(window, 'verify_match_replay'),
      findings: this.findings
        .counts(from, to)
        .filter((one) => population === undefined || one.population === population)
        .filter((one) => key === undefined || one.key === key || one.key_prefix === key)
        .filter((one) => key_kind === undefined || one.key_kind === key_kind),
      label_agreement: this.agreement(window),
      ...(bucket && { buckets: this.buckets(window, bucket) }),
    };
  }

  /** By rung, of the claims of the window that bear a label. */
  agreement(query: CallQuery): LabelAgreement[] {
    const conditions = windowOf(query);
    conditions.where("label IS NOT NULL AND repeat = 0 AND tag = 'verify_match'");
    const rows = this.view.db
      .prepare(
        `SELECT rung, verdict, label, count(*) FROM calls ${conditions} GROUP BY rung, verdict, label ORDER BY rung DESC`,
      )
      .raw()
      .all(...conditions.values) as [string, Verdict, Expected, number][];
    return [...new Set(rows.map(([rung]) => rung))].map((of) => {
      const counted = (given: Verdict, is: Expected) =>
        rows.find(([rung, verdict, label]) => rung === of && verdict === given && label === is)?.[3] ?? 0;
      const true_accept = counted('MATCH', 'match');
      const false_accept = counted('MATCH', 'no_match');
      const true_reject = counted('NO_MATCH', 'no_match');
      const false_reject = counted('NO_MATCH', 'match');
      return {
        reject_target: Number(of),
        labelled: true_accept + false_accept + true_reject + false_reject,
        ...{ true_accept, false_accept, true_reject, false_reject },
        confirmed_right: true_accept,
        confirmed_wrong: false_accept,
        rejected_right: true_reject,
        rejected_wrong: false_reject,
      };
    });
  }
}

/** The last 24 hours before the end, which is now, unless both are given. */
export function windowAt(now: Date, given: Partial<Window>): Window {
  const to = given.to ?? new Date(now.getTime() + 1).toISOString();
  return { from: given.from ?? new Date(Date.parse(to) - DEFAULT_WINDOW_MS).toISOString(), to };
}

/** Begins of the hours or days that a window touches. @throws TooManyBuckets */
function bucketsIn({ from, to }: Window, bucket: Bucket): string[] {
  const length = (bucket === 'hour' ? 1 : 24) * 3_600_000;
  const first = Math.floor(Date.parse(from) / length);
  const count = Math.max(Math.ceil(Date.parse(to) / length) - first, 0);
  if (count > MAX_BUCKETS)
    throw new TooManyBuckets(`bucket: the window has ${count} ${bucket}s, ${MAX_BUCKETS} at most: name a shorter one`);
  return Array.from({ length: count }, (_, i) => new Date((first + i) * length).toISOString());
}

const NO_REPLAYS = ['verify_match', 'refused_at_the_edge'];
/** After every time. */
const LAST_TIME = '~';

/** The first hour that begins at a time or after it, as its name. */
function hourFrom(time: string): string {
  const hour = time.slice(0, 13);
  if (time <= `${hour}:00:00.000Z`) return hour;
  return new Date(Date.parse(`${hour}:00:00.000Z`) + 3_600_000).toISOString().slice(0, 13);
}

/** What calls were, counted by kind and value. */
class Tallies {
  private readonly counts = new Map<string, Counts>();

  add(what: string, value: string, count: number): void {
    const counts = this.counts.get(what) ?? {};
    this.counts.set(what, counts);
    counts[value] = count;
  }

  of(what: string): Counts {
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

function windowOf({ from, to, ...who }: CallQuery): Conditions {
  const conditions = new Conditions();
  withinHours(conditions, { from, to });
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

function quantilesOf(values: number[]): Quantiles {
  const sorted = Float64Array.from(values).sort();
  if (sorted.length === 0) return { count: 0 };
  const named = Object.entries(QUANTILES).map(([name, share]) => [name, quantile(sorted, share)]);
  return { count: sorted.length, least: sorted[0], ...Object.fromEntries(named), most: sorted[sorted.length - 1] };
}

function stages(latencies: string[]): Record<string, Quantiles> {
  const values = new Map<string, number[]>();
  for (const text of latencies) {
    for (const [stage, ms] of Object.entries(JSON.parse(text) as Record<string, number>)) {
      const of = values.get(stage);
      if (of) of.push(ms);
      else values.set(stage, [ms]);
    }
  }
  return Object.fromEntries([...values].sort().map(([stage, of]) => [stage, quantilesOf(of)]));
}
