/** Reading and scoring on this process's own worker threads. */
import { isAnyArrayBuffer } from 'node:util/types';
import type { JobOptions, QueueState, ScoredSides, ScoringJob, ScoringQueue } from './port.js';
import { ScoringUnavailable } from './port.js';
import type { PreparedUpload, Upload } from './prepare.js';
import type { ThreadData } from './thread.js';
import { ThreadPool } from './thread-pool.js';

/** What reads uploads: always in the process that received them. */
export interface UploadReader {
  /** Takes the upload's buffers. @throws UploadRefused, ScoringUnavailable, JobCancelled */
  prepare(upload: Upload, options: JobOptions): Promise<PreparedUpload>;
}

/** The upload breaks a rule of the contract; `kind` and `detail` are the refusal's. */
export class UploadRefused extends Error {
  override readonly name = 'UploadRefused';
  constructor(
    readonly kind: string,
    readonly detail: string,
    readonly side?: 'rough' | 'polish',
  ) {
    super(detail);
  }
}

/** From this size on an upload never takes every thread. */
const LARGE_BYTES = 1024 * 1024;

export interface InProcessOptions extends ThreadData {
  /** Digest of the model that the threads load. */
  model: string;
  threads: number;
  maxWaiting: number;
  onThreadLost?(error: Error): void;
}

export class InProcessScoring implements ScoringQueue, UploadReader {
  private readonly pool: ThreadPool;

  constructor(private readonly options: InProcessOptions) {
    this.pool = new ThreadPool({
      module: new URL('./thread.js', import.meta.url),
      workerData: { modelFile: options.modelFile, engine: options.engine } satisfies ThreadData,
      threads: options.threads,
      maxWaiting: options.maxWaiting,
      onThreadLost: options.onThreadLost,
      lanes: { score: { batch: 8, rank: 0, revive }, prepare: { batch: 1, rank: 1, revive } },
    });
  }

  ready(): Promise<void> {
    return this.pool.ready();
  }

  prepare(upload: Upload, options: JobOptions): Promise<PreparedUpload> {
    const arrays = upload.kind === 'json' ? [upload.body] : [...upload.rough, ...upload.polish].map(({ data }) => data);
    const size = arrays.reduce((sum, { length }) => sum + length, 0);
    return this.pool.run('prepare', upload, { ...options, transfer: buffersOf(arrays), large: size > LARGE_BYTES });
  }

  async score(job: ScoringJob, options: JobOptions): Promise<ScoredSides> {
    if (job.model !== this.options.model) {
      job.spectra.fill(0);
      throw new ScoringUnavailable('other_model');
    }
    return this.pool.run('score', job, { ...options, transfer: buffersOf([job.spectra]) });
  }

  state(): Promise<QueueState> {
    const { waiting, active, threads } = this.pool.counts();
    const { engine, model } = this.options;
    const workers = Array.from({ length: threads }, (_, i) => ({ id: `thread-${i + 1}`, engine, model }));
    return Promise.resolve({ waiting, active, workers });
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}

/** Each array's memory, to be transferred; memory that is shared (a slice of a pool) is copied instead. */
function buffersOf(arrays: (Uint8Array | Float32Array)[]): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  for (const { buffer, byteLength } of arrays) {
    if (isAnyArrayBuffer(buffer) && buffer.byteLength === byteLength) buffers.add(buffer as ArrayBuffer);
  }
  return [...buffers];
}

function revive(error: unknown): Error {
  const { kind, detail, side, fault } = error as {
    kind?: string;
    detail?: string;
    side?: 'rough' | 'polish';
    fault?: string;
  };
  if (kind !== undefined && detail !== undefined) return new UploadRefused(kind, detail, side);
  return new Error(fault);
}
