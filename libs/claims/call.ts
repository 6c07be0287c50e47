import type { KeyFacts } from '#keys/events';
import { since } from '#kit/observe/elapsed';
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

/** Milliseconds of a call by stage; a stage that fails has its time too. */
export class Stages {
  readonly latency: Latency;

  /** @param before stages that are over */
  constructor(before: Latency) {
    this.latency = { ...before };
  }

  async time<T>(stage: string, work: Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await work;
    } finally {
      this.latency[stage] = since(began);
    }
  }
}

/** Why a call got no answer, and what was learnt of it before. */
export interface Unanswered {
  /** UploadRefused, CommandRefused, StoreUnavailable, ScoringUnavailable, JobCancelled, Problem. */
  error: unknown;
  latency: Latency;
  /** The part of the upload that could be read. */
  findings?: UploadFindings;
}
