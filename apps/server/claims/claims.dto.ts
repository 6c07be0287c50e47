/** The ledger of claims in the contract. */
import { type Static, Type } from 'typebox';
import {
  EXPECTED,
  FINDINGS,
  type Finding,
  orNull,
  REVIEW_OUTCOMES,
  type ReviewOutcome,
  VERDICTS,
  type Verdict,
} from '#domain';
import { WARNING_KINDS } from '#matching';
import type { GaugeBand } from '#spectra';
import { CLAIM_LISTING, gaugeBand, type ReviewNote, type ClaimRow as Row, reviewNote, shownKey } from '#views';
import {
  Dictionary,
  Flag,
  FromSchema,
  Integer,
  Nested,
  Numeric,
  nullable,
  Objects,
  OneOf,
  optional,
  Text,
  Texts,
  Time,
} from '../http/dto.js';
import { pageQueryOf } from '../http/listing-query.js';
import { OptionalScores, RUNGS } from '../verify-match/verify-match.dto.js';

export class ClaimsQuery extends pageQueryOf(CLAIM_LISTING) {}

export class ScanSetFacts {
  @Text('first 16 hex digits of the scan set’s SHA-256', { pattern: '^[0-9a-f]{16}$' }) digest!: string;
  @Integer('scans used') scans!: number;
  @Integer('of these, copies of another') duplicates!: number;
  @Flag('whether an axis has a hole or stops short of the reference axis') short_coverage!: boolean;
  @Texts('stone references') references!: string[];
  @Numeric('spectral-detail gauge') sharpness!: number;
  @Numeric('noise-character gauge, as answered') detail_residual!: number;
  @Numeric('the same as measured, where polynomial smoothing had it held', nullable)
  detail_residual_measured!: number | null;
  @Numeric('smoothing gauge') locally_polynomial!: number;
}

/** A claim in a row of a table. */
export class ClaimRow implements Row {
  @Text('the claim') claim_id!: string;
  @OneOf(['scored', 'unfinished']) status!: 'scored' | 'unfinished';
  @Time('when') submitted_at!: string;
  @Text('name of the key') key!: string;
  @Text('whose ladder decided') population!: string;
  @OneOf(RUNGS) reject_target!: number;
  @OneOf(VERDICTS, undefined, nullable) verdict!: Verdict | null;
  @Numeric('score', nullable) fused_score!: number | null;
  @Numeric('threshold that the score was compared with', nullable) threshold!: number | null;
  @Numeric('probability where half of all claims are true', nullable) p_match_5050!: number | null;
  @OneOf(WARNING_KINDS, undefined, { isArray: true }) warnings!: string[];
  @Text('first stone reference of the rough', nullable) rough!: string | null;
  @Text('the same of the polish', nullable) polish!: string | null;
  @OneOf(EXPECTED, undefined, nullable) label!: string | null;
  @Flag('whether an operator has reviewed it') reviewed!: boolean;
  @OneOf(REVIEW_OUTCOMES, 'outcome of the latest review', nullable) outcome!: ReviewOutcome | null;
  @OneOf(FINDINGS, undefined, { isArray: true }) findings!: Finding[];
}

export class ClaimRecord extends OptionalScores {
  @Text('the claim') claim_id!: string;
  @OneOf(['scored', 'unfinished']) status!: 'scored' | 'unfinished';
  @Time('when') submitted_at!: string;
  @Time('when', optional) scored_at?: string;
  @Text('id of the request that made the claim') request_id!: string;
  @FromSchema(shownKey) key!: Static<typeof shownKey>;
  @Text('whose ladder decided') population!: string;
  @OneOf(['json', 'multipart']) transport!: 'json' | 'multipart';
  @OneOf(RUNGS) reject_target!: number;
  @Text('digest of the model') model!: string;
  @Text('compute engine', optional) engine?: string;
  @Nested(() => ScanSetFacts) rough!: ScanSetFacts;
  @Nested(() => ScanSetFacts) polish!: ScanSetFacts;
  @OneOf(VERDICTS, undefined, nullable) verdict!: Verdict | null;
  @Texts('as answered', optional) warnings?: string[];
  @Dictionary('number', 'milliseconds by stage', optional) latency_ms?: Record<string, number>;
  @Integer('times it was sent again') repeats!: number;
  @Dictionary(undefined, 'ground truth as it holds now', nullable) label!: Record<string, unknown> | null;
  @FromSchema(Type.With(orNull(reviewNote), { description: 'latest review by an operator' }))
  review!: ReviewNote | null;
  @Integer('scans of the rough that are scans of the polish too', nullable) shared_scans!: number | null;
  @OneOf(FINDINGS, undefined, { isArray: true }) findings!: Finding[];
  @FromSchema(
    Type.Array(gaugeBand, { description: 'what gauges of a side are judged by; of one claim only' }),
    optional,
  )
  gauge_bands?: readonly GaugeBand[];
  @Objects('every event of the claim; of one claim only', optional) history?: object[];
}
