import { type CalibrationAsset, scopeInShort } from '#science/calibration/asset';
import { probabilityAt } from '#science/calibration/isotonic';
import {
  DEFAULT_REJECT_TARGET,
  isExperimental,
  type LadderEntry,
  REJECT_TARGETS,
  type RejectTarget,
  rungName,
} from '#science/calibration/ladder';
import type { PopulationScorer } from '#science/calibration/scorer/scorer';
import { DETAIL_RESIDUAL_BAND, type Gauges, measureGauges } from '#science/spectra/gauges/index';
import { Refusal } from '#science/spectra/refusal';
import { nameOfScan, type PreparedSide } from '#science/spectra/scan-set';
import { blankScan, fusedScore, memberCosines } from './encoder.js';
import { refuseForeign } from './lattice.js';
import type { Model } from './model.js';
import { type ExaminedSide, type LetsThrough, warningsOf } from './warnings.js';

/** A side ready to be judged: examined, and with its pooled vector by each encoder of the model, in their order. */
export type ScoredSide = ExaminedSide & { vectors: Float32Array[] };

/**
 * Reads a `reject_target` as a number or as plain decimal text; nothing at all means the default. Throws a Refusal for
 * anything that is not a rung.
 */
export function parseRejectTarget(value: unknown): RejectTarget {
  if (value === undefined) return DEFAULT_REJECT_TARGET;
  const number = typeof value === 'string' && /^\s*0?[.]\d+\s*$/.test(value) ? Number(value) : value;
  // Tolerance for numbers that a client computed, as 1 - 0.02.
  const rung = REJECT_TARGETS.find((target) => typeof number === 'number' && Math.abs(number - target) < 1e-9);
  if (rung === undefined) throw refusedTarget();
  return rung;
}

export const refusedTarget = (fix?: string): Refusal =>
  new Refusal('reject_target', { reason: REJECT_TARGETS.map(rungName).join(', '), fix });

/**
 * Measures a side's gauges and refuses all but unprocessed scans of a diamond: a Refusal of kind `flat` where a scan shows
 * the encoders nothing (edge fill must never make two sides equal), of kind `not_diamond` where the lattice's bands are
 * absent, of kind `noise_character` where the noise of directly acquired data is gone.
 * @param found receives the gauges, which a refusal's record needs too
 */
export function examineSide(prepared: PreparedSide, model: Model, found: { gauges?: Gauges } = {}): ExaminedSide {
  const { side, count, duplicates, shortCoverage, references } = prepared;
  const gauges = measureGauges(prepared);
  found.gauges = gauges;
  refuseForeign(prepared, model.encoders[0].preprocessing, { side: prepared.side });
  refuseBlank(prepared, model);
  refuseProcessed(prepared, gauges);
  return { side, count, duplicates, shortCoverage, references, gauges };
}

function refuseBlank({ side, scans, spectra, count }: PreparedSide, model: Model): void {
  const flat = blankScan(model, spectra, count);
  if (flat < 0) return;
  throw new Refusal('flat', {
    side,
    file: nameOfScan(scans, flat),
    fix: 'send a measured absorbance spectrum over 492 to 5989 cm^-1',
  });
}

function refuseProcessed({ side, scans }: PreparedSide, { detailResidual }: Gauges): void {
  if (detailResidual >= DETAIL_RESIDUAL_BAND.refused) return;
  throw new Refusal('noise_character', {
    side,
    // Measured over all scans of the side: one file is at fault where there is one.
    file: scans.length === 1 ? nameOfScan(scans, 0) : undefined,
    reason: `detail residual ${detailResidual.toFixed(2)}, below ${DETAIL_RESIDUAL_BAND.refused.toFixed(2)}`,
    fix: "send the instrument's unprocessed export, not smoothed, filtered or resampled",
  });
}

/**
 * Decides a claim: both sides against one rung of a ladder. The asset gives the scope and the probability curve, which no
 * rung's approval changes. A population's own scorer brings its own scores, curve and ladder.
 */
export function judge(claim: {
  rough: ScoredSide;
  polish: ScoredSide;
  entry: LadderEntry;
  asset: Pick<CalibrationAsset, 'p_match_5050' | 'scope'>;
  model: Pick<Model, 'encoders'>;
  scorer?: Pick<PopulationScorer, 'score' | 'curve'>;
  /** Measured share of wrong claims of this population that the carried-over threshold lets through. */
  letsThrough?: LetsThrough;
}) {
  const { rough, polish, entry, asset, model, scorer, letsThrough } = claim;
  const cosines = memberCosines(model, rough.vectors, polish.vectors);
  const own = scorer?.score(rough.vectors, polish.vectors);
  const fused = own ? own.fused : fusedScore(rough.vectors, polish.vectors);
  return {
    mode: 'verify-match' as const,
    verdict: fused > entry.threshold ? ('MATCH' as const) : ('NO_MATCH' as const),
    fused_score: fused,
    scorer: own ? ('population' as const) : ('raw' as const),
    member_scores: own ? Object.fromEntries(model.encoders.map(({ name }, i) => [name, own.members[i]])) : cosines,
    member_cosines: { ...cosines },
    threshold: entry.threshold,
    threshold_source: entry.threshold_source,
    reject_target: entry.reject_target,
    expected_genuine_accept: entry.expected_genuine_accept,
    p_match_5050: probabilityAt(scorer?.curve ?? asset.p_match_5050, fused),
    n_rough_scans: rough.count,
    n_polish_scans: polish.count,
    rough_sharpness: rough.gauges.sharpness,
    polish_sharpness: polish.gauges.sharpness,
    rough_detail_residual: rough.gauges.detailResidual,
    polish_detail_residual: polish.gauges.detailResidual,
    warnings: warningsOf(rough, polish, entry, letsThrough),
    scope: scopeInShort(asset.scope),
    ...(isExperimental(entry.reject_target) ? { experimental: true as const } : {}),
  };
}

/** The members of an answer but for `claim_id`; the event `ClaimScored` says what each means. */
export type VerificationResult = ReturnType<typeof judge>;
