import type { EventOf } from '../catalogue.js';
import { never } from '../decider.js';

export type ClaimSubmitted = EventOf<'ClaimSubmitted'>;
export type ClaimScored = EventOf<'ClaimScored'>;
export type ClaimRepeated = EventOf<'ClaimRepeated'>;
/** The score that a model other than the live one gives to a claim: evidence for its own ladder, and no answer. */
export type ClaimShadowScored = EventOf<'ClaimShadowScored'>;
export type ClaimEvent = ClaimSubmitted | ClaimScored | ClaimRepeated | ClaimShadowScored;
/** An operator has looked at a claim: a note beside it, which changes nothing of it. */
export type ClaimReviewed = EventOf<'ClaimReviewed'>;
/** An operator's words about a claim or a finding: they stand beside it, and nothing is decided on them. */
export type Reviewed = Omit<ClaimReviewed['data'], 'claim_id'>;
export type ReviewOutcome = NonNullable<Reviewed['outcome']>;

export type Submission = ClaimSubmitted['data'];
export type ScoringResult = ClaimScored['data'];
export type Repetition = ClaimRepeated['data'];
export type ShadowScoring = ClaimShadowScored['data'];
/** The stored facts of a submitted side: never a spectrum. */
export type SideFacts = Submission['rough'];
/** The members of a call besides its spectra, which make the claim. */
export type Sent = NonNullable<Repetition['sent']>;
/** The answer as it was given, kept whole so that a repeat gets the same. */
export type ClaimResult = ScoringResult['result'];
export type Verdict = ClaimResult['verdict'];
/** Milliseconds by stage of the request. */
export type Latency = ScoringResult['latency_ms'];

/**
 * The raw score of a claim, whichever scorer decided: the mean of its cosines. Comparisons over time, as in dry runs and
 * drift, use it.
 */
export function rawScoreOf({ scorer, fused_score, member_cosines }: ClaimResult): number {
  if (scorer !== 'population') return fused_score;
  const cosines = Object.values(member_cosines);
  return cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
}

export type ClaimState =
  | { status: 'absent' }
  | { status: 'submitted'; submission: Submission }
  | { status: 'scored'; submission: Submission; scoring: ScoringResult; repeats: number; shadows: string[] };

export const noClaim: ClaimState = { status: 'absent' };

export function evolveClaim(state: ClaimState, event: ClaimEvent): ClaimState {
  switch (event.type) {
    case 'ClaimSubmitted':
      return { status: 'submitted', submission: event.data };
    case 'ClaimScored':
      return state.status === 'submitted'
        ? { status: 'scored', submission: state.submission, scoring: event.data, repeats: 0, shadows: [] }
        : state;
    case 'ClaimRepeated':
      return state.status === 'scored' ? { ...state, repeats: state.repeats + 1 } : state;
    case 'ClaimShadowScored':
      return state.status === 'scored' ? { ...state, shadows: [...state.shadows, event.data.model] } : state;
    default:
      return never(event);
  }
}
