import type { Verification } from './generated/contract.js';

export interface DecisionOptions {
  /** `p_match_5050` from which a NO_MATCH goes to a person (default 0.60). */
  reviewAt?: number;
  /** Share of true claims among yours, between 0 and 1. Only adds `p_real`; it never moves the decision. */
  prior?: number;
}

export interface Decision {
  action: 'accept' | 'review' | 'reject';
  /** The probability at your own mix of claims, where `prior` is given. */
  p_real?: number;
}

/**
 * The recommended decision pattern: a MATCH is accepted, a NO_MATCH with a high probability is
 * reviewed by a person, everything else is rejected. The verdict decides, not the probability.
 */
export function decide(
  result: Pick<Verification, 'verdict' | 'p_match_5050'>,
  { reviewAt = 0.6, prior }: DecisionOptions = {},
): Decision {
  if (!(reviewAt >= 0 && reviewAt <= 1)) throw new RangeError('reviewAt must lie between 0 and 1');
  const { verdict, p_match_5050: p } = result;
  const action = verdict === 'MATCH' ? 'accept' : p >= reviewAt ? 'review' : 'reject';
  if (prior === undefined) return { action };
  if (!(prior > 0 && prior < 1)) throw new RangeError('prior must lie between 0 and 1');
  // odds_real = odds_5050 x prior_true / prior_false
  const [ours, theirs] = [p * prior, (1 - p) * (1 - prior)];
  return { action, p_real: ours / (ours + theirs) };
}
