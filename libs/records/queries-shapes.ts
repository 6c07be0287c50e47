/** Claims and keys as the ledger answers them. */
import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import type { SideFacts } from '#claims/events';
import { one, optional, orNull } from '#domain/schemas';
import { EXPECTED, FINDINGS, REVIEW_OUTCOMES } from '#domain/shapes';
import type { Finding } from '#findings/events';
import {
  action,
  actionReasons,
  anyObject,
  flag,
  gaugeBand,
  integer,
  lookedAtBy,
  number,
  numbers,
  references,
  reviewNote,
  rung,
  scores,
  sharedScans,
  shownKey,
  string,
  texts,
  time,
  verdict,
  warningKinds,
} from '#kit/views/shapes';
import type { Expected } from '#labels/events';
import { adviceOf } from '#science/matching/action';
import { WARNING_KINDS } from '#science/matching/warnings';
import type { StoredOrigin, StoredScoring, StoredSubmission } from './view-ledger.js';

const status = one('scored', 'unfinished');
const findings = Type.Array(one(...FINDINGS));

const scanSetFacts = Type.Object(
  {
    digest: Type.String({ description: 'first 16 hex digits of the scan set’s SHA-256', pattern: '^[0-9a-f]{16}$' }),
    scans: integer('scans used'),
    duplicates: integer('of these, copies of another'),
    short_coverage: flag('whether an axis has a hole or stops short of the reference axis'),
    references,
    sharpness: number('spectral-detail gauge'),
    detail_residual: number('noise-character gauge, as answered'),
    detail_residual_measured: orNull(number('the same as measured, where polynomial smoothing had it held')),
    locally_polynomial: number('smoothing gauge'),
  } satisfies Record<keyof SideFacts, TSchema>,
  { $id: 'ScanSetFacts' },
);

export const claimRecord = Type.Object(
  {
    claim_id: string('the claim'),
    status,
    submitted_at: time(),
    scored_at: optional(time()),
    request_id: string('id of the request that made the claim'),
    key: shownKey,
    population: string('whose ladder decided'),
    transport: one('json', 'multipart'),
    reject_target: rung,
    model: string('digest of the model'),
    engine: optional(string('compute engine')),
    rough: scanSetFacts,
    polish: scanSetFacts,
    verdict: orNull(verdict),
    ...Type.Partial(scores).properties,
    action: orNull(action),
    action_reasons: optional(actionReasons),
    warnings: optional(texts('as answered')),
    warning_kinds: optional(warningKinds),
    latency_ms: optional(numbers('milliseconds by stage')),
    repeats: integer('times it was sent again'),
    label: orNull(anyObject<{ expected: Expected }>('ground truth as it holds now')),
    review: Type.With(orNull(reviewNote), { description: 'latest review by an operator' }),
    shared_scans: orNull(sharedScans),
    findings,
    gauge_bands: optional(
      Type.Array(gaugeBand, { description: 'what gauges of a side are judged by; of one claim only' }),
    ),
    looked_at_by: lookedAtBy,
    history: optional(Type.Array(anyObject(), { description: 'every event of the claim; of one claim only' })),
  } satisfies TProperties & Record<keyof (StoredOrigin & StoredSubmission & StoredScoring), TSchema>,
  { $id: 'ClaimRecord' },
);
export type ClaimRecord = Static<typeof claimRecord>;

/** Columns of a claim in the ledger's view: its state at the position ?1. */
export const COLUMNS = `position, submission, CASE WHEN scored <= ?1 THEN scoring END,
  (SELECT count(*) FROM repeats WHERE claim = claims.position AND repeats.position <= ?1),
  (SELECT labelling FROM labels WHERE claim = claims.position AND since <= ?1 AND until > ?1), submitted_at,
  (SELECT review FROM reviews WHERE claim = claims.position AND reviews.position <= ?1
   ORDER BY reviews.position DESC LIMIT 1), probability, distance, claim_id,
  (SELECT text FROM texts WHERE id = origin), (SELECT text FROM texts WHERE id = warnings)`;
