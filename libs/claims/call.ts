import type { KeyFacts } from '#keys/events';
import type { UploadFindings } from '#kit/queue/upload';
import type { Latency } from './events.js';

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

/** What was learnt of a call on its way, however it ended. */
export interface Course {
  /** Milliseconds by stage. */
  latency: Latency;
  /** The part of the upload that could be read. */
  findings?: UploadFindings;
  /** The log was asked for the key after the body had come. */
  askedForKey?: boolean;
}
