/** The ladder, ascending: rungs are the share of wrong claims that the threshold rejects. */
export const REJECT_TARGETS = [0.9, 0.91, 0.92, 0.93, 0.94, 0.95, 0.96, 0.97, 0.98, 0.99] as const;
/** The same as answers list them: the highest first. */
export const RUNGS = REJECT_TARGETS.toReversed();
export type RejectTarget = (typeof REJECT_TARGETS)[number];
export const DEFAULT_REJECT_TARGET: RejectTarget = 0.98;

/** Rungs below 0.95 are for measurement, not for quotation. */
export const EXPERIMENTAL_BELOW = 0.95;
export const isExperimental = (target: RejectTarget): boolean => target < EXPERIMENTAL_BELOW;

/** A rung's name in writing: two decimals. */
export const rungName = (target: RejectTarget): string => target.toFixed(2);

/** The values that decide at one rung: of the shipped asset, or of a population's own approval. */
export interface LadderEntry {
  reject_target: RejectTarget;
  threshold: number;
  /** Begins `shipped-default` or `population-calibrated`. */
  threshold_source: string;
  expected_genuine_accept: number | null;
  /** Upper bound of the threshold's 95% interval, of one that came with the model. */
  upper?: number;
}

/** Counted claims that a rung's own threshold needs. 0.91 and 0.90 never settle. */
export const CLAIMS_NEEDED: Partial<Record<RejectTarget, number>> = {
  0.92: 1200,
  0.93: 1200,
  0.94: 800,
  0.95: 400,
  0.96: 200,
  0.97: 150,
  0.98: 75,
  0.99: 40,
};
