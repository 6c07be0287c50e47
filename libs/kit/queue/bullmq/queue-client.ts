/**
 * The scoring queue port over BullMQ: the edge adds a job and waits for its completion on the same request. The wait ends
 *
 * - by the worker's reply, in the stream of this edge (`readReplies`);
 * - when its time is over, its caller has gone, or this edge is closed (`wait`);
 * - when the job is gone and no reply is there: the worker was lost, and the job is sent once more (`lookUpOverdue`);
 * - when Redis does not answer (`add`, `watch`).
 */

import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
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
import type { JobKind } from './kinds.js';
import {
  connectionOf,
  FAILURES,
  PREFIX,
  queueName,
  REACH_WITHIN_MS,
  redisOptions,
  repliesKey,
  SILENT_AFTER_MS,
  spectraKey,
  WORKERS_KEY,
  type WorkerReport,
} from './protocol.js';
import { type Ending, readReply } from './reply.js';

export interface BullmqOptions {
  redisUrl: string;
  /** Digest of the model that workers must hold. */
  model: string;
  /** Jobs waiting and running in all; more are refused. */
  maxWaiting: number;
  /** Trace context of the job being added, where traces are on. */
  traceparent?(): string | undefined;
  /** Tells an operator of faults: a Redis that persists or evicts, a connection lost. */
  warn?(message: string): void;
  /** Tells of each attempt to reach Redis that failed. */
  away?(reason: string): void;
}

/** A lost worker, or a Redis that came back empty, has no spectra any more: the edge has, and sends them once more. */
const RESUBMISSIONS = 1;
const RETRY_MS = 40;
/** Jobs of a shadow model in hand: their spectra are in Redis meanwhile. */
const MAX_SHADOW = 64;
const WATCH_EVERY_MS = 250;
/** Called so late, this process stood still itself, and answers of Redis may lie unread. */
const STOOD_STILL_MS = 500;
/** A job of this age whose end was not heard of is looked up, and again so much later. */
const OVERDUE_AFTER_MS = 1_500;
const LOOK_AGAIN_AFTER_MS = 1_000;
/** Attempts of which something may be left while Redis is away; of more, the keys end by their time to live alone. */
const MAX_LEFT = 10_000;
/** Replies read at once: 2 MB of vectors. */
const REPLIES_AT_ONCE = 256;
/** A reader that has nothing to read asks again so often. */
const READ_AGAIN_MS = 10_000;

interface Waiter {
  /** Epoch milliseconds; never before the job is added. */
  dueAt: number;
  end(ending: Ending): void;
  fail(error: Error): void;
}

interface Attempt {
  deadline: number;
  signal?: AbortSignal;
  by?: string;
}

/** One a model, with one stream of replies: where there is a shadow model, a process has two. */
export class BullmqQueue<J extends SpectraJob = ScoringJob, R = ScoredSides> implements ScoringQueue<J, R> {
  private readonly redis: Redis;
  private readonly queue: Queue<unknown, unknown, 'score'>;
  private readonly waiters = new Map<string, Waiter>();
  /** Reads replies. */
  private readonly reader: Redis;
  private readonly id = randomUUID();
  private timer: NodeJS.Timeout | undefined;
  private watching = false;
  private readonly closing = new AbortController();
  private inHand = 0;
  private shadow = 0;
  /** Jobs waiting and running in all, as last counted. */
  private depth = 0;
  /** Time of Redis's last answer, in epoch milliseconds. */
  private reachedAt = Date.now();
  private watchedAt = Date.now();
  /** Time when this process last went on after it had stood still. */
  private awakeAt = 0;
  /** Ids of attempts that could not be forgotten yet. */
  private readonly left = new Set<string>();
  private readonly forgetting = new Set<Promise<void>>();

  constructor(
    private readonly kind: JobKind<J, R>,
    private readonly options: BullmqOptions,
  ) {
    // Every waiter listens.
    setMaxListeners(0, this.closing.signal);
    this.redis = new Redis(redisOptions(options.redisUrl, false));
    this.redis.on('error', () => {});
    this.reader = new Redis(redisOptions(options.redisUrl, true));
    this.reader.on('error', ({ message }) => options.away?.(message));
    this.queue = new Queue(queueName(options.model), {
      // One connection for spectra and jobs keeps their order.
      connection: this.redis,
      prefix: PREFIX,
      skipVersionCheck: true,
      defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
    });
    this.queue.on('error', () => {});
  }

  /** Reads replies from now on; waits until Redis is there. */
  async ready(): Promise<void> {
    await this.warnOfUnsafeRedis(this.reader);
    await this.queue.waitUntilReady();
    void this.readReplies();
    this.reachedAt = this.watchedAt = Date.now();
    this.timer = setInterval(() => void this.watch(), WATCH_EVERY_MS);
  }

  /**
   * Replies that were read are deleted, and the rest is read from its beginning: a connection that is lost, or a clock set
   * back, hides nothing.
   */
  private async readReplies(): Promise<void> {
    const from = ['STREAMS', repliesKey(this.id), '0-0'] as const;
    while (!this.closing.signal.aborted) {
      try {
        const answer = await this.reader.xreadBuffer('COUNT', REPLIES_AT_ONCE, 'BLOCK', READ_AGAIN_MS, ...from);
        const read = this.hear(answer);
        if (read.length > 0) this.reader.xdel(repliesKey(this.id), ...read).catch(() => {});
      } catch {
        await sleep(RETRY_MS);
      }
    }
  }

