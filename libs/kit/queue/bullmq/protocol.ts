/** The agreement between edge and workers: names, the shape of a job, connections. */
export const PREFIX = 'mvs';
/**
 * A queue per model: a worker is never handed a job of a model that it does not hold. Another name for each form of jobs, so that
 * no worker of another release takes them: `scoring-` were those of 0.1 and 0.2.
 */
export const queueName = (model: string): string => `encode-${model.slice(0, 16)}`;
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

/** The name of a worker's connection: a worker that was killed has none, whatever its last report says. */
export const connectionOf = (worker: string): string => `${PREFIX}:worker:${encodeURIComponent(worker)}`;

/** Stream of what one edge still has to read: a job's id, and its vectors or why it has none. */
export const repliesKey = (edge: string): string => `${PREFIX}:replies:${edge}`;
/** Time, ms, for which replies are kept that an edge did not read because it is gone. */
export const REPLIES_KEPT_MS = 60_000;

/** The content of a job in Redis: never a spectrum. */
interface QueuedJob {
  model: string;
  /** The edge that waits: every edge names itself. */
  replyTo?: string;
  /** The caller: workers encode in turns. */
  by?: string;
  /** W3C trace context, where traces are on. */
  traceparent?: string;
}
export interface JobData extends QueuedJob {
  roughCount: number;
  polishCount: number;
  shadow?: boolean;
}
export interface LotJobData extends QueuedJob {
  scans: number[];
}

/** `failedReason`s that the edge distinguishes. */
export const FAILURES = { otherModel: 'other_model', spectraGone: 'spectra_gone', malformed: 'malformed' } as const;

/**
 * Connection options out of a `redis://` or `rediss://` address.
 * @param endless workers and readers of answers wait for Redis to come back; the edge fails at once
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
    // A connection whose other end vanished without a word is made again.
    socketTimeout: endless ? 15_000 : 2 * REACH_WITHIN_MS,
  };
}
