/**
 * What the rest of the system knows of scoring: spectra go in, vectors come out, on whichever threads or machines the
 * adapter has. The adapters differ in nothing that `describeScoringQueue` (conformance.ts) can see.
 */
import type { RejectTarget } from '#calibration';
import type { ExaminedSide } from '#matching';
import type { RefusalKind, Side } from '#spectra';

export interface NamedFile {
  name: string;
  data: Uint8Array;
}

export type Upload =
  | { kind: 'json'; body: Uint8Array }
  | {
      kind: 'files';
      rejectTarget: unknown;
      rough: NamedFile[];
      polish: NamedFile[];
      /** Names of fields that came and are not read, to be told where a side has no file. */
      sent: string[];
    };

export interface ScoringJob {
  /** Digest of the model that must encode: a worker that holds another one refuses. */
  model: string;
  roughCount: number;
  polishCount: number;
  /**
   * (roughCount + polishCount) x 671 absorbances on the reference axis, as the model's input wants them, rough scans
   * first. Passed on: the caller's view
   * is detached or zeroed, and no copy outlives the job.
   */
  spectra: Float32Array;
  /** Nobody waits for it: it goes when no other job does, and is the first to be refused where many wait. */
  patient?: boolean;
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

export interface JobOptions {
  /** The job is given up after so many milliseconds, wherever it stands. */
  timeoutMs: number;
  /** Aborting gives the job up: one that waits never runs. */
  signal?: AbortSignal;
  /** Who asks: those who wait are served in turn, and where too many wait who has most of them is refused first. */
  by?: string;
}

export interface QueueState {
  waiting: number;
  active: number;
  workers: { id: string; engine: string; models: string[] }[];
}

export interface ScoringQueue {
  /** @throws ScoringUnavailable, JobCancelled */
  score(job: ScoringJob, options: JobOptions): Promise<ScoredSides>;
  state(): Promise<QueueState>;
  /** Waiting and running jobs fail with `closed`. */
  close(): Promise<void>;
}

/** A side as the service knows it: no ordinate of it. */
export interface UploadedSide extends ExaminedSide {
  /** SHA-256 of the parsed numbers, 64 hex digits. */
  digest: string;
}

export interface CheckedUpload {
  rejectTarget: RejectTarget;
  rough: UploadedSide;
  polish: UploadedSide;
  /** Scans of the rough that are scans of the polish too, number for number. */
  sharedScans: number;
}

/** What could be read of an upload that was refused, of either side, for the record of the refusal. */
export interface UploadFindings {
  rejectTarget?: RejectTarget;
  rough?: Partial<UploadedSide>;
  polish?: Partial<UploadedSide>;
}

export interface PreparedUpload extends CheckedUpload {
  /** (rough.count + polish.count) x 671 absorbances as the model wants them, rough first, in memory of their own. */
  spectra: Float32Array<ArrayBuffer>;
  /** The same as the model beside wants them. */
  kept?: Float32Array<ArrayBuffer>;
}

export interface ClaimOptions extends JobOptions {
  /** Digest of the model that decides. */
  model: string;
  /** Digest of another one, which scores the same scans once the first one has. */
  beside?: string;
}

/** Reads and checks uploads; always in the process that received them. */
export interface UploadReader {
  /** Takes the upload's buffers. @throws UploadRefused, ScoringUnavailable, JobCancelled */
  prepare(upload: Upload, options: ClaimOptions): Promise<PreparedUpload>;
}

/** A claim whose upload is checked. Promises that nobody waits for may fail unseen. */
export interface TakenClaim {
  checked: CheckedUpload;
  scored: Promise<ScoredSides>;
  /** Where it was asked for. It never delays `scored`, and outlives the caller's signal. */
  beside?: Promise<ScoredSides>;
}

/** What the HTTP edge asks for: an upload read, checked and scored, wherever that is done. */
export interface ClaimScoring {
  /**
   * Resolves once the upload is checked; its vectors follow. Takes the upload's buffers.
   * @throws UploadRefused, ScoringUnavailable, JobCancelled
   */
  take(upload: Upload, options: ClaimOptions): Promise<TakenClaim>;
  state(): Promise<QueueState>;
  close(): Promise<void>;
}

/** The upload breaks a rule of the contract; `kind` and `detail` are the refusal's. */
export class UploadRefused extends Error {
  override readonly name = 'UploadRefused';
  constructor(
    readonly kind: RefusalKind,
    readonly detail: string,
    readonly side?: Side,
    readonly findings: UploadFindings = {},
    /** Name of the file that is to blame, as sent. */
    readonly file?: string,
  ) {
    super(detail);
  }
}

/** Why a job may fail through no fault of its caller's, and what is said of it. */
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
