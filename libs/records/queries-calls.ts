/** Calls as operators see them: records, and a summary of a window of them. */

import type { Static } from 'typebox';
import type { Verdict } from '#claims/events';
import type { Findings } from '#findings/queries';
import {
  type Asked,
  type Bucket,
  type CALL_LISTING,
  type CALL_SUMMARY,
  MAX_BUCKETS,
  type Paging,
} from '#kit/views/listings';
import { type Page, pageOf, readCursor } from '#kit/views/page';
import type { Connection } from '#kit/views/projection';
import type { Expected } from '#labels/events';
import type { DriftClaim } from '#science/calibration/drift';
import { quantile } from '#science/numerics/quantile';
import { type CallQuery, countsOf, enoughFrom, NO_CALLS, type Tallies, type Window, windowOf } from './call-counts.js';
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

  /** Summary of a window, and of its replays apart; calls without a key are in the summary of all keys and populations. */
  summary(query: CallQuery): CallSummary & { replay: CallSummary } {
    const [{ own, replays } = NO_CALLS] = [...countsOf(this.view.db, query).values()];
    return { ...this.of(query, own, 'verify_match'), replay: this.of(query, replays, 'verify_match_replay') };
  }

  private of(query: CallQuery, tallies: Tallies, tag: 'verify_match' | 'verify_match_replay'): CallSummary {
    const conditions = windowOf({ ...query, from: enoughFrom(this.view.db, query, tag, MAX_SAMPLED) });
    conditions.equal('tag', tag);
    if (tag !== 'verify_match') conditions.where("tag <> 'verify_match'");
    const sampled = this.view.db
      .prepare(
        `SELECT latency, repeat, ${MEASURES.join(', ')} FROM calls ${conditions} AND status = 200
         ORDER BY ${(query.key ?? query.key_kind ?? query.population) ? '+' : ''}at DESC, position DESC LIMIT ?`,
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
    const [{ own, replays } = NO_CALLS] = [...countsOf(this.view.db, window).values()];
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
    const counted = countsOf(this.view.db, query, letters);
    return begins.map((from) => {
      const { own: tallies } = counted.get(from.slice(0, letters)) ?? NO_CALLS;
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
      ...this.summary(window),
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
        `SELECT rung, verdict, label, count(*) FROM calls INDEXED BY calls_labelled ${conditions} GROUP BY rung, verdict, label ORDER BY rung DESC`,
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

function quantilesOf(values: number[]): Quantiles {
  const sorted = Float64Array.from(values).sort();
  if (sorted.length === 0) return { count: 0 };
  const named = Object.entries(QUANTILES).map(([name, share]) => [name, quantile(sorted, share)]);
  return { count: sorted.length, least: sorted[0], ...Object.fromEntries(named), most: sorted[sorted.length - 1] };
}

function stages(latencies: string[]): Record<string, Quantiles> {
  const values = new Map<string, number[]>();
  for (const latency of JSON.parse(`[${latencies}]`) as Record<string, number>[]) {
    for (const stage in latency) {
      const of = values.get(stage);
      if (of) of.push(latency[stage]);
      else values.set(stage, [latency[stage]]);
    }
  }
  return Object.fromEntries([...values].sort().map(([stage, of]) => [stage, quantilesOf(of)]));
}
