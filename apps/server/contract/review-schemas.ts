/** Schemas of what operators review. */
import { DRIFT_LIMIT, DRIFT_MEASURES } from '#calibration';
import {
  driftSource,
  driftStatus,
  expected,
  flag,
  keyShown,
  list,
  number,
  object,
  orNull,
  rejectTarget,
  type Schema,
  text,
  time,
  verdict,
  whole,
} from './schemas.js';

const counts: Schema = { type: 'object', additionalProperties: { type: 'integer' } };
const quantiles: Schema = { type: 'object', description: 'count, least, p05, p50, p95, p99, most by name' };
const summary = {
  calls: whole('calls that ended'),
  repeats: whole('of these, claims sent again'),
  by_status: { ...counts, description: 'by HTTP status' },
  by_reason: { ...counts, description: 'refused calls by reason' },
  verdicts: { ...counts, description: 'repeats left out' },
  warnings: { ...counts, description: 'by kind' },
  rough_scans: { ...counts, description: 'claims by number of rough scans' },
  polish_scans: { ...counts, description: 'the same of polish scans' },
  latency_ms: quantiles,
  quantiles,
  quantiles_over: whole('latest calls that quantiles are taken of'),
};
const window = orNull(
  object({
    from: whole('place in the log of its first claim'),
    to: whole('the same of its last'),
    until: time('when that was made'),
    claims: whole('claims in it'),
    measures: list(
      object({
        measure: { type: 'string', enum: [...DRIFT_MEASURES] },
        statistic: number('Anderson-Darling statistic of window against baseline'),
        drifted: flag(`whether it exceeds ${DRIFT_LIMIT}`),
        baseline_median: number('median of the baseline'),
        window_median: number('median of the window'),
        shift: orNull(number('from median to median, in standard deviations of the baseline')),
      }),
    ),
  }),
);
const setShown = object({ digest: text('first 16 hex digits'), references: list(text('stone reference')) });

export const reviewSchemas: Record<string, Schema> = {
  Finding: object({
    id: text('the finding'),
    kind: { type: 'string', enum: ['probing', 'multi_pass'] },
    status: { type: 'string', enum: ['open', 'reviewed'] },
    key: keyShown,
    keys: list(keyShown, { description: 'all whose claims are behind it; key is the one whose claim opened it' }),
    population: text('the keys’'),
    evidence: list(
      object({
        by: { type: 'string', enum: ['key', 'population'] },
        keys: list(text('name')),
        roughs: whole('that the key by itself, or the keys together, claimed or were confirmed for'),
        claims: whole('behind that'),
      }),
      { description: 'key: one by itself; population: its production keys together' },
    ),
    breach: orNull(text('the operating rule, where a production key broke it by probing a panel of roughs')),
    polish: object({ digests: list(text('first 16 hex digits')), references: list(text('stone reference')) }),
    roughs: whole('roughs claimed, or confirmed, for the polish'),
    claims_total: whole('claims behind it'),
    claims: list(
      object({
        claim_id: text('the claim'),
        submitted_at: time('when'),
        reject_target: rejectTarget,
        verdict,
        fused_score: number('score'),
        label: { type: ['string', 'null'], enum: [...expected.enum, null] },
        rough: setShown,
        polish: setShown,
      }),
      { description: 'latest first' },
    ),
    opened_at: time('when'),
    last_claim_at: time('when'),
    review: {
      ...object({ note: text('the operator’s'), operator: text('who'), at: time('when') }),
      type: ['object', 'null'],
    },
  }),
  TelemetrySummary: object({
    from: time('begin of the window'),
    to: time('its end'),
    ...summary,
    replay: object(summary),
    findings: list(
      object({
        kind: { type: 'string', enum: ['probing', 'multi_pass'] },
        key_kind: { type: 'string', enum: ['production', 'test'] },
        population: text('the key’s'),
        key: text('its name'),
        key_prefix: text('its prefix'),
        findings: whole('opened in the window'),
        open: whole('not reviewed'),
        breaches: whole('panels of roughs probed with a production key'),
      }),
    ),
    drift: list(
      object({
        population: text('drifts at present, whatever the window'),
        since: time('end of the window of claims that the episode began with'),
        measures: list(text('measure that differs')),
      }),
    ),
    label_agreement: list(
      object({
        reject_target: rejectTarget,
        labelled: whole('claims with a label'),
        confirmed_right: whole('MATCH, labelled match'),
        confirmed_wrong: whole('MATCH, labelled no_match'),
        rejected_right: whole('NO_MATCH, labelled no_match'),
        rejected_wrong: whole('NO_MATCH, labelled match'),
      }),
    ),
    queue: { type: 'object', description: 'waiting and running jobs, and the workers' },
  }),
  TelemetryRecord: object(
    {
      position: text('place in the log'),
      at: time('when'),
      tag: text('verify_match, verify_match_replay or refused_at_the_edge'),
      status: whole('HTTP status'),
      count: whole('calls that the record stands for'),
      request_id: text('the request'),
      claim_id: text('the claim'),
      key: keyShown,
      population: text('the key’s'),
      reason: text('kind of the refusal'),
      verdict,
    },
    ['request_id', 'claim_id', 'key', 'population', 'reason', 'verdict'],
  ),
  Drift: object({
    population: text('the population'),
    model: text('digest of the live model'),
    status: driftStatus,
    baseline: object({
      source: driftSource,
      reject_target: { ...rejectTarget, type: ['number', 'null'], enum: [...rejectTarget.enum, null] },
      approved_at: orNull(time('when')),
      claims: whole('claims that it is made of'),
      position: text('place in the log after which windows begin'),
    }),
    window_claims: whole('claims of a window; windows do not overlap'),
    windows: whole('windows held against the baseline, each once'),
    waiting: whole('claims towards the next one'),
    began: { ...window, description: 'the window that the present episode began with' },
    latest: { ...window, description: 'the latest window' },
  }),
  Hygiene: object({
    at: time('when'),
    checks: list(
      object({
        check: text('name of the check'),
        meaning: text('what it means'),
        advice: text('what to do'),
        status: { type: 'string', enum: ['ok', 'attention'] },
        found: whole('what was found'),
        items: list({ type: 'object' }, { maxItems: 100 }),
      }),
    ),
  }),
  Review: object({ note: text('what was found', { minLength: 1, maxLength: 2000 }) }),
  View: object(
    {
      name: text('the view'),
      version: whole('of its fold'),
      position: text('everything up to here is in it'),
      caughtUp: flag('whether it has reached the log’s end since the start'),
      rebuilding: object({ servedPosition: text('how far the old file goes, which answers meanwhile') }),
      failure: text('why it has stopped'),
    },
    ['rebuilding', 'failure'],
  ),
  Skip: object({
    position: text('where a view has stopped, as its failure says', { pattern: '^[0-9]{1,19}$' }),
    reason: text('why it may be passed over', { minLength: 1, maxLength: 2000 }),
  }),
  Skipped: object(
    {
      position: text('as given'),
      stream: text('the event’s'),
      type: text('the event’s'),
      views: list(text('a view that had stopped there and passes over it; left out: all, as none can read it')),
      reason: text('as given'),
      operator: text('who'),
      at: time('when'),
    },
    ['views'],
  ),
};
