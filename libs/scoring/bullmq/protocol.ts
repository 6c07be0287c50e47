/** What the edge and the workers agree on: names, and the shape of a job and of its result. */
import type { LotJob, ScoredStones } from '../lots/port.js';
import type { ScoredSides, ScoringJob } from '../port.js';

export const PREFIX = 'mvs';
/** A queue per model: a worker is never handed a job of a model that it does not hold. */
export const queueName = (model: string): string => `scoring-${model.slice(0, 16)}`;
/** The spectra of one attempt of one job; the worker takes them with GETDEL. */
export const spectraKey = (jobId: string): string => `${PREFIX}:spectra:${jobId}`;
/** Hash of worker id to `WorkerReport`. */
export const WORKERS_KEY = `${PREFIX}:workers`;
export const REPORT_EVERY_MS = 2_000;
/** Redis away, or there and not answering, is noticed within this time. */
export const REACH_WITHIN_MS = 1_500;
export const SILENT_AFTER_MS = 3 * REPORT_EVERY_MS;

export interface WorkerReport {
  id: string;
  host: string;
  engine: string;
  /** Digests. */
  models: string[];
  /** Epoch milliseconds of the report. */
  at: number;
}

/** What Redis holds of a job: never a spectrum. */
export interface JobData {
  model: string;
  roughCount: number;
  polishCount: number;
  shadow?: boolean;
  /** W3C trace context, where traces are on. */
  traceparent?: string;
}

/** Vectors as base64 of little-endian float32. */
export interface JobResult {
  model: string;
  engine: string;
  rough: string[];
  polish: string[];
}

/** The same of a lot. */
export interface LotJobData {
  model: string;
  scans: number[];
  traceparent?: string;
}
export interface LotJobResult {
  model: string;
  vectors: string;
}

/** How jobs of a kind and their results stand in Redis. */
export interface JobKind<J, R> {
  data(job: J): object;
  result(stored: never): R;
}

/** `failedReason`s that the edge distinguishes. */
export const FAILURES = { otherModel: 'other_model', spectraGone: 'spectra_gone', malformed: 'malformed' } as const;

const toText = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');
const fromText = (text: string): Float32Array => {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return new Float32Array(bytes.buffer);
};

export const encodeResult = ({ model, engine, rough, polish }: ScoredSides): JobResult => ({
  model,
  engine,
  rough: rough.map(toText),
  polish: polish.map(toText),
});
export const encodeLotResult = ({ model, vectors }: ScoredStones): LotJobResult => ({
  model,
  vectors: toText(vectors),
});

export const claimJobs: JobKind<ScoringJob, ScoredSides> = {
  data: ({ model, roughCount, polishCount, shadow }): JobData => ({
    model,
    roughCount,
    polishCount,
    ...(shadow && { shadow }),
  }),
  result: ({ model, engine, rough, polish }: JobResult) => ({
    model,
    engine,
    rough: rough.map(fromText),
    polish: polish.map(fromText),
  }),
};
export const lotJobs: JobKind<LotJob, ScoredStones> = {
  data: ({ model, scans }): LotJobData => ({ model, scans }),
  result: ({ model, vectors }: LotJobResult) => ({ model, vectors: fromText(vectors) }),
};

/**
 * Connection options out of a `redis://` or `rediss://` address.
 * @param endless workers and listeners wait for Redis to come back; the edge fails at once
 */
export function redisOptions(url: string, endless: boolean) {
  const { protocol, hostname, port, username, password, pathname } = new URL(url);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 6379 : Number(port),
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: {} }),
    db: Number(pathname.slice(1) || 0),
    connectTimeout: REACH_WITHIN_MS,
    retryStrategy: (times: number) => Math.min(50 * times, 500),
    enableOfflineQueue: endless,
    maxRetriesPerRequest: endless ? null : 1,
    // Not where commands block, up to 10 s, until there is something to answer.
    ...(!endless && { commandTimeout: REACH_WITHIN_MS }),
    // A connection whose other end vanished without a word is made anew.
    socketTimeout: endless ? 15_000 : 2 * REACH_WITHIN_MS,
  };
}
