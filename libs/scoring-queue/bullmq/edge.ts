/** The scoring queue port over BullMQ: the edge adds a job and waits for its completion on the same request. */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { Job, Queue, QueueEvents } from 'bullmq';
import { Redis } from 'ioredis';
import {
  JobCancelled,
  type JobOptions,
  type QueueState,
  type ScoredSides,
  type ScoringJob,
  type ScoringQueue,
  ScoringUnavailable,
} from '../port.js';
import {
  decodeResult,
  FAILURES,
  type JobData,
  type JobResult,
  PREFIX,
  queueName,
  redisOptions,
  SILENT_AFTER_MS,
  spectraKey,
  WORKERS_KEY,
  type WorkerReport,
} from './protocol.js';

export interface BullmqOptions {
  redisUrl: string;
  /** Digest of the model that workers must hold. */
  model: string;
  /** Jobs waiting and running in all; more are refused. */
  maxWaiting: number;
  /** Trace context of the job being added, where traces are on. */
  traceparent?(): string | undefined;
  /** What an operator should know: a Redis that persists or evicts, a connection lost. */
  warn?(message: string): void;
}

/** A lost worker has taken the spectra along: the edge, which still holds them, sends them again so many times. */
const RESUBMISSIONS = 2;
/** Redis away is told within this time. */
const REACH_WITHIN_MS = 1_500;
const RETRY_MS = 40;
/** Patient jobs in hand: their spectra are in Redis meanwhile. */
const MOST_PATIENT = 64;
const COUNT_EVERY_MS = 50;
const SWEEP_EVERY_MS = 1_000;
/** A job of this age with nobody having heard of its end is looked up. */
const SWEEP_AFTER_MS = 1_500;
/** Completion events kept: 30 s at 1,000 claims a second, three events a claim. */
const EVENTS_KEPT = 100_000;

type Ending = { result: JobResult } | { failure: string };

interface Waiter {
  since: number;
  end(ending: Ending): void;
}

export class BullmqScoring implements ScoringQueue {
  private readonly redis: Redis;
  private readonly queue: Queue<JobData, JobResult>;
  private readonly waiters = new Map<string, Waiter>();
  private events: QueueEvents | undefined;
  private sweeping: NodeJS.Timeout | undefined;
  private readonly closing = new AbortController();
  private inHand = 0;
  private patient = 0;
  private depth = { value: 0, at: 0 };

  constructor(private readonly options: BullmqOptions) {
    // Every waiter listens.
    setMaxListeners(0, this.closing.signal);
    this.redis = new Redis(redisOptions(options.redisUrl, false));
    this.redis.on('error', () => {});
    this.queue = new Queue(queueName(options.model), {
      connection: redisOptions(options.redisUrl, false),
      prefix: PREFIX,
      skipVersionCheck: true,
      streams: { events: { maxLen: EVENTS_KEPT } },
      defaultJobOptions: { attempts: 1, removeOnComplete: { age: 30 }, removeOnFail: { age: 30 } },
    });
    this.queue.on('error', () => {});
  }

  /** Listens for completions; waits until Redis is there. */
  async ready(): Promise<void> {
    const patient = new Redis(redisOptions(this.options.redisUrl, true));
    patient.on('error', () => {});
    try {
      await this.warnOfUnsafeRedis(patient);
      // A listener that starts at "whatever comes next" would miss what comes between two of its reads.
      const [last] = await patient.xrevrange(`${PREFIX}:${this.queue.name}:events`, '+', '-', 'COUNT', 1);
      this.events = new QueueEvents(this.queue.name, {
        connection: redisOptions(this.options.redisUrl, true),
        prefix: PREFIX,
        skipVersionCheck: true,
        lastEventId: last?.[0] ?? '0-0',
      });
    } finally {
      patient.disconnect();
    }
    this.events.on('error', () => {});
    this.events.on('completed', ({ jobId, returnvalue }) => {
      this.waiters.get(jobId)?.end({ result: returnvalue as unknown as JobResult });
    });
    this.events.on('failed', ({ jobId, failedReason }) => this.waiters.get(jobId)?.end({ failure: failedReason }));
    await this.events.waitUntilReady();
    this.sweeping = setInterval(() => void this.sweep().catch(() => {}), SWEEP_EVERY_MS);
  }

  async score(job: ScoringJob, { timeoutMs, signal }: JobOptions): Promise<ScoredSides> {
    const deadline = Date.now() + timeoutMs;
    this.inHand++;
    if (job.patient) this.patient++;
    try {
      if (this.patient > MOST_PATIENT && job.patient) throw new ScoringUnavailable('full');
      if (job.model !== this.options.model) throw new ScoringUnavailable('other_model');
      for (let attempt = 0; ; attempt++) {
        this.throwIfGivenUp(signal);
        await this.throwIfFull();
        const ending = await this.attempt(job, deadline, signal);
        if ('result' in ending) return decodeResult(ending.result);
        if (ending.failure === FAILURES.otherModel) throw new ScoringUnavailable('other_model');
        if (ending.failure === FAILURES.malformed || attempt === RESUBMISSIONS)
          throw new ScoringUnavailable('worker_lost');
      }
    } finally {
      this.inHand--;
      if (job.patient) this.patient--;
      job.spectra.fill(0);
    }
  }

  /** Adds the job under an id of its own and waits for its end. Nothing of it stays behind. */
  private async attempt(job: ScoringJob, deadline: number, signal?: AbortSignal): Promise<Ending> {
    const id = randomUUID();
    const ended = this.wait(id, deadline, signal);
    ended.catch(() => {});
    try {
      await Promise.race([this.add(id, job, deadline), ended]);
      return await ended;
    } finally {
      this.waiters.delete(id);
      void this.forget(id);
    }
  }

