import { REVIEW_FROM } from '#science/calibration/asset';
import type { VerificationResult } from './result.js';
import { warningKind } from './warnings.js';

export const ACTIONS = ['accept', 'review', 'reject'] as const;
export type Action = (typeof ACTIONS)[number];

/**
 * The step after a verdict: the contract's recommended decision pattern. Sides that hold the same scan resemble each other
 * whatever the stones are, so that a person looks at their files.
 * @param sharedScans scans of the rough that are scans of the polish too
 */
export function actionOf(
  { verdict, p_match_5050 }: Pick<VerificationResult, 'verdict' | 'p_match_5050'>,
  sharedScans: number,
): Action {
  if (sharedScans > 0) return 'review';
  if (verdict === 'MATCH') return 'accept';
  return p_match_5050 >= REVIEW_FROM ? 'review' : 'reject';
}

/** The members of an answer that follow from a result and its sides. */
export const adviceOf = (
  result: Pick<VerificationResult, 'verdict' | 'p_match_5050' | 'warnings'>,
  sharedScans: number,
) => ({
  warning_kinds: result.warnings.map(warningKind),
  shared_scans: sharedScans,
  action: actionOf(result, sharedScans),
});
