import type { KeyFacts } from '#keys/events';
import type { UploadFindings } from '#kit/queue/upload';
import { adviceOf } from '#science/matching/action';
import type { Latency, ScoringResult, Submission } from './events.js';
import type { Verification } from './verification.js';

/** One call, as far as it is not the upload. */
export interface Call {
  key: KeyFacts;
  requestId: string;
  transport: 'json' | 'multipart';
  /** The person who authorised a replay; undefined for a claim. */
  replayBy?: string;
  replayIgnored: boolean;
  /** On the clock of `performance.now()`. */
  deadline: number;
  signal: AbortSignal;
}

/** Why a call got no answer, and what was learnt of it before. */
export interface Unanswered {
  /** UploadRefused, CommandRefused, StoreUnavailable, ScoringUnavailable, JobCancelled, Problem. */
  error: unknown;
  latency: Latency;
  /** The part of the upload that could be read. */
  findings?: UploadFindings;
}

/** A verdict with the reasons for a person to look at it, and its receipt; a replay, which is no claim, has none. */
export type Judged = Pick<ScoringResult, 'result' | 'action_reasons'> & { receipt?: string };

/** The answer to a claim. */
export const answerOf = (
  { result, action_reasons, receipt }: Judged,
  { rough, polish, shared_scans }: Pick<Submission, 'rough' | 'polish' | 'shared_scans'>,
): Verification => ({
  ...result,
  ...adviceOf(result, shared_scans ?? 0, action_reasons),
  stone_ids: { rough: rough.references, polish: polish.references },
  ...(receipt !== undefined && { receipt }),
});
