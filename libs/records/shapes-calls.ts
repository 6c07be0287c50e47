/** Calls, and windows of them, as they are answered. */
import { type Static, Type } from 'typebox';
import { optional, orNull } from '#domain/schemas';
import { findingCounts } from '#findings/queries-shapes';
import { anyObject, counts, integer, number, rung, shownKey, string, time, verdict } from '#kit/views/shapes';

const quantiles = () => anyObject<Record<string, Quantiles>>('count, least, p05, p50, p95, p99, most by name');
export type Quantiles = { count: number } & Partial<Record<'p05' | 'p50' | 'p95' | 'p99' | 'least' | 'most', number>>;

const callSummaryMembers = {
  calls: integer('calls that ended'),
  repeats: integer('of these, claims sent again'),
  by_status: counts('by HTTP status'),
  by_reason: counts('refused calls by reason'),
  verdicts: counts('repeats left out'),
  warnings: counts('by kind'),
  rough_scans: counts('claims by number of rough scans'),
  polish_scans: counts('the same of polish scans'),
  latency_ms: quantiles(),
  quantiles: quantiles(),
  quantiles_over: integer('number of latest calls behind the quantiles'),
};
export const callSummary = Type.Object(callSummaryMembers, { $id: 'CallSummary' });
export type CallSummary = Static<typeof callSummary>;

const matchShare = orNull(number('share of MATCH; null without a verdict'));
const noRepeats = { description: 'repeats left out' };

const verdictCounts = Type.Object({ MATCH: integer('claims'), NO_MATCH: integer('claims') }, { $id: 'VerdictCounts' });
/** A window of calls in few numbers. */
export const callOutline = Type.Object(
  {
    calls: integer('calls of the window that ended; replays left out'),
    answered: integer('answered with a verdict'),
    repeats: integer('of these, claims sent again'),
    refused: integer('refused'),
    replays: integer('replays, which are no claims: beside the calls'),
    verdicts: Type.With(verdictCounts, noRepeats),
    match_share: matchShare,
    refusals: counts('refused calls by reason'),
    whole_window: Type.Boolean({
      description:
        'false: the window holds more than 100,000 records of calls, and only its latest 100,000 are counted',
    }),
  },
  { $id: 'ClaimsOverview' },
);
export type CallOutline = Static<typeof callOutline>;

const bucketVerdicts = Type.Object(
  { MATCH: integer('claims confirmed'), NO_MATCH: integer('claims not confirmed') },
  { $id: 'BucketVerdicts' },
);
/** The calls of one hour or day. */
export const callBucket = Type.Object(
  {
    from: time('start of the hour or day, UTC'),
    calls: integer('calls that ended; replays left out'),
    repeats: integer('of these, claims sent again'),
    refused: integer('calls without a verdict'),
    verdicts: Type.With(bucketVerdicts, noRepeats),
    match_share: matchShare,
  },
  { $id: 'CallBucket' },
);
export type CallBucket = Static<typeof callBucket>;

const formerly = (description: string) => Type.Integer({ description, deprecated: true });
export const labelAgreement = Type.Object(
  {
    reject_target: rung,
    labelled: integer('labelled claims'),
    true_accept: integer('MATCH, labelled match'),
    false_accept: integer('MATCH, labelled no_match'),
    true_reject: integer('NO_MATCH, labelled no_match'),
    false_reject: integer('NO_MATCH, labelled match'),
    confirmed_right: formerly('as true_accept, its name from now on'),
    confirmed_wrong: formerly('as false_accept, its name from now on'),
    rejected_right: formerly('as true_reject, its name from now on'),
    rejected_wrong: formerly('as false_reject, its name from now on'),
  },
  { $id: 'LabelAgreement' },
);
export type LabelAgreement = Static<typeof labelAgreement>;

/** All that the views hold of a window of calls. */
export const windowSummary = Type.Object({
  ...callSummaryMembers,
  from: time('start of the window'),
  to: time('end of the window'),
  replay: Type.With(callSummary, { description: 'replays, counted apart' }),
  findings: Type.Array(findingCounts),
  label_agreement: Type.Array(labelAgreement),
  buckets: optional(Type.Array(callBucket, { description: 'with bucket: oldest first, empty ones too' })),
});

/** One call as its record has it, besides what it measured. */
export const callRecord = Type.Object(
  {
    position: string('place in the log'),
    at: time(),
    tag: string('verify_match, verify_match_replay or refused_at_the_edge'),
    status: integer('HTTP status'),
    count: integer('calls that the record stands for'),
    request_id: optional(string('the request')),
    claim_id: optional(string('the claim')),
    key: optional(shownKey),
    population: optional(string('population of the key')),
    reason: optional(string('kind of the refusal')),
    verdict: optional(verdict),
  },
  { $id: 'TelemetryRecord', description: 'and what was measured, by name', additionalProperties: true },
);
export type CallRecord = Static<typeof callRecord>;

const SIDE_COLUMNS = [
  'scans',
  'sharpness',
  'detail_residual',
  'detail_residual_measured',
  'references',
  'digest',
] as const;

/** A row as a record: what it does not have is left out. */
export function shownCall(row: Record<string, unknown>): CallRecord {
  const {
    position,
    rung,
    warnings,
    latency,
    key_id: _,
    key_name,
    key_prefix,
    key_kind,
    repeat,
    label,
    probability,
    ...rest
  } = row;
  const side = (name: 'rough' | 'polish') => {
    const known = SIDE_COLUMNS.flatMap((column) => {
      const value = rest[`${name}_${column}`];
      return value === null ? [] : [[column, column === 'references' ? JSON.parse(String(value)) : value]];
    });
    return known.length > 0 ? Object.fromEntries(known) : undefined;
  };
  const record: Record<string, unknown> = {
    position: String(position),
    ...Object.fromEntries(
      Object.entries(rest).filter(([name, value]) => value !== null && !/^(rough|polish)_/.test(name)),
    ),
    ...(key_name !== null && { key: { name: key_name, prefix: key_prefix, kind: key_kind } }),
    ...(rung !== null && { reject_target: Number(rung) }),
    ...(probability !== null && { p_match_5050: probability }),
    ...(repeat === 1 && rest.status === 200 && { repeat: true }),
    ...(label !== null && { label }),
    ...(warnings !== null && { warnings: JSON.parse(String(warnings)) }),
    ...(latency !== null && { latency_ms: JSON.parse(String(latency)) }),
    rough: side('rough'),
    polish: side('polish'),
  };
  if (record.request_id === '') delete record.request_id;
  for (const name of ['rough', 'polish']) if (record[name] === undefined) delete record[name];
  return record as CallRecord;
}
