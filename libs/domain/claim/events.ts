import type { VerificationResult } from '#matching';
import type { KeyFacts } from '../api-key/events.js';
import { type Happened, never } from '../decider.js';
import type { Reviewed } from '../review.js';

export type Verdict = 'MATCH' | 'NO_MATCH';

/** What is kept of a submitted side: never a spectrum. */
export interface SideFacts {
  /** SHA-256 of the parsed numbers, 64 hex digits; the contract shows the first 16. */
  digest: string;
  scans: number;
  duplicates: number;
  short_coverage: boolean;
  references: string[];
  sharpness: number;
  /** As answered: held where the smoothing was recognised as polynomial. */
  detail_residual: number;
  /** As measured; null where an event of version 1 did not keep it. */
  detail_residual_measured: number | null;
  locally_polynomial: number;
}

/** The answer as it was given (specification 2.2), kept whole so that a repeat gets the same. */
export type ClaimResult = VerificationResult & { claim_id: string };

/**
 * The raw score of a claim, whatever scored it: the mean of its cosines. What is compared over time, as in dry runs and
 * drift, is compared on it.
 */
export function rawScoreOf({ scorer, fused_score, member_cosines }: ClaimResult): number {
  if (scorer !== 'population') return fused_score;
  const cosines = Object.values(member_cosines);
  return cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
}

/** Milliseconds by stage of the request. */
export type Latency = Record<string, number>;

export interface Submission {
  claim_id: string;
  request_id: string;
  key: KeyFacts;
  transport: 'json' | 'multipart';
  reject_target: number;
  /** Digest of the model, 64 hex digits. */
  model: string;
  ladder_revision: string;
  /** Digest of the shipped ladder and probability curve, 64 hex digits; null before version 2. */
  ladder_digest: string | null;
  rough: SideFacts;
  polish: SideFacts;
  /** Scans of the rough that are scans of the polish too, number for number; null where version 1 does not say. */
  shared_scans: number | null;
  at: string;
}

/** What a call sent besides its spectra, which make the claim. */
export interface Sent {
  transport: Submission['transport'];
  /** Stone references by side. */
  rough: string[];
  polish: string[];
}

export interface Scoring {
  claim_id: string;
  request_id: string;
  result: ClaimResult;
  /** Compute engine that encoded the sides. */
  engine: string;
  latency_ms: Latency;
  at: string;
}

export interface Repetition {
  claim_id: string;
  request_id: string;
  /** Null in an event of version 1, which did not keep it. */
  sent: Sent | null;
  latency_ms: Latency;
  at: string;
}

/** What a model that is not the live one says of a scored claim: evidence for its own ladder, and no answer. */
export interface ShadowScoring {
  claim_id: string;
  request_id: string;
  /** Digest of that model, 64 hex digits. */
  model: string;
  fused_score: number;
  /** By encoder. */
  member_cosines: Record<string, number>;
  /** Compute engine that encoded the sides. */
  engine: string;
  at: string;
}

/** An operator has looked at a claim: a note beside it, which changes nothing of it. */
export type ClaimReviewed = Happened<'ClaimReviewed', 2, { claim_id: string } & Reviewed>;

export type ClaimSubmitted = Happened<'ClaimSubmitted', 2, Submission>;
export type ClaimScored = Happened<'ClaimScored', 1, Scoring>;
export type ClaimRepeated = Happened<'ClaimRepeated', 2, Repetition>;
export type ClaimShadowScored = Happened<'ClaimShadowScored', 1, ShadowScoring>;
export type ClaimEvent = ClaimSubmitted | ClaimScored | ClaimRepeated | ClaimShadowScored;

export type ClaimState =
  | { status: 'absent' }
  | { status: 'submitted'; submission: Submission }
  | { status: 'scored'; submission: Submission; scoring: Scoring; repeats: number; shadows: string[] };

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