export type Row = [
  position: number,
  submission: string,
  scoring: string | null,
  repeats: number,
  labelling: string | null,
  submittedAt: string,
  review: string | null,
  probability: number,
  distance: number,
  claimId: string,
  origin: string,
  warnings: string,
];

export function recordOf(row: Row, findings: Finding[]): ClaimRecord {
  const [, submission, scoring, repeats, labelling, submitted_at, review, , , claim_id, origin, warnings] = row;
  const { request_id, shared_scans, rough, polish } = JSON.parse(submission) as StoredSubmission;
  const { transport, reject_target, model, key, population } = JSON.parse(origin) as StoredOrigin;
  const scored = scoring === null ? undefined : scoredOf(JSON.parse(scoring), JSON.parse(warnings));
  return {
    status: scored ? 'scored' : 'unfinished',
    ...{ submitted_at, claim_id, request_id, transport, reject_target, model },
    // Null where it is not known.
    shared_scans,
    ...{ key, population, rough, polish },
    ...(scored
      ? { ...scored, ...adviceOf(scored, shared_scans ?? 0, scored.action_reasons) }
      : { verdict: null, action: null }),
    repeats,
    label: labelling === null ? null : JSON.parse(labelling),
    review: review === null ? null : JSON.parse(review),
    findings,
  };
}

const scoredOf = ({ engine, latency_ms, scored_at, ...scores }: StoredScoring, warnings: string[]) => ({
  ...scores,
  ...{ warnings, engine, latency_ms, scored_at },
});

/** A claim in a row of a table. */
export const claimRow = Type.Object(
  {
    claim_id: string('the claim'),
    status,
    submitted_at: time(),
    key: string('name of the key'),
    population: string('whose ladder decided'),
    reject_target: rung,
    verdict: orNull(verdict),
    fused_score: orNull(number('score')),
    threshold: orNull(number('threshold that the score was compared with')),
    p_match_5050: orNull(number('probability where half of all claims are true')),
    action: orNull(action),
    shared_scans: orNull(sharedScans),
    warnings: Type.Array(one(...WARNING_KINDS)),
    rough: orNull(string('first stone reference of the rough')),
    polish: orNull(string('the same of the polish')),
    label: orNull(one(...EXPECTED)),
    reviewed: flag('whether an operator has reviewed it, and has not taken that back'),
    outcome: orNull(Type.With(one(...REVIEW_OUTCOMES), { description: 'outcome of the latest review' })),
    findings,
  },
  { $id: 'ClaimRow' },
);
export type ClaimRow = Static<typeof claimRow>;

export function rowOf(claim: ClaimRecord): ClaimRow {
  const { claim_id, status, submitted_at, key, population, reject_target, rough, polish, label, review } = claim;
  return {
    ...{ claim_id, status, submitted_at, key: key.name, population, reject_target },
    verdict: claim.verdict,
    fused_score: claim.fused_score ?? null,
    threshold: claim.threshold ?? null,
    p_match_5050: claim.p_match_5050 ?? null,
    action: claim.action,
    shared_scans: claim.shared_scans,
    warnings: [...new Set(claim.warning_kinds)],
    rough: rough.references[0] ?? null,
    polish: polish.references[0] ?? null,
    label: label?.expected ?? null,
    reviewed: review !== null && review.outcome !== 'taken_back',
    outcome: review?.outcome ?? null,
    findings: claim.findings,
  };
}

/** A claim as the holder of its key sees it in a listing. */
const {
  key: _,
  population: __,
  shared_scans: ___,
  warnings: ____,
  reviewed: _____,
  findings: ______,
  ...own
} = claimRow.properties;
export const ownClaimRow = Type.Object(own, { $id: 'OwnClaimRow' });
export type OwnClaimRow = Static<typeof ownClaimRow>;

/** Of a row of the ledger what is the caller's to read. */
export function ownRowOf(row: ClaimRow): OwnClaimRow {
  const { key: _, population: __, findings: ___, shared_scans: ____, warnings: _____, reviewed, ...own } = row;
  return { ...own, outcome: reviewed ? own.outcome : null };
}
