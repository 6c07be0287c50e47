/** The ledger of claims in the contract. */
import { IsNumber, IsOptional, Matches, Max, Min } from 'class-validator';
import { FINDINGS, type Finding, REVIEW_OUTCOMES, type ReviewOutcome, type Verdict } from '#domain';
import type { ClaimQuery } from '#views';
import {
  Dictionary,
  Flag,
  Integer,
  Nested,
  Numeric,
  nullable,
  Objects,
  OneOf,
  OptionalFlag,
  OptionalOneOf,
  OptionalText,
  OptionalTime,
  optional,
  PageQuery,
  Text,
  Texts,
  Time,
} from '../http/dto.js';
import { Read } from '../http/validation.js';
import { ShownKey } from '../keys/keys.dto.js';
import { OptionalScores, RUNGS, VERDICTS } from '../verify-match/verify-match.dto.js';

export class ClaimsQuery extends PageQuery implements ClaimQuery {
  @OptionalText('name or prefix of the key')
  key?: string;

  @OptionalText('population')
  population?: string;

  @OptionalOneOf(VERDICTS, 'verdict')
  verdict?: Verdict;

  @IsOptional()
  @Matches(/^0?[.]9[0-9]?0*$/, { message: 'reject_target must be a rung, such as 0.98' })
  @OneOf(RUNGS, 'rung', optional)
  reject_target?: string;

  @OptionalOneOf(['match', 'no_match', 'none'], 'ground truth')
  label?: 'match' | 'no_match' | 'none';

  @OptionalText('stone reference of either side')
  reference?: string;

  @OptionalTime('submitted at or after')
  from?: string;

  @OptionalTime('submitted before')
  to?: string;

  @OptionalOneOf(FINDINGS, 'claims behind a finding')
  finding?: Finding;

  @OptionalOneOf(['scored', 'unfinished'], 'unfinished: submitted, and no verdict was stored')
  status?: 'scored' | 'unfinished';

  @IsOptional()
  @Read(Number)
  @IsNumber({}, { message: 'p_min must be a number from 0 to 1' })
  @Min(0)
  @Max(1)
  @Numeric('p_match_5050 at least', { minimum: 0, maximum: 1, ...optional })
  p_min?: number;

  @OptionalFlag('whether an operator has noted something of the claim')
  reviewed?: boolean;

  @OptionalTime('as the ledger was then')
  as_of?: string;
}

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

export class ReviewNote {
  @Text('the operator’s') note!: string;
  @OneOf(REVIEW_OUTCOMES, 'whether the verdict, or the finding, held up; null where the operator did not say', nullable)
  outcome!: ReviewOutcome | null;
  @Text('who') operator!: string;
  @Time('when') at!: string;
}

export class ClaimRecord extends OptionalScores {
  @Text('the claim') claim_id!: string;
  @OneOf(['scored', 'unfinished']) status!: 'scored' | 'unfinished';
  @Time('when') submitted_at!: string;
  @Time('when', optional) scored_at?: string;
  @Text('of the request that made it') request_id!: string;
  @Nested(() => ShownKey) key!: ShownKey;
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
  @Nested(() => ReviewNote, 'the latest note of an operator', nullable) review!: ReviewNote | null;
  @Integer('scans of the rough that are scans of the polish too', nullable) shared_scans!: number | null;
  @OneOf(FINDINGS, undefined, { isArray: true }) findings!: Finding[];
  @Objects('every event of the claim; of one claim only', optional) history?: object[];
}
