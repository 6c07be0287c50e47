/** Reading and scoring on this process's own worker threads. */
import type { RunOptions } from '#kit/threads/options';
import { ThreadPool } from '#kit/threads/pool';
import type { SharedMemory } from '#kit/threads/shared-memory';
import { ThreadLots } from './lots/thread-lots.js';
import {
  type ClaimOptions,
  JobCancelled,
  type JobOptions,
  type QueueState,
  type ScoredSides,
  type Scoring,
  type ScoringJob,
  ScoringUnavailable,
  type TakenClaim,
} from './port.js';
import type { ClaimJob, EncodedClaim, ThreadData } from './thread-jobs.js';
import { buffersOf, costOf, dataOf } from './transfer.js';
import { type CheckedUpload, type PreparedUpload, type Upload, UploadRefused } from './upload.js';

/** Jobs of one turn: more share the weights' way through the caches, fewer are answered sooner. */
const CLAIMS_A_TURN = 2;
const JOBS_A_TURN = 8;
/** Jobs of a shadow model that wait: their spectra are in memory meanwhile, 19 kB for 6 + 1 scans. */
const MAX_SHADOW = 256;

export interface ThreadScoringOptions extends ThreadData {
  threads: number;
  maxWaiting: number;
  onThreadLost?(error: Error): void;
  /** Memory for the bodies of uploads. */
  memory?: SharedMemory;
}

export class ThreadScoring implements Scoring {
  private readonly pool: ThreadPool;
  readonly lots: ThreadLots;
  private readonly digests: readonly string[];

  constructor(private readonly options: ThreadScoringOptions) {
    const { models, lotModel, engine, limits, threads, maxWaiting, onThreadLost } = options;
    this.digests = models.map(({ digest }) => digest);
    this.pool = new ThreadPool({
      module: new URL('./thread-jobs.js', import.meta.url),
      data: { models, lotModel, engine, limits } satisfies ThreadData,
      ...{ threads, maxWaiting, onThreadLost, revive },
      fault: (reason, cause) =>
        reason === 'cancelled' ? new JobCancelled() : new ScoringUnavailable(reason, 1, { cause }),
      lanes: {
        score: { batch: JOBS_A_TURN, rank: 0 },
        claim: { batch: CLAIMS_A_TURN, rank: 1 },
        prepare: { batch: 1, rank: 1 },
        lot: { batch: 1, rank: 1 },
        prepare_lot: { batch: 1, rank: 1 },
        decide_lot: { batch: 1, rank: 1 },
        shadow: { batch: CLAIMS_A_TURN, rank: 2, spare: MAX_SHADOW },
      },
    });
    this.lots = new ThreadLots(this.pool, options.lotModel?.digest);
  }

  ready(): Promise<void> {
    return this.pool.ready();
  }

  readAndScore(upload: Upload, { model, shadow, ...options }: ClaimOptions): Promise<TakenClaim> {
    return new Promise((resolve, reject) => {
      const job: ClaimJob = { upload, model, shadow };
      const encoded: Promise<EncodedClaim> = this.pool.submit('claim', job, {
        ...options,
        ...this.handOver(upload),
        onProgress: (progress) => {
          const checked = progress as CheckedUpload;
          resolve({
            checked,
            scored,
            ...(shadow !== undefined && { shadow: this.scoreShadow(shadow, encoded, checked, options) }),
          });
        },
      });
      const scored = encoded.then(({ sides }) => sides);
      scored.catch(reject);
    });
  }

  /** The spectra that the thread kept of a scored claim, once more by another model. */
  private scoreShadow(
    model: string,
    encoded: Promise<EncodedClaim>,
    checked: CheckedUpload,
    { timeoutMs }: JobOptions,
  ) {
    const [roughCount, polishCount] = [checked.rough.count, checked.polish.count];
    const scored = encoded.then(({ forShadow: spectra }) => {
      if (!spectra) throw new ScoringUnavailable('other_model');
      return this.score({ model, roughCount, polishCount, spectra, shadow: true }, { timeoutMs });
    });
    scored.catch(() => {});
    return scored;
  }

  /** Reads and checks an upload; always in the process that received it. @throws as `take` */
  prepare(upload: Upload, { model, shadow, ...options }: ClaimOptions): Promise<PreparedUpload> {
    const job: ClaimJob = { upload, model, shadow };
    return this.pool.submit('prepare', job, { ...options, ...this.handOver(upload) });
  }

  async score(job: ScoringJob, options: JobOptions): Promise<ScoredSides> {
    if (!this.digests.includes(job.model)) {
      job.spectra.fill(0);
      throw new ScoringUnavailable('other_model');
    }
    const lane = job.shadow ? 'shadow' : 'score';
    return this.pool.submit(lane, job, { ...options, transfer: buffersOf([job.spectra]) });
  }

  private handOver(upload: Upload): RunOptions {
    const arrays = dataOf(upload);
    const onRead = () => {
      for (const array of arrays) this.options.memory?.giveBack(array);
    };
    return { transfer: buffersOf(arrays), ...costOf(arrays), onRead };
  }

  state(): Promise<QueueState> {
    const { waiting, active, threads } = this.pool.counts();
    const { engine } = this.options;
    const workers = Array.from({ length: threads }, (_, i) => ({
      id: `thread-${i + 1}`,
      engine,
      models: [...this.digests],
    }));
    return Promise.resolve({ waiting, active, workers });
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}

function revive(error: unknown): Error {
  const { kind, detail, side, file, findings, fault } = error as Partial<UploadRefused> & { fault?: string };
  return kind !== undefined && detail !== undefined
    ? new UploadRefused(kind, detail, side, findings, file)
    : new Error(fault ?? String(error));
}
