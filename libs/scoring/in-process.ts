/** Reading and scoring on this process's own worker threads. */
import { isAnyArrayBuffer } from 'node:util/types';
import {
  type CheckedUpload,
  type ClaimOptions,
  type ClaimScoring,
  type JobOptions,
  type PreparedUpload,
  type QueueState,
  type ScoredSides,
  type ScoringJob,
  type ScoringQueue,
  ScoringUnavailable,
  type TakenClaim,
  type Upload,
  type UploadReader,
  UploadRefused,
} from './port.js';
import type { ClaimJob, EncodedClaim, ThreadData } from './thread.js';
import { ThreadPool } from './thread-pool.js';

/** From this size on an upload never takes every thread, and shares its turn with no other. */
const LARGE_BYTES = 1024 * 1024;
/** What an upload costs at least, as its encoding does not depend on its size. */
const LEAST_COST_BYTES = 64 * 1024;
/** Jobs of one turn: more share the weights' way through the caches, fewer are answered sooner. */
const CLAIMS_A_TURN = 2;
const JOBS_A_TURN = 8;
/** Patient jobs that wait: their spectra are in memory meanwhile, 19 kB for 6 + 1 scans. */
const MOST_PATIENT = 256;

export interface InProcessOptions extends ThreadData {
  /** Digests of the models that the threads load. */
  models: readonly string[];
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
        modelFiles: options.modelFiles,
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
        patient: { batch: CLAIMS_A_TURN, rank: 2, revive, spare: MOST_PATIENT },
      },
    });
  }

  ready(): Promise<void> {
    return this.pool.ready();
  }

  take(upload: Upload, { model, beside, ...options }: ClaimOptions): Promise<TakenClaim> {
    return new Promise((resolve, reject) => {
      const job: ClaimJob = { upload, model, beside };
      const encoded: Promise<EncodedClaim> = this.pool.run('claim', job, {
        ...options,
        ...handOver(upload),
        onProgress: (progress) => {
          const checked = progress as CheckedUpload;
          resolve({
            checked,
            scored,
            ...(beside !== undefined && { beside: this.scoreBeside(beside, encoded, checked, options) }),
          });
        },
      });
      const scored = encoded.then(({ sides }) => sides);
      scored.catch(reject);
    });
  }

  /** What the thread kept of a claim that is scored, once more by another model. */
  private scoreBeside(
    model: string,
    encoded: Promise<EncodedClaim>,
    checked: CheckedUpload,
    { timeoutMs }: JobOptions,
  ) {
    const [roughCount, polishCount] = [checked.rough.count, checked.polish.count];
    const beside = encoded.then(({ kept }) => {
      if (!kept) throw new ScoringUnavailable('other_model');
      return this.score({ model, roughCount, polishCount, spectra: kept, patient: true }, { timeoutMs });
    });
    beside.catch(() => {});
    return beside;
  }

  prepare(upload: Upload, { model, beside, ...options }: ClaimOptions): Promise<PreparedUpload> {
    const job: ClaimJob = { upload, model, beside };
    return this.pool.run('prepare', job, { ...options, ...handOver(upload) });
  }

  async score(job: ScoringJob, options: JobOptions): Promise<ScoredSides> {
    if (!this.options.models.includes(job.model)) {
      job.spectra.fill(0);
      throw new ScoringUnavailable('other_model');
    }
    const lane = job.patient ? 'patient' : 'score';
    return this.pool.run(lane, job, { ...options, transfer: buffersOf([job.spectra]) });
  }

  state(): Promise<QueueState> {
    const { waiting, active, threads } = this.pool.counts();
    const { engine, models } = this.options;
    const workers = Array.from({ length: threads }, (_, i) => ({ id: `thread-${i + 1}`, engine, models: [...models] }));
    return Promise.resolve({ waiting, active, workers });
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}

function handOver(upload: Upload): { transfer: ArrayBuffer[]; large: boolean; cost: number } {
  const arrays = upload.kind === 'json' ? [upload.body] : [...upload.rough, ...upload.polish].map(({ data }) => data);
  const size = arrays.reduce((sum, { length }) => sum + length, 0);
  return { transfer: buffersOf(arrays), large: size > LARGE_BYTES, cost: Math.max(size, LEAST_COST_BYTES) };
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
  const { kind, detail, side, file, findings, fault } = error as Partial<UploadRefused> & { fault?: string };
  return kind !== undefined && detail !== undefined
    ? new UploadRefused(kind, detail, side, findings, file)
    : new Error(fault);
}
