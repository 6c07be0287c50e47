import { type EventIn, event, type StreamRule } from '#domain/catalogue-entry';
import { never } from '#domain/decider';
import { described, map, orNull } from '#domain/schemas';
import {
  actionReasons,
  aDigest,
  aScore,
  aSent,
  at,
  claimId,
  engine,
  latency,
  requestId,
  result,
  reviewed,
  submission,
} from '#domain/shapes';
import { endsWithPart, streamPrefixes, streams } from '#domain/streams';
import { isOnManifold } from '#science/spectra/gauges/index';
import type { ScanSetBanked } from './events-bank.js';

const claimStream: StreamRule<{ claim_id: string }> = {
  name: 'claim-{key id}-{claim id}',
  is: (stream, { claim_id }) => stream.startsWith(streamPrefixes.claims) && endsWithPart(stream, claim_id),
};
const submissionStream: StreamRule<{ key: { id: string }; claim_id: string }> = {
  name: claimStream.name,
  is: (stream, { key, claim_id }) => stream === streams.claim(key.id, claim_id),
};

/** Events of claims. */
export const claimEvents = {
  ClaimSubmitted: event(2, submissionStream, 'both sides were read and measured; before scoring', submission),
  ClaimScored: event(2, claimStream, 'the verdict stands; before it is answered. Without it the claim is unfinished', {
    claim_id: claimId,
    request_id: requestId,
    result,
    action_reasons: actionReasons,
    engine,
    latency_ms: latency,
    at,
  }),
  ClaimRepeated: event(2, claimStream, 'a scored claim was sent again and got its stored verdict', {
    claim_id: claimId,
    request_id: requestId,
    sent: described(orNull(aSent), 'what this call sent ([sent](#sent)); null where not known'),
    latency_ms: latency,
    at,
  }),
  ClaimShadowScored: event(1, claimStream, 'the shadow model scored a scored claim; its vectors are stored with it', {
    claim_id: claimId,
    request_id: requestId,
    model: described(aDigest, 'digest of that model, 64 hex'),
    fused_score: described(aScore, 'its score'),
    member_cosines: described(map(aScore), 'by encoder'),
    engine,
    at,
  }),
  ClaimReviewed: event(
    3,
    { name: 'review-{claim id}', is: (stream, { claim_id }) => stream === streams.review(claim_id) },
    'an operator looked at a claim; a note, which changes nothing of it',
    { claim_id: claimId, ...reviewed },
  ),
};

export type ClaimSubmitted = EventIn<typeof claimEvents, 'ClaimSubmitted'>;
export type ClaimScored = EventIn<typeof claimEvents, 'ClaimScored'>;
export type ClaimRepeated = EventIn<typeof claimEvents, 'ClaimRepeated'>;
/** The score that a model other than the live one gives to a claim: evidence for its own ladder, and no answer. */
export type ClaimShadowScored = EventIn<typeof claimEvents, 'ClaimShadowScored'>;
export type ClaimEvent = ClaimSubmitted | ScanSetBanked | ClaimScored | ClaimRepeated | ClaimShadowScored;
/** An operator has looked at a claim: a note beside it, which changes nothing of it. */
export type ClaimReviewed = EventIn<typeof claimEvents, 'ClaimReviewed'>;
export type ReviewOutcome = NonNullable<ClaimReviewed['data']['outcome']>;

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

/** True if a scored claim counts as evidence, as far as the claim alone shows it. */
export const countsAsEvidence = ({ key, rough, polish }: Submission): boolean =>
  key.kind === 'production' && isOnManifold(rough.detail_residual) && isOnManifold(polish.detail_residual);

export type ClaimState =
  | { status: 'absent' }
  | { status: 'submitted'; submission: Submission }
  | {
      status: 'scored';
      submission: Submission;
      scoring: ScoringResult;
      /** Id of the secret that the verdict's seal names, once it was read from the log. */
      sealedBy?: string;
      repeats: number;
      shadows: string[];
    };

export const noClaim: ClaimState = { status: 'absent' };

export function evolveClaim(state: ClaimState, event: ClaimEvent & { sealedBy?: string }): ClaimState {
  switch (event.type) {
    case 'ClaimSubmitted':
      return { status: 'submitted', submission: event.data };
    case 'ScanSetBanked':
      return state;
    case 'ClaimScored':
      if (state.status !== 'submitted') return state;
      return { ...state, status: 'scored', scoring: event.data, sealedBy: event.sealedBy, repeats: 0, shadows: [] };
    case 'ClaimRepeated':
      return state.status === 'scored' ? { ...state, repeats: state.repeats + 1 } : state;
    case 'ClaimShadowScored':
      return state.status === 'scored' ? { ...state, shadows: [...state.shadows, event.data.model] } : state;
    default:
      return never(event);
  }
}