  /** The waiter stands before the job is added: a completion may come before the adding is answered. */
  private wait(id: string, deadline: number, signal?: AbortSignal): Promise<Ending> {
    return new Promise((resolve, reject) => {
      const end = (act: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancelled);
        this.closing.signal.removeEventListener('abort', closed);
        act();
      };
      const cancelled = () => end(() => reject(new JobCancelled()));
      const closed = () => end(() => reject(new ScoringUnavailable('closed')));
      const timer = setTimeout(() => end(() => reject(new ScoringUnavailable('timed_out'))), deadline - Date.now());
      signal?.addEventListener('abort', cancelled);
      this.closing.signal.addEventListener('abort', closed);
      this.waiters.set(id, { since: Date.now(), end: (ending) => end(() => resolve(ending)) });
      if (signal?.aborted) cancelled();
      if (this.closing.signal.aborted) closed();
    });
  }

  /** The same id added twice is one job, so that a lost answer is simply asked for again. */
  private async add(id: string, { model, roughCount, polishCount, patient, spectra }: ScoringJob, deadline: number) {
    const data: JobData = { model, roughCount, polishCount, ...(patient && { patient }) };
    const traceparent = this.options.traceparent?.();
    if (traceparent) data.traceparent = traceparent;
    const bytes = Buffer.from(spectra.buffer, spectra.byteOffset, spectra.byteLength);
    const giveUp = Math.min(Date.now() + REACH_WITHIN_MS, deadline);
    for (;;) {
      try {
        await this.redis.set(spectraKey(id), bytes, 'PX', Math.max(1, Math.ceil(deadline - Date.now())));
        await this.queue.add('score', data, { jobId: id });
        return;
      } catch (error) {
        if (Date.now() + RETRY_MS >= giveUp) throw new ScoringUnavailable('unreachable', 1, { cause: error });
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  /** Best effort: the side key also ends by its own time to live, the job by its age. */
  private async forget(id: string): Promise<void> {
    await Promise.allSettled([this.redis.del(spectraKey(id)), this.queue.remove(id)]);
  }

  /** Completions can be missed while the connection is away: what is overdue is looked up. */
  private async sweep(): Promise<void> {
    const overdue = Date.now() - SWEEP_AFTER_MS;
    for (const [id, waiter] of this.waiters) {
      if (waiter.since > overdue) continue;
      const job = await Job.fromId<JobData, JobResult>(this.queue, id);
      if (!job) continue;
      if (job.returnvalue) waiter.end({ result: job.returnvalue });
      else if (job.failedReason) waiter.end({ failure: job.failedReason });
    }
  }

  /** BullMQ's queues have no bound: all jobs are counted now and then, this process's own at once. */
  private async throwIfFull(): Promise<void> {
    if (this.inHand > this.options.maxWaiting) throw new ScoringUnavailable('full');
    if (Date.now() - this.depth.at > COUNT_EVERY_MS) {
      this.depth.at = Date.now();
      try {
        const { waiting, active } = await this.counts();
        this.depth = { value: waiting + active, at: Date.now() };
      } catch {
        // Whether Redis is there shows when the job is added, which tries again for a while.
      }
    }
    if (this.depth.value >= this.options.maxWaiting) throw new ScoringUnavailable('full');
  }

  private throwIfGivenUp(signal?: AbortSignal): void {
    if (signal?.aborted) throw new JobCancelled();
    if (this.closing.signal.aborted) throw new ScoringUnavailable('closed');
  }

  private async counts(): Promise<{ waiting: number; active: number }> {
    const {
      waiting = 0,
      prioritized = 0,
      active = 0,
    } = await this.queue.getJobCounts('waiting', 'prioritized', 'active');
    return { waiting: waiting + prioritized, active };
  }

  async state(): Promise<QueueState> {
    try {
      const [counts, reports] = await Promise.all([this.counts(), this.redis.hgetall(WORKERS_KEY)]);
      const workers = Object.values(reports)
        .map((text) => JSON.parse(text) as WorkerReport)
        .filter(({ at }) => Date.now() - at < SILENT_AFTER_MS)
        .map(({ id, engine, models = [] }) => ({ id, engine, models }));
      return { ...counts, workers };
    } catch (error) {
      throw new ScoringUnavailable('unreachable', 1, { cause: error });
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
    clearInterval(this.sweeping);
    this.redis.disconnect();
    await Promise.allSettled([this.events?.close(), this.queue.close()]);
  }

  /** Spectra pass through this Redis: it must keep nothing and drop nothing. */
  private async warnOfUnsafeRedis(redis: Redis): Promise<void> {
    try {
      const value = async (name: string) => ((await redis.config('GET', name)) as string[])[1] ?? '';
      const [aof, save, policy] = [await value('appendonly'), await value('save'), await value('maxmemory-policy')];
      const persists = 'spectra would reach its disk; start it with --save "" --appendonly no';
      if (aof === 'yes') this.options.warn?.(`Redis writes an append-only file: ${persists}`);
      if (save !== '') this.options.warn?.(`Redis saves snapshots (save "${save}"): ${persists}`);
      if (policy !== 'noeviction')
        this.options.warn?.(`Redis may evict keys (${policy}), and with them claims: set maxmemory-policy noeviction`);
    } catch {
      this.options.warn?.('Redis does not tell its configuration: make sure that it neither persists nor evicts');
    }
  }
}
