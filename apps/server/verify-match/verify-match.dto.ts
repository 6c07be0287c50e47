/** Claims and their verdicts in the contract. Bodies of claims are read by hand (upload.ts): these say what is read. */

import type { Type } from '@nestjs/common';
import { DEFAULT_REJECT_TARGET, REJECT_TARGETS } from '#calibration';
import { limits } from '#config';
import { VERDICTS, type Verdict } from '#domain';
import { SCAN_FILES } from '#spectra';
import {
  Dictionary,
  Files,
  Integer,
  Nested,
  Numbers,
  Numeric,
  nullable,
  OneOf,
  OnlyTrue,
  optional,
  Text,
  Texts,
} from '../http/dto.js';
import { ApiProperty } from '../http/swagger.js';

/** From 0.99 down. */
export const RUNGS = [...REJECT_TARGETS].reverse();

export class ScanSet {
  @Numbers('cm^-1: one axis for the side, ascending or descending, no value twice', {
    minItems: limits.minPoints,
    maxItems: limits.maxPoints,
  })
  wavenumbers!: number[];

  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: { type: 'number', description: 'absorbance' } },
    description: 'each as long as wavenumbers; all values finite',
    minItems: 1,
    maxItems: limits.jsonSpectra,
  })
  spectra!: number[][];

  @Text('your reference; trimmed, 64 characters are kept', optional) stone_id?: string;
}

export class Claim {
  @Nested(() => ScanSet) rough!: ScanSet;
  @Nested(() => ScanSet) polish!: ScanSet;
  @OneOf(RUNGS, `${DEFAULT_REJECT_TARGET} where it is left out; null is no rung`, optional) reject_target?: number;
}

export class ClaimForm {
  @Files(SCAN_FILES) rough_files!: string[];
  @Files('in the same formats as rough_files') polish_files!: string[];
  @OneOf(RUNGS, undefined, optional) reject_target?: number;
}

/** The scores of a claim, as the verdict shows them, and the ledger, where a claim may have none. */
function scores(more: { required?: false }) {
  class Scores {
    @Numeric('mean of member_scores, compared with the threshold; negative too, by a population’s own scorer', more)
    fused_score!: number;
    @OneOf(['raw', 'population'], 'scoring rule: population where the population’s own is approved', more)
    scorer!: string;
    @Dictionary('number', 'score by encoder; names and count may change', more) member_scores!: Record<string, number>;
    @Dictionary('number', 'raw cosine by encoder, whatever the scorer', more) member_cosines!: Record<string, number>;
    @Numeric('bar applied to fused_score', more) threshold!: number;
    @Text('begins shipped-default or population-calibrated', more) threshold_source!: string;
    @Numeric('estimated share of genuine claims confirmed here', { ...nullable, ...more })
    expected_genuine_accept!: number | null;
    @Numeric('probability that the claim is true, were as many true as false', { minimum: 0, maximum: 1, ...more })
    p_match_5050!: number;
  }
  return Scores;
}

const Scores = scores({});
export const OptionalScores: Type<Partial<InstanceType<typeof Scores>>> = scores(optional);

export class Verification extends Scores {
  @Text('always verify-match', { const: 'verify-match' }) mode!: string;
  @OneOf(VERDICTS, 'MATCH when fused_score exceeds threshold: decide on this') verdict!: Verdict;
  @OneOf(RUNGS, 'operating point used') reject_target!: number;
  @Integer('scans used') n_rough_scans!: number;
  @Integer('scans used') n_polish_scans!: number;
  @Numeric('spectral-detail gauge') rough_sharpness!: number;
  @Numeric('spectral-detail gauge') polish_sharpness!: number;
  @Numeric('departure from directly acquired noise') rough_detail_residual!: number;
  @Numeric('departure from directly acquired noise') polish_detail_residual!: number;
  @Texts('problems that are not fatal: log them') warnings!: string[];
  @Text('coverage of the calibration: keep it with the result') scope!: string;
  @Text('needed to label the claim later; the same claim sent again has the same one') claim_id!: string;
  @OnlyTrue('on an experimental rung only', optional) experimental?: true;
}
