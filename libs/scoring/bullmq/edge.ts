/** The scoring queue port over BullMQ: the edge adds a job and waits for its completion on the same request. */

import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Queue, QueueEvents } from 'bullmq';
import { Redis } from 'ioredis';
import type { LotJob, ScoredStones } from '../lots/port.js';
import {
  JobCancelled,
  type JobOptions,
  type QueueState,
  type ScoredSides,
  type ScoringJob,
  type ScoringQueue,
  ScoringUnavailable,
  type SpectraJob,
} from '../port.js';
import {
  claimJobs,
  FAILURES,
  type JobKind,
  lotJobs,
  PREFIX,
  queueName,
  REACH_WITHIN_MS,
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

/** A lost worker, or a Redis that came back empty, has no spectra any more: the edge has, and sends them once more. */
const RESUBMISSIONS = 1;
const RETRY_MS = 40;
/** Jobs of a shadow model in hand: their spectra are in Redis meanwhile. */
const MAX_SHADOW = 64;
const WATCH_EVERY_MS = 100;
/** Called so late, this process stood still itself, and answers of Redis may lie unread. */
const STOOD_STILL_MS = 500;
/** A job of this age with nobody having heard of its end is looked up, and again so much later. */
const OVERDUE_AFTER_MS = 1_500;
const LOOK_AGAIN_AFTER_MS = 1_000;
/** Looked up so often in vain, a job is lost. */
const MISSES = 2;
/** Attempts of which something may be left while Redis is away; of more, the keys end by their time to live alone. */
const MAX_LEFT = 10_000;
/** Completion events kept: 30 s at 1,000 claims a second, three events a claim. */
const EVENTS_KEPT = 100_000;

type Ending = { result: unknown } | { failure: string };

interface Waiter {
  /** Epoch milliseconds; never before the job is added. */
  lookUpAt: number;
  misses: number;
  end(ending: Ending): void;
  fail(error: Error): void;
}

/** One a model, with one listener: where there is a shadow model, a process has two. */
export class BullmqQueue<J extends SpectraJob, R> implements ScoringQueue<J, R> {
  private readonly redis: Redis;
  private readonly queue: Queue<unknown, unknown, 'score'>;
  private readonly waiters = new Map<string, Waiter>();
  private events: QueueEvents | undefined;
  private timer: NodeJS.Timeout | undefined;
  private watching = false;
  private readonly closing = new AbortController();
  private inHand = 0;
  private shadow = 0;
  /** Jobs waiting and running in all, as last counted. */
  private depth = 0;
  /** When Redis last answered, in epoch milliseconds. */
  private reachedAt = Date.now();
  private watchedAt = Date.now();
  /** When this process last went on after it had stood still. */
  private awakeAt = 0;
  /** Ids of attempts that could not be forgotten yet. */
  private readonly left = new Set<string>();
  private readonly forgetting = new Set<Promise<void>>();

  constructor(
    private readonly options: BullmqOptions,
    private readonly kind: JobKind<J, R>,
  ) {
    // Every waiter listens.
    setMaxListeners(0, this.closing.signal);
    this.redis = new Redis(redisOptions(options.redisUrl, false));
    this.redis.on('error', () => {});
    this.redis.on('ready', () => void this.keepEvents().catch(() => {}));
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
    const waiting = new Redis(redisOptions(this.options.redisUrl, true));
    waiting.on('error', () => {});
    try {
      await this.warnOfUnsafeRedis(waiting);
      // A listener that starts at "whatever comes next" would miss what comes between two of its reads.
      const [last] = await waiting.xrevrange(`${PREFIX}:${this.queue.name}:events`, '+', '-', 'COUNT', 1);
      this.events = new QueueEvents(this.queue.name, {
        connection: redisOptions(this.options.redisUrl, true),
        prefix: PREFIX,
        skipVersionCheck: true,
        lastEventId: last?.[0] ?? '0-0',
      });
    } finally {
      waiting.disconnect();
    }
    this.events.on('error', () => {});
    this.events.on('completed', ({ jobId, returnvalue }) => {
      this.waiters.get(jobId)?.end({ result: returnvalue });
    });
    this.events.on('failed', ({ jobId, failedReason }) => this.waiters.get(jobId)?.end({ failure: failedReason }));
    await Promise.all([this.events.waitUntilReady(), this.queue.waitUntilReady()]);
    this.reachedAt = this.watchedAt = Date.now();
    this.timer = setInterval(() => void this.watch(), WATCH_EVERY_MS);
  }

  async score(job: J, { timeoutMs, signal }: JobOptions): Promise<R> {
    const deadline = Date.now() + timeoutMs;
    this.inHand++;
    if (job.shadow) this.shadow++;
    try {
      if (this.shadow > MAX_SHADOW && job.shadow) throw new ScoringUnavailable('full');
      if (job.model !== this.options.model) throw new ScoringUnavailable('other_model');
      for (let attempt = 0; ; attempt++) {
        if (this.inHand > this.options.maxWaiting || this.depth >= this.options.maxWaiting)
          throw new ScoringUnavailable('full');
        const ending = await this.attempt(job, deadline, signal);
        if ('result' in ending) return this.kind.result(ending.result as never);
        if (ending.failure === FAILURES.otherModel) throw new ScoringUnavailable('other_model');
        if (ending.failure === FAILURES.malformed || attempt === RESUBMISSIONS)
          throw new ScoringUnavailable('worker_lost');
      }
    } finally {
      this.inHand--;
      if (job.shadow) this.shadow--;
      job.spectra.fill(0);
    }
  }

  /** Adds the job under an id of its own and waits for its end. Nothing of it stays behind. */
  private async attempt(job: J, deadline: number, signal?: AbortSignal): Promise<Ending> {
    const id = randomUUID();
    const ended = this.wait(id, deadline, signal);
    const added = this.add(id, job, deadline).catch((error) => this.waiters.get(id)?.fail(error));
    try {
      return await ended;
    } finally {
      // What is still being added is forgotten after it.
      const forgotten = added.then(() => this.forget(id));
      this.forgetting.add(forgotten);
      void forgotten.then(() => this.forgetting.delete(forgotten));
    }
  }

  /** The waiter stands before the job is added: a completion may come before the adding is answered. */
  private wait(id: string, deadline: number, signal?: AbortSignal): Promise<Ending> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancelled);
        this.closing.signal.removeEventListener('abort', closed);
        this.waiters.delete(id);
        act();
      };
      const fail = (error: Error) => settle(() => reject(error));
      const cancelled = () => fail(new JobCancelled());
      const closed = () => fail(new ScoringUnavailable('closed'));
      const timer = setTimeout(() => fail(new ScoringUnavailable('timed_out')), deadline - Date.now());
      signal?.addEventListener('abort', cancelled);
      this.closing.signal.addEventListener('abort', closed);
      // Also where the answer came first to a process that stood still.
      const end = (ending: Ending) =>
        Date.now() >= deadline ? fail(new ScoringUnavailable('timed_out')) : settle(() => resolve(ending));
      this.waiters.set(id, { lookUpAt: Number.POSITIVE_INFINITY, misses: 0, end, fail });
      if (signal?.aborted) cancelled();
      if (this.closing.signal.aborted) closed();
    });
  }

  /** The same id added twice is one job, so that a lost answer is simply asked for again, as long as somebody waits. */
  private async add(id: string, job: J, deadline: number) {
    const { spectra } = job;
    const traceparent = this.options.traceparent?.();
    const data = { ...this.kind.data(job), ...(traceparent && { traceparent }) };
    const bytes = Buffer.from(spectra.buffer, spectra.byteOffset, spectra.byteLength);
    const began = Date.now();
    while (this.waiters.has(id)) {
      try {
        await this.redis.set(spectraKey(id), bytes, 'PX', Math.max(1, Math.ceil(deadline - Date.now())));
        if (!this.waiters.has(id)) return;
        await this.queue.add('score', data, { jobId: id });
        const waiter = this.waiters.get(id);
        if (waiter) waiter.lookUpAt = Date.now() + OVERDUE_AFTER_MS;
        return;
      } catch (error) {
        if (this.sinceAwake(began) + RETRY_MS >= REACH_WITHIN_MS) throw unreachable(error);
        await sleep(RETRY_MS);
      }
    }
  }

  /** What cannot be deleted now is deleted when Redis answers again; the side key also ends by its own time to live. */
  private async forget(id: string): Promise<void> {
    try {
      await Promise.all([this.redis.del(spectraKey(id)), this.queue.remove(id)]);
    } catch {
      if (this.left.size < MAX_LEFT) this.left.add(id);
    }
  }

  /** Counts the jobs, and so sees whether Redis is there: waiters do not outlast it. */
  private async watch(): Promise<void> {
    const now = Date.now();
    if (now - this.watchedAt > STOOD_STILL_MS) this.awakeAt = now;
    this.watchedAt = now;
    if (this.watching) return;
    this.watching = true;
    try {
      const { waiting, active } = await this.counts();
      this.depth = waiting + active;
      this.reachedAt = Date.now();
      await this.lookUpOverdue();
      const left = [...this.left];
      this.left.clear();
      await Promise.all(left.map((id) => this.forget(id)));
    } catch (error) {
      if (this.sinceAwake(this.reachedAt) >= REACH_WITHIN_MS)
        for (const waiter of [...this.waiters.values()]) waiter.fail(unreachable(error));
    } finally {
      this.watching = false;
    }
  }

  /** Milliseconds since then, in which Redis can have been heard. */
  private sinceAwake(then: number): number {
    return Date.now() - Math.max(then, this.awakeAt);
  }

  /** Completions can be missed while the connection is away, and jobs with a Redis that was restarted. */
  private async lookUpOverdue(): Promise<void> {
    const now = Date.now();
    const overdue = [...this.waiters].filter(([, { lookUpAt }]) => lookUpAt <= now);
    await Promise.allSettled(
      overdue.map(async ([id, waiter]) => {
        waiter.lookUpAt = now + LOOK_AGAIN_AFTER_MS;
        const ending = await this.lookUp(id);
        if (ending === 'missing') waiter.misses++;
        else if (ending) waiter.end(ending);
        if (waiter.misses === MISSES) waiter.end({ failure: 'lost' });
      }),
    );
  }

  /** Reads no more of the job than its end: what else stands there may be broken. */
  private async lookUp(id: string): Promise<Ending | 'missing' | undefined> {
    const [name, returned, failure] = await this.redis.hmget(
      this.queue.toKey(id),
      'name',
      'returnvalue',
      'failedReason',
    );
    if (name === null) return 'missing';
    if (failure !== null) return { failure };
    if (returned === null) return undefined;
    try {
      return { result: JSON.parse(returned) };
    } catch {
      return { failure: FAILURES.malformed };
    }
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
      throw unreachable(error);
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
    clearInterval(this.timer);
    // The waiters go first, and with them what they left in Redis.
    await setImmediate();
    await Promise.all(this.forgetting);
    this.redis.disconnect();
    // BullMQ waits without end for a connection that is being made anew, and keeps one that could not be quit.
    const closed = new AbortController();
    const late = sleep(REACH_WITHIN_MS, undefined, closed).catch(() => {});
    await Promise.race([Promise.allSettled([this.events?.close(), this.queue.close()]), late]);
    closed.abort();
    this.queue.disconnect().catch(() => {});
  }

  /** The queue says so once, at its start: a Redis that came back empty would keep ten times fewer. */
  private keepEvents(): Promise<number> {
    return this.redis.hset(this.queue.toKey('meta'), 'opts.maxLenEvents', EVENTS_KEPT);
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
      this.options.warn?.('Redis does not show its configuration: make sure that it neither persists nor evicts');
    }
  }
}

/** Claims. */
export class BullmqScoring extends BullmqQueue<ScoringJob, ScoredSides> {
  constructor(options: BullmqOptions) {
    super(options, claimJobs);
  }
}

/** Lots. */
export class BullmqLots extends BullmqQueue<LotJob, ScoredStones> {
  constructor(options: BullmqOptions) {
    super(options, lotJobs);
  }
}

const unreachable = (cause: unknown) => new ScoringUnavailable('unreachable', 1, { cause });
