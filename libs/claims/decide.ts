import { type Decider, type Decision, never, type Sha256Hex } from '#domain/decider';
import {
  type ClaimEvent,
  type ClaimState,
  evolveClaim,
  noClaim,
  type Repetition,
  type ScoringResult,
  type Sent,
  type ShadowScoring,
  type Submission,
} from './events.js';
import type { BankedSet } from './events-bank.js';

export type ClaimCommand =
  | { type: 'submit'; submission: Submission }
  | { type: 'score'; scoring: ScoringResult; sets: readonly BankedSet[]; sent: Sent }
  | { type: 'repeat'; repetition: Repetition }
  | { type: 'score_shadow'; scoring: ShadowScoring; sets: readonly BankedSet[] };
export type ClaimRefusal = 'another_claim' | 'not_submitted' | 'not_scored' | 'scored_by_this_model';

/**
 * A claim is submitted once and scored once, with the vectors of its sides; later calls get the stored verdict. One that a crash left
 * submitted is taken up by the next submission of the same sets, which adds its verdict, and what it sent otherwise.
 * Any other model may score it once, as a shadow.
 */
function decideClaim(state: ClaimState, command: ClaimCommand): Decision<ClaimEvent, ClaimRefusal> {
  switch (command.type) {
    case 'submit': {
      const { submission } = command;
      if (state.status === 'absent') return { events: [{ type: 'ClaimSubmitted', version: 2, data: submission }] };
      return isSameClaim(state.submission, submission) ? { events: [] } : { refusal: 'another_claim' };
    }
    case 'score': {
      const { scoring, sets, sent } = command;
      if (state.status === 'absent') return { refusal: 'not_submitted' };
      const { claim_id } = state.submission;
      if (scoring.claim_id !== claim_id || scoring.result.claim_id !== claim_id) return { refusal: 'another_claim' };
      if (state.status === 'scored') return { events: [] };
      const scored: ClaimEvent[] = [...sets.map(setBanked), { type: 'ClaimScored', version: 2, data: scoring }];
      if (isSameSent(sent, sentBy(state.submission))) return { events: scored };
      const { result: _, action_reasons: __, engine: ___, ...call } = scoring;
      return { events: [...scored, { type: 'ClaimRepeated', version: 2, data: { ...call, sent } }] };
    }
    case 'repeat': {
      const { repetition } = command;
      if (state.status !== 'scored') return { refusal: 'not_scored' };
      if (repetition.claim_id !== state.submission.claim_id) return { refusal: 'another_claim' };
      return { events: [{ type: 'ClaimRepeated', version: 2, data: repetition }] };
    }
    case 'score_shadow': {
      const { scoring, sets } = command;
      if (state.status !== 'scored') return { refusal: 'not_scored' };
      if (scoring.claim_id !== state.submission.claim_id) return { refusal: 'another_claim' };
      if (scoring.model === state.submission.model) return { refusal: 'scored_by_this_model' };
      if (state.shadows.includes(scoring.model)) return { events: [] };
      return { events: [...sets.map(setBanked), { type: 'ClaimShadowScored', version: 1, data: scoring }] };
    }
    default:
      return never(command);
  }
}

const setBanked = (data: BankedSet): ClaimEvent => ({ type: 'ScanSetBanked', version: 1, data });

/** The members of a submission's call besides its spectra. */
export const sentBy = ({ transport, rough, polish }: Omit<Submission, 'claim_id'>): Sent => ({
  transport,
  rough: rough.references,
  polish: polish.references,
});

const isSameSent = (a: Sent, b: Sent): boolean =>
  JSON.stringify([a.transport, a.rough, a.polish]) === JSON.stringify([b.transport, b.rough, b.polish]);

export const claimDecider: Decider<ClaimState, ClaimCommand, ClaimEvent, ClaimRefusal> = {
  initial: noClaim,
  evolve: evolveClaim,
  decide: decideClaim,
};

const identity = (claim: Submission) => [
  claim.key.id,
  claim.rough.digest,
  claim.polish.digest,
  claim.reject_target.toFixed(2),
  claim.model,
  claim.ladder_revision,
];

function isSameClaim(a: Submission, b: Submission): boolean {
  const other = identity(b);
  return a.claim_id === b.claim_id && identity(a).every((value, i) => value === other[i]);
}

/**
 * The same key sending the same two sets at the same rung, under the same model and ladder revision, makes the same
 * claim, so that a retry after a lost answer is safe.
 */
export function claimId(sha256: Sha256Hex, claim: Omit<Submission, 'claim_id'>): string {
  return `clm_${sha256(JSON.stringify(identity({ ...claim, claim_id: '' }))).slice(0, 32)}`;
}

/** True if a text can be a claim's id. */
export const isClaimId = (text: string): boolean => /^clm_[0-9a-f]{32}$/.test(text);

/** A replay's claim id is in no history, whatever it replays. */
export function replayClaimId(sha256: Sha256Hex, requestId: string, at: string): string {
  return `clm_${sha256(JSON.stringify(['replay', requestId, at])).slice(0, 32)}`;
}
