/**
 * Scoring as the rest of the system knows it: spectra go in, vectors come out, on whichever threads or machines the adapter
 * has. The adapters differ in nothing that `describeScoringQueue` (test/conformance.ts) can see.
 */
import type { WaitEnded, WaitLimits } from '#kit/admission/wait-queue';
import type { CheckedUpload, Upload } from './upload.js';

export interface ScoringJob extends SpectraJob {
  /** Digest of the model that must encode: a worker that holds another one refuses. */
  model: string;
  roughCount: number;
  polishCount: number;
  /**
   * (roughCount + polishCount) x 671 absorbances on the reference axis, as the model's input wants them, rough scans
   * first. Passed on: the caller's view is detached or zeroed, and no copy outlives the job.
   */
  spectra: Float32Array;
  /** No call waits for it: it goes when no other job does, and is the first to be refused where many wait. */
  shadow?: boolean;
}

/** One vector of 256 float32, of unit length, per encoder of the model, in the model's order. */
export type SideVectors = Float32Array[];

export interface ScoredSides {
  model: string;
  /** Compute engine that encoded. */
  engine: string;
  rough: SideVectors;
  polish: SideVectors;
}

export interface JobOptions extends WaitLimits {
  timeoutMs: number;
}

/** The time that is left of a job's, from now on: 1 ms at least. */
export function timeLeft({ timeoutMs }: JobOptions): () => number {
  const began = performance.now();
  return () => Math.max(1, timeoutMs - (performance.now() - began));
}

export interface QueueState {
  waiting: number;
  active: number;
  workers: { id: string; engine: string; models: string[] }[];
}

/** Jobs of whichever kind, whose spectra are passed on. */
export interface SpectraJob {
  model: string;
  spectra: Float32Array;
  shadow?: boolean;
}

/** Takes spectra, answers vectors. */
export interface ScoringQueue<Job extends SpectraJob = ScoringJob, Scored = ScoredSides> {
  /** @throws ScoringUnavailable, JobCancelled */
  score(job: Job, options: JobOptions): Promise<Scored>;
  state(): Promise<QueueState>;
  /** Waiting and running jobs fail with `closed`. */
  close(): Promise<void>;
}

export interface ClaimOptions extends JobOptions {
  /** Digest of the model that decides. */
  model: string;
  /** Digest of another one, which scores the same scans once the first one has. */
  shadow?: string;
}

/** A claim whose upload is checked. Promises that are not awaited may fail unseen. */
export interface TakenClaim {
  checked: CheckedUpload;
  scored: Promise<ScoredSides>;
  /** Present if it was asked for. It never delays `scored`, and outlives the caller's signal. */
  shadow?: Promise<ScoredSides>;
}

/** The port of the service: an upload read, checked and scored, wherever that is done. */
export interface Scoring extends ScoringQueue {
  /**
   * Resolves once the upload is checked; its vectors follow. Takes the upload's buffers.
   * @throws UploadRefused, ScoringUnavailable, JobCancelled
   */
  readAndScore(upload: Upload, options: ClaimOptions): Promise<TakenClaim>;
}

/** Reasons why a job may fail through no fault of its caller's, each with its sentence. */
export const unavailableSentences = {
  full: 'too many claims are waiting to be scored',
  timed_out: 'scoring took too long',
  worker_lost: 'the worker that scored this claim was lost',
  unreachable: 'the scoring workers cannot be reached',
  other_model: 'the scoring workers hold another model',
  closed: 'the service is stopping',
} as const;

export type UnavailableReason = keyof typeof unavailableSentences;

/** Not the caller's fault: the same job may succeed later. */
export class ScoringUnavailable extends Error {
  override readonly name = 'ScoringUnavailable';
  constructor(
    readonly reason: UnavailableReason,
    readonly retryAfterSeconds = 1,
    options?: ErrorOptions,
  ) {
    super(unavailableSentences[reason], options);
  }
}

/** The caller gave the job up. */
export class JobCancelled extends Error {
  override readonly name = 'JobCancelled';
  constructor() {
    super('the caller gave the job up');
  }
}

/** The fault of a job that ended while it waited. */
export const waitFault = (reason: WaitEnded): Error =>
  reason === 'cancelled' ? new JobCancelled() : new ScoringUnavailable(reason);
