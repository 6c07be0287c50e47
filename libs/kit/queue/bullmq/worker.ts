/** A worker's way with a job: take its spectra out of Redis, encode them with those of other waiting jobs, answer. */
import { hostname } from 'node:os';
import { type Job, UnrecoverableError, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { LotModel } from '#science/lots/model';
import type { PlacedModel } from '#science/matching/encoder';
import { joined } from '#science/numerics/joined';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { encodeLot } from '../lots/work.js';
import { Encoding } from './encoding.js';
import { claimJobs, type JobKind, lotJobs } from './kinds.js';
import {
  connectionOf,
  FAILURES,
  type JobData,
  type LotJobData,
  REPLIES_KEPT_MS,
  REPORT_EVERY_MS,
  redisOptions,
  repliesKey,
  spectraKey,
  WORKERS_KEY,
  type WorkerReport,
} from './protocol.js';
import { type Encoded, type Ending, replyOf } from './reply.js';

/** Names are letters, digits and dashes: what an edge's is part of is a key. */
const nameOf = (name: unknown): string | undefined =>
  typeof name === 'string' && /^[\w-]{1,64}$/.test(name) ? name : undefined;

/** Settings of a BullMQ worker of this queue; `concurrency` jobs are in hand at once and may share a batch. */
export const workerOptions = (concurrency: number) => ({
  concurrency,
  // A worker that dies is noticed after its lock has run out, by any other worker's next check.
  lockDuration: 5_000,
  stalledInterval: 2_000,
  maxStalledCount: 0,
  skipVersionCheck: true,
});

/** BullMQ's own worker never lets go of a job whose data is no JSON: this one hands it on without data, as malformed. */
export class QueueWorker extends Worker<unknown, void> {
  protected override createJob(...[job, id]: Parameters<Worker['createJob']>) {
    try {
      return super.createJob(job, id);
    } catch {
      return super.createJob({ ...job, data: '{}' }, id);
    }
  }
}

export interface WorkerOptions {
  redisUrl: string;
  /** The models that it holds. */
  placed: readonly PlacedModel[];
  /** The lot model that it holds, where it serves lots. */
  lots?: LotModel;
  engine: string;
  /** Most jobs that are encoded together. */
  batch: number;
  /** A job that cannot be what the edge sends. */
  alarm(message: string): void;
}

/** Several may live in one process. */
let made = 0;

export class ScoringWorker {
  /** The one of its BullMQ workers too: so an answer is stored before its job ends, and need not be waited for. */
  readonly redis: Redis;
  /** Until when an edge's answers have time to live enough, epoch milliseconds. */
  private readonly kept = new Map<string, number>();
  private readonly encoding: Encoding;
  private reporting: NodeJS.Timeout | undefined;
  readonly id = `${hostname()}-${process.pid}-${++made}`;

  constructor(private readonly options: WorkerOptions) {
    this.encoding = new Encoding(options.batch);
    this.redis = new Redis({ ...redisOptions(options.redisUrl, true), connectionName: connectionOf(this.id) });
    this.redis.on('error', () => {});
    this.redis.on('ready', () => this.kept.clear());
  }

  /** Says every few seconds that it lives, and with what. */
  async report(): Promise<void> {
    const { engine, placed, lots } = this.options;
    const models = [...placed.map(({ model }) => model.digest), ...(lots ? [lots.digest] : [])];
    const say = () => {
      const report: WorkerReport = { id: this.id, host: hostname(), engine, models, at: Date.now() };
      return this.redis.hset(WORKERS_KEY, this.id, JSON.stringify(report));
    };
    await say();
    this.reporting = setInterval(() => void say().catch(() => {}), REPORT_EVERY_MS);
  }

  /** The edge that waits is answered before the job ends. */
  async process(job: Job): Promise<void> {
    const isLot = job.data?.model !== undefined && job.data.model === this.options.lots?.digest;
    const kind = isLot ? lotJobs : claimJobs;
    const replyTo = nameOf(job.data?.replyTo) ?? this.malformed(job);
    try {
      this.reply(replyTo, job, { encoded: await this.encode(job, kind) });
    } catch (error) {
      this.reply(replyTo, job, { failure: (error as Error).message });
      throw error;
    }
  }

  /** Nothing is kept of a job that is answered. An answer that is lost is missed by the edge, which then asks again. */
  private reply(edge: string, { id = '', opts }: Job, ending: Ending): void {
    opts.removeOnComplete = opts.removeOnFail = true;
    const key = repliesKey(edge);
    this.redis.xadd(key, '*', ...replyOf(id, ending)).catch(() => {});
    const now = Date.now();
    if (now < (this.kept.get(key) ?? 0)) return;
    this.redis.pexpire(key, REPLIES_KEPT_MS).catch(() => {});
    this.kept.set(key, now + REPLIES_KEPT_MS / 4);
  }

  private async encode(job: Job, kind: Pick<JobKind<never, unknown>, 'scansOf'>): Promise<Encoded> {
    const { model } = job.data ?? {};
    const scans = kind.scansOf(job.data ?? {});
    if (typeof model !== 'string' || scans === undefined) return this.malformed(job);
    const vectorsOf = this.encoderOf(job.data);
    return { model, engine: this.options.engine, vectors: await vectorsOf(await this.spectraOf(job, scans)) };
  }

  /** The way from a job's spectra to its vectors. */
  private encoderOf(data: JobData & LotJobData): (spectra: Float32Array) => Promise<Float32Array> | Float32Array {
    const { model, by, shadow = false, roughCount, polishCount, scans } = data;
    const { lots } = this.options;
    if (lots?.digest === model) return (spectra) => encodeLot(lots, { scans, spectra });
    const placed = this.options.placed.find((one) => one.model.digest === model);
    if (!placed) throw new UnrecoverableError(FAILURES.otherModel);
    return async (spectra) => {
      const job = { by: nameOf(by) ?? '', placed, shadow, roughCount, polishCount, spectra };
      const { rough, polish } = await this.encoding.encode(job);
      return joined([...rough, ...polish]);
    };
  }

  /** Takes the job's spectra out of Redis. */
  private async spectraOf(job: Job, scans: number): Promise<Float32Array> {
    const bytes = await this.redis.getdelBuffer(spectraKey(job.id ?? ''));
    // Timed out, cancelled, or taken by a worker that was lost.
    if (!bytes) throw new UnrecoverableError(FAILURES.spectraGone);
    if (bytes.length !== scans * REFERENCE_POINTS * 4) return this.malformed(job);
    const spectra = new Float32Array(scans * REFERENCE_POINTS);
    Buffer.from(spectra.buffer).set(bytes);
    bytes.fill(0);
    return spectra;
  }

  private malformed(job: Job): never {
    this.options.alarm(`job ${String(job.id).slice(0, 64)} in the scoring queue is malformed and was dropped`);
    job.opts.removeOnFail = true;
    throw new UnrecoverableError(FAILURES.malformed);
  }

  async close(): Promise<void> {
    clearInterval(this.reporting);
    await this.redis.hdel(WORKERS_KEY, this.id).catch(() => {});
    this.redis.disconnect();
  }
}
