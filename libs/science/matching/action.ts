import { REVIEW_FROM } from '#science/calibration/asset';
import type { LadderEntry } from '#science/calibration/ladder';
import { isOnManifold, LOCALLY_POLYNOMIAL_LIMIT, MIN_ROUGH_SCANS } from '#science/spectra/gauges/index';
import type { VerificationResult } from './verdict.js';
import { type ExaminedSide, isCarriedOver, warningKind } from './warnings.js';

export const ACTIONS = ['accept', 'review', 'reject'] as const;
export type Action = (typeof ACTIONS)[number];

const BUT_UNMEASURED = 'and the threshold that came with the program was not measured so';
/** Why a person should look, by code. */
const WORDS = {
  shared_scans: 'a scan of the rough is a scan of the polish too: the verdict says nothing of the stones',
  likely_no_match: 'not confirmed, and yet genuine claims often score so',
  too_few_rough_scans: `fewer than ${MIN_ROUGH_SCANS} different rough scans, ${BUT_UNMEASURED}`,
  insufficient_coverage: `a part of the reference axis is missing, ${BUT_UNMEASURED}`,
  off_manifold: `the noise of a side is unlike that of directly acquired data, ${BUT_UNMEASURED}`,
  locally_polynomial: `a side looks smoothed, ${BUT_UNMEASURED}`,
  near_threshold: 'the score is above the threshold that came with the program, but not above its upper bound',
} as const;
export type ActionReason = keyof typeof WORDS;
export const ACTION_REASONS = Object.keys(WORDS) as ActionReason[];

type Judged = Pick<VerificationResult, 'verdict' | 'fused_score' | 'p_match_5050'>;

/**
 * The reasons for a person to look at a claim before it is accepted or rejected; none where the verdict stands alone. They begin with
 * the contract's recommended pattern (`patternReasons`), which is all for a population with a threshold of its own. One that came with
 * the program holds under the conditions on which it was measured: a MATCH under others is reviewed.
 */
export function actionReasons(claim: {
  result: Judged;
  entry: LadderEntry;
  rough: ExaminedSide;
  polish: ExaminedSide;
  /** Scans of the rough that are scans of the polish too. */
  sharedScans: number;
}): ActionReason[] {
  const { result, entry, rough, polish, sharedScans } = claim;
  const reasons = patternReasons(result, sharedScans);
  if (result.verdict !== 'MATCH' || !isCarriedOver(entry)) return reasons;
  const either = (is: (side: ExaminedSide) => boolean) => is(rough) || is(polish);
  if (rough.count - rough.duplicates < MIN_ROUGH_SCANS) reasons.push('too_few_rough_scans');
  if (either(({ shortCoverage }) => shortCoverage)) reasons.push('insufficient_coverage');
  if (either(({ gauges }) => !isOnManifold(gauges.detailResidual))) reasons.push('off_manifold');
  if (either(({ gauges }) => gauges.locallyPolynomial > LOCALLY_POLYNOMIAL_LIMIT)) reasons.push('locally_polynomial');
  if (entry.upper !== undefined && result.fused_score <= entry.upper) reasons.push('near_threshold');
  return reasons;
}

/**
 * The contract's recommended decision pattern. Sides that hold the same scan resemble each other whatever the stones are, so that a
 * person looks at their files.
 */
function patternReasons({ verdict, p_match_5050 }: Omit<Judged, 'fused_score'>, sharedScans: number): ActionReason[] {
  const reasons: ActionReason[] = [];
  if (sharedScans > 0) reasons.push('shared_scans');
  if (verdict === 'NO_MATCH' && p_match_5050 >= REVIEW_FROM) reasons.push('likely_no_match');
  return reasons;
}

/** The members of an answer that follow from a result, its sides and the reasons to look at it. */
export function adviceOf(
  result: Pick<VerificationResult, 'verdict' | 'p_match_5050' | 'warnings'>,
  sharedScans: number,
  /** As stored with the result; null where it was answered before they were. */
  stored: readonly ActionReason[] | null,
) {
  const reasons = stored ?? patternReasons(result, sharedScans);
  return {
    warning_kinds: result.warnings.map(warningKind),
    shared_scans: sharedScans,
    action: actionOf(result.verdict, reasons),
    action_reasons: reasons.map((code) => ({ code, text: WORDS[code] })),
  };
}

export function actionOf(verdict: VerificationResult['verdict'], reasons: readonly ActionReason[]): Action {
  if (reasons.length > 0) return 'review';
  return verdict === 'MATCH' ? 'accept' : 'reject';
}
