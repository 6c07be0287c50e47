import type { Verification } from './generated/contract.js';

export interface DecisionOptions {
  /** `p_match_5050` from which a NO_MATCH goes to a person, in place of the service's 0.60. */
  reviewAt?: number;
  /** Share of true claims among yours, between 0 and 1. Only adds `p_real`; it never moves the decision. */
  prior?: number;
}

/** The members of an answer that the decision rests on. */
type Decided = Pick<Verification, 'verdict' | 'p_match_5050'> &
  Partial<Pick<Verification, 'action' | 'action_reasons' | 'shared_scans'>>;

export interface Decision {
  action: 'accept' | 'review' | 'reject';
  /** The probability at your own mix of claims, where `prior` is given. */
  p_real?: number;
}

/**
 * The next step that the service recommends (`action`). With `reviewAt`, and for answers of services that sent no action, it
 * is made here: sides that share a scan and a MATCH with `action_reasons` are reviewed by a person, another MATCH is accepted, a NO_MATCH
 * with a high probability is reviewed, everything else is rejected. The verdict decides, not the probability.
 */
export function decide(result: Decided, { reviewAt, prior }: DecisionOptions = {}): Decision {
  if (reviewAt !== undefined && !(reviewAt >= 0 && reviewAt <= 1))
    throw new RangeError('reviewAt must lie between 0 and 1');
  const { p_match_5050: p } = result;
  const action = (reviewAt === undefined && result.action) || patternOf(result, reviewAt ?? 0.6);
  if (prior === undefined) return { action };
  if (!(prior > 0 && prior < 1)) throw new RangeError('prior must lie between 0 and 1');
  // odds_real = odds_5050 x prior_true / prior_false
  const [ours, theirs] = [p * prior, (1 - p) * (1 - prior)];
  return { action, p_real: ours / (ours + theirs) };
}

function patternOf(result: Decided, reviewAt: number): Decision['action'] {
  const { verdict, p_match_5050, shared_scans = 0, action_reasons = [] } = result;
  if (shared_scans > 0) return 'review';
  if (verdict === 'MATCH') return action_reasons.length > 0 ? 'review' : 'accept';
  return p_match_5050 >= reviewAt ? 'review' : 'reject';
}
