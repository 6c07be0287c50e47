import { countAtMost, shareAbove } from './statistics.js';

/** The reason for giving no estimate of the genuine claims confirmed. */
export type NoEstimate =
  | 'too few claims'
  | 'too few genuine claims'
  | 'genuine claims score like wrong ones'
  | 'too uncertain';

export interface GenuineAccept {
  /** Estimated share of genuine claims confirmed, 0 to 1; null with a reason. */
  estimate: number | null;
  standard_error: number | null;
  /** Estimated share of genuine claims among all claims. */
  genuine_share: number;
  reason?: NoEstimate;
}

const MIN_CLAIMS = 100;
const LOWEST_GENUINE_SHARE = 0.6;
const LARGEST_STANDARD_ERROR = 0.03;
const SHAPE_TEST = -1.645;

/**
 * Estimates without labels the share of genuine claims that a threshold confirms, by separating the claim scores into
 * genuine and wrong ones. Below t80, the 80% quantile of the wrong (cross-pair) scores, nearly all claims are wrong, so
 * their number gives the share q of genuine claims; the wrong ones' part above the threshold is then subtracted. The
 * standard error is by the delta method over the claims. There is no estimate from fewer than 100 claims, at q < 0.6, with
 * a standard error above 3 points, or when the claims below t80 do not look like wrong ones: a quarter of those should lie
 * below t20. Wrong claims on look-alikes bias it downwards, partly unseen (reports/evidence.md).
 * @param claims scores of all claims, ascending
 * @param marks quantiles of the cross-pair scores of the same population; none: there is no wrong claim
 * @param rejectTarget the rung: the share of wrong claims that `threshold` rejects
 */
export function separateGenuine(
  claims: ArrayLike<number>,
  marks: { t20: number; t80: number } | undefined,
  threshold: number,
  rejectTarget: number,
): GenuineAccept {
  const none = (reason: NoEstimate, genuine_share: number, standard_error: number | null = null): GenuineAccept => ({
    estimate: null,
    standard_error,
    genuine_share,
    reason,
  });
  if (claims.length < MIN_CLAIMS || !marks) return none('too few claims', Number.NaN);

  const lowClaims = countAtMost(claims, marks.t80);
  const low = lowClaims / claims.length;
  const q = 1 - low / 0.8;
  if (q < LOWEST_GENUINE_SHARE) return none('too few genuine claims', q);

  const lowest = countAtMost(claims, marks.t20);
  const spread = Math.sqrt(lowClaims * 0.25 * 0.75);
  if (spread > 0 && (lowest - 0.25 * lowClaims) / spread < SHAPE_TEST)
    return none('genuine claims score like wrong ones', q);

  const above = shareAbove(claims, threshold);
  const wrongShare = 1 - rejectTarget;
  const estimate = (above - (1 - q) * wrongShare) / q;
  // Claims above the threshold and claims below t80 are two cells of one multinomial.
  const byAbove = 1 / q;
  const byLow = (above - wrongShare) / (q * q) / 0.8;
  const variance =
    byAbove * byAbove * above * (1 - above) + byLow * byLow * low * (1 - low) - 2 * byAbove * byLow * above * low;
  const error = Math.sqrt(Math.max(variance, 0) / claims.length);
  if (error > LARGEST_STANDARD_ERROR) return none('too uncertain', q, error);
  return { estimate: Math.min(Math.max(estimate, 0), 1), standard_error: error, genuine_share: q };
}