  /** @returns ids of the entries, for which no call waits any more */
  private hear(answer: RepliesRead): Buffer[] {
    const entries = answer?.[0][1] ?? [];
    for (const [, fields] of entries) {
      try {
        const { id, ending } = readReply(fields);
        this.waiters.get(id)?.end(ending);
      } catch {
        // No worker wrote it; who waits is looked up.
      }
    }
    return entries.map(([entry]) => entry);
  }

  async score(job: J, { timeoutMs, signal, by }: JobOptions): Promise<R> {
    const deadline = Date.now() + timeoutMs;
    this.inHand++;
    if (job.shadow) this.shadow++;
    try {
      if (this.shadow > MAX_SHADOW && job.shadow) throw new ScoringUnavailable('full');
      if (job.model !== this.options.model) throw new ScoringUnavailable('other_model');
      for (let attempt = 0; ; attempt++) {
        if (this.inHand > this.options.maxWaiting || this.depth >= this.options.maxWaiting)
          throw new ScoringUnavailable('full');
        const ending = await this.attempt(job, { deadline, signal, by });
        if ('encoded' in ending) return this.kind.result(ending.encoded);
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
  private async attempt(job: J, { deadline, signal, by }: Attempt): Promise<Ending> {
    const id = randomUUID();
    const ended = this.wait(id, deadline, signal);
    const added = this.add(id, job, deadline, by).catch((error) => {
      this.waiters.get(id)?.fail(error);
      return false;
    });
    let answered = false;
    try {
      const ending = await ended;
      answered = 'encoded' in ending;
      return ending;
    } finally {
      // The worker that answered has taken the spectra and removes the job; a job that is still being added is forgotten
      // after it.
      const forgotten = added.then((once) => (once && answered ? undefined : this.forget(id)));
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
      this.waiters.set(id, { dueAt: Number.POSITIVE_INFINITY, end, fail });
      if (signal?.aborted) cancelled();
      if (this.closing.signal.aborted) closed();
    });
  }

  /**
   * The same id added twice is one job, so that a lost answer is simply asked for again, as long as somebody waits.
   * @returns whether it was sent only once, and so nothing of it after it was answered
   */
  private async add(id: string, job: J, deadline: number, by?: string): Promise<boolean> {
    const { spectra } = job;
    const traceparent = this.options.traceparent?.();
    const data = { ...this.kind.data(job), replyTo: this.id, by, ...(traceparent && { traceparent }) };
    const bytes = Buffer.from(spectra.buffer, spectra.byteOffset, spectra.byteLength);
    const began = Date.now();
    for (let once = true; this.waiters.has(id); once = false) {
      try {
        const kept = this.redis.set(spectraKey(id), bytes, 'PX', Math.max(1, Math.ceil(deadline - Date.now())));
        await Promise.all([kept, this.queue.add('score', data, { jobId: id })]);
        const waiter = this.waiters.get(id);
        if (waiter) waiter.dueAt = Date.now() + OVERDUE_AFTER_MS;
        return once;
      } catch (error) {
        if (this.sinceAwake(began) + RETRY_MS >= REACH_WITHIN_MS) throw unreachable(error);
        await sleep(RETRY_MS);
      }
    }
    return false;
  }

  /**
   * Keys that cannot be deleted now are deleted when Redis answers again; the side key also ends by its own time to live.
   */
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
    if (this.waiters.size + this.left.size === 0) {
      this.depth = 0;
      this.reachedAt = now;
    }
    if (this.watching || this.waiters.size + this.left.size === 0) return;
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

  /**
   * Replies lie unread where the reader's connection hangs; jobs go with a lost worker, or with a Redis that is restarted. A job
   * that is gone is lost where no reply is to be read after that: the reply comes before its end.
   */
  private async lookUpOverdue(): Promise<void> {
    const now = Date.now();
    const overdue = [...this.waiters].filter(([, { dueAt }]) => dueAt <= now);
    for (const [, waiter] of overdue) waiter.dueAt = now + LOOK_AGAIN_AFTER_MS;
    const there = await Promise.all(overdue.map(([id]) => this.redis.exists(this.queue.toKey(id))));
    if (there.every(Boolean)) return;
    this.hear(await this.redis.xreadBuffer('STREAMS', repliesKey(this.id), '0-0'));
    for (const [i, [, waiter]] of overdue.entries()) if (!there[i]) waiter.end({ failure: 'lost' });
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
      // Where Redis does not show its connections, the reports alone tell.
      const shown = this.redis.client('LIST').then(String, () => undefined);
      const [counts, reports, connections] = await Promise.all([this.counts(), this.redis.hgetall(WORKERS_KEY), shown]);
      const workers = Object.values(reports)
        .map((text) => JSON.parse(text) as WorkerReport)
        .filter(({ at }) => Date.now() - at < SILENT_AFTER_MS)
        .filter(({ id }) => connections?.includes(` name=${connectionOf(id)} `) ?? true)
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
    await this.queue.close();
    this.redis.disconnect();
    this.reader.disconnect();
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

type RepliesRead = [key: Buffer, entries: [id: Buffer, fields: Buffer[]][]][] | null;

const unreachable = (cause: unknown) => new ScoringUnavailable('unreachable', 1, { cause });
