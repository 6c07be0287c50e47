/** The verification result, with every field but `claim_id`, which the ledger gives. */
export interface VerificationResult {
  mode: 'verify-match';
  /** MATCH when `fused_score` exceeds `threshold`. */
  verdict: 'MATCH' | 'NO_MATCH';
  /** Mean of the member scores. By a population's own scorer it is no cosine, and may be negative. */
  fused_score: number;
  /** `raw`, or `population`: the population's own. */
  scorer: 'raw' | 'population';
  /** Scores by the scorer's members. Opaque: names and count may change. */
  member_scores: Record<string, number>;
  /** Raw cosines, whichever scorer decides. */
  member_cosines: Record<string, number>;
  threshold: number;
  threshold_source: string;
  reject_target: number;
  expected_genuine_accept: number | null;
  p_match_5050: number;
  n_rough_scans: number;
  n_polish_scans: number;
  rough_sharpness: number;
  polish_sharpness: number;
  rough_detail_residual: number;
  polish_detail_residual: number;
  warnings: string[];
  /** The calibration's scope in one sentence, with its version. */
  scope: string;
  /** Present and true at an experimental rung only. */
  experimental?: true;
}
