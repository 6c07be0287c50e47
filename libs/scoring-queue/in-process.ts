/** Reading and scoring on this process's own worker threads. */
import { isAnyArrayBuffer } from 'node:util/types';
import {
  type CheckedUpload,
  type ClaimScoring,
  type JobOptions,
  type PreparedUpload,
  type QueueState,
  type ScoredSides,
  type ScoringJob,
  type ScoringQueue,
  ScoringUnavailable,
  type Upload,
  type UploadReader,
  UploadRefused,
} from './port.js';
import type { ThreadData } from './thread.js';
import { ThreadPool } from './thread-pool.js';

/** From this size on an upload never takes every thread, and shares its turn with no other. */
const LARGE_BYTES = 1024 * 1024;
/** Jobs of one turn: more share the weights' way through the caches, fewer are answered sooner. */
const CLAIMS_A_TURN = 4;
const JOBS_A_TURN = 8;

export interface InProcessOptions extends ThreadData {
  /** Digest of the model that the threads load. */
  model: string;
  threads: number;
  maxWaiting: number;
  onThreadLost?(error: Error): void;
}

export class InProcessScoring implements ScoringQueue, UploadReader, ClaimScoring {
  private readonly pool: ThreadPool;

  constructor(private readonly options: InProcessOptions) {
    this.pool = new ThreadPool({
      module: new URL('./thread.js', import.meta.url),
      workerData: {
        modelFile: options.modelFile,
        engine: options.engine,
        limits: options.limits,
      } satisfies ThreadData,
      threads: options.threads,
      maxWaiting: options.maxWaiting,
      onThreadLost: options.onThreadLost,
      lanes: {
        score: { batch: JOBS_A_TURN, rank: 0, revive },
        claim: { batch: CLAIMS_A_TURN, rank: 1, revive },
        prepare: { batch: 1, rank: 1, revive },
      },
    });
  }

  ready(): Promise<void> {
    return this.pool.ready();
  }

  take(upload: Upload, options: JobOptions): Promise<{ checked: CheckedUpload; scored: Promise<ScoredSides> }> {
    return new Promise((resolve, reject) => {
      const scored: Promise<ScoredSides> = this.pool.run('claim', upload, {
        ...options,
        ...handOver(upload),
        onProgress: (checked) => resolve({ checked: checked as CheckedUpload, scored }),
      });
      scored.catch(reject);
    });
  }

  prepare(upload: Upload, options: JobOptions): Promise<PreparedUpload> {
    return this.pool.run('prepare', upload, { ...options, ...handOver(upload) });
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

function handOver(upload: Upload): { transfer: ArrayBuffer[]; large: boolean } {
  const arrays = upload.kind === 'json' ? [upload.body] : [...upload.rough, ...upload.polish].map(({ data }) => data);
  const size = arrays.reduce((sum, { length }) => sum + length, 0);
  return { transfer: buffersOf(arrays), large: size > LARGE_BYTES };
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
  const { kind, detail, side, findings, fault } = error as Partial<UploadRefused> & { fault?: string };
  return kind !== undefined && detail !== undefined
    ? new UploadRefused(kind, detail, side, findings)
    : new Error(fault);
}
