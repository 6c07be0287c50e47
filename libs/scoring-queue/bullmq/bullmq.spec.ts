import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { simdCompute } from '#compute';
import { placeModel } from '#matching';
import { cutConnections } from '../../../test/cut-connections.js';
import { redisIsHere, startRedis, type TestRedis } from '../../../test/redis.js';
import { inventedSpectra } from '../../matching/test-model.js';
import { describeScoringQueue, testedModel } from '../conformance.js';
import { BullmqScoring } from './edge.js';
import { PREFIX, queueName, redisOptions } from './protocol.js';
import { ScoringWorker, workerOptions } from './worker.js';

const model = testedModel();
const soon = { timeoutMs: 20_000 };
let redis: TestRedis;
const alarms: string[] = [];
const open: { close(): Promise<unknown> }[] = [];

async function startWorker(batch = 8): Promise<Worker> {
  const placed = await placeModel(model, simdCompute());
  const scoring = new ScoringWorker({
    redisUrl: redis.url,
    placed: [placed],
    engine: 'simd',
    batch,
    alarm: (message) => alarms.push(message),
  });
  await scoring.report();
  const worker = new Worker(queueName(model.digest), (job) => scoring.process(job), {
    connection: redisOptions(redis.url, true),
    prefix: PREFIX,
    ...workerOptions(16),
  });
  worker.on('error', () => {});
  open.push({ close: () => worker.close(true).then(() => scoring.close()) });
  return worker;
}

async function startEdge(maxWaiting = 500, warn?: (message: string) => void): Promise<BullmqScoring> {
  const edge = new BullmqScoring({ redisUrl: redis.url, model: model.digest, maxWaiting, warn });
  await edge.ready();
  open.push(edge);
  return edge;
}
const jobOf = (seed: number) => ({
  model: model.digest,
  roughCount: 3,
  polishCount: 1,
  spectra: inventedSpectra(4, seed),
});
const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ reason, name }) => reason ?? name,
  );

(redisIsHere ? describe : describe.skip)('BullMQ on a real redis-server', () => {
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
    alarms.length = 0;
  });

  describeScoringQueue('BullMQ', async ({ maxWaiting }) => {
    const before = open.length;
    await startWorker();
    const queue = await startEdge(maxWaiting);
    const mine = open.splice(before);
    return { queue, dispose: async () => void (await Promise.all(mine.map((one) => one.close()))) };
  });

  it('loses none of 5,000 results while connections are killed at random', async () => {
    await startWorker();
    await startWorker();
    const edge = await startEdge(100_000);
    const stop = await cutConnections(redis.url, 400, 12345);
    const spectra = inventedSpectra(4, 5);
    let answered = 0;
    let next = 0;
    const failures: string[] = [];
    const client = async () => {
      while (next++ < 5_000) {
        const result = await failure(
          edge.score(
            { model: model.digest, roughCount: 3, polishCount: 1, spectra: spectra.slice() },
            { timeoutMs: 30_000 },
          ),
        );
        if (result === 'done') answered++;
        else failures.push(result);
      }
    };
    await Promise.all(Array.from({ length: 32 }, client));
    expect(await stop()).toBeGreaterThan(0);
    expect({ answered, failures }).toEqual({ answered: 5_000, failures: [] });
  }, 180_000);

  it('answers after its worker died with the job in hand: the edge sends it again', async () => {
    const edge = await startEdge();
    const key = `${PREFIX}:spectra:*`;
    const dead = new Worker(queueName(model.digest), () => new Promise(() => {}), {
      connection: redisOptions(redis.url, true),
      prefix: PREFIX,
      ...workerOptions(1),
    });
    dead.on('error', () => {});
    const answer = edge.score(jobOf(1), { timeoutMs: 25_000 });
    const probe = new Redis(redis.url);
    while ((await probe.keys(key)).length === 0 || (await edge.state()).active === 0)
      await new Promise((resolve) => setTimeout(resolve, 10));
    for (const taken of await probe.keys(key)) await probe.getdel(taken);
    await dead.close(true);
    await dead.disconnect().catch(() => {});
    await startWorker();
    expect((await answer).rough).toHaveLength(2);
    await probe.quit();
  }, 40_000);

  it('leaves no spectrum in Redis after success, time-out, cancellation and a lost worker', async () => {
    const usual = redis;
    redis = await startRedis();
    const edge = await startEdge();
    const spectra = () => inventedSpectra(4, 77);
    const job = () => ({ model: model.digest, roughCount: 3, polishCount: 1, spectra: spectra() });
    expect(await failure(edge.score(job(), { timeoutMs: 300 }))).toBe('timed_out');
    const stop = new AbortController();
    const cancelled = failure(edge.score(job(), { ...soon, signal: stop.signal }));
    setTimeout(() => stop.abort(), 50);
    expect(await cancelled).toBe('JobCancelled');
    await startWorker();
    expect(await failure(edge.score(job(), soon))).toBe('done');
    await new Promise((resolve) => setTimeout(resolve, 300));

    const probe = new Redis(redis.url);
    const sample = Buffer.from(spectra().buffer, 400, 64);
    const held: string[] = [];
    for (const key of await probe.keys('*')) {
      if (key.startsWith(`${PREFIX}:spectra:`)) held.push(key);
      const dump = await probe.dumpBuffer(key);
      if (dump?.includes(sample) || dump?.includes(sample.toString('base64').slice(0, 40))) held.push(key);
    }
    expect(held).toEqual([]);
    expect(
      readdirSync(redis.directory).filter((file) => readFileSync(join(redis.directory, file)).includes(sample)),
    ).toEqual([]);
    await probe.quit();
    await Promise.all(open.splice(0).map((one) => one.close()));
    await redis.stop();
    redis = usual;
  }, 30_000);

  it('drops a malformed job with an alarm', async () => {
    await startWorker();
    const edge = await startEdge();
    const queue = new Queue(queueName(model.digest), { connection: redisOptions(redis.url, true), prefix: PREFIX });
    await queue.add('score', { model: model.digest, roughCount: -1, polishCount: 'many' });
    await queue.add('score', 'not even an object' as never);
    while (alarms.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(alarms.every((alarm) => alarm.includes('malformed'))).toBe(true);
    expect(await failure(edge.score(jobOf(1), soon))).toBe('done');
    await queue.close();
  });

  it('says within 2 s that Redis is away, and recovers without a restart', async () => {
    await startWorker();
    const edge = await startEdge();
    expect(await failure(edge.score(jobOf(1), soon))).toBe('done');
    redis.process.kill('SIGKILL');
    const began = Date.now();
    expect(await failure(edge.score(jobOf(2), soon))).toBe('unreachable');
    expect(Date.now() - began).toBeLessThan(3_000);
    await redis.restart();
    for (let tries = 0; (await failure(edge.score(jobOf(3), { timeoutMs: 4_000 }))) !== 'done'; tries++)
      if (tries > 10) throw new Error('did not recover');
  }, 60_000);

  it('warns of a Redis that persists or evicts', async () => {
    const usual = redis;
    redis = await startRedis('--appendonly', 'yes', '--maxmemory-policy', 'allkeys-lru');
    const warnings: string[] = [];
    await startEdge(10, (message) => warnings.push(message));
    await Promise.all(open.splice(0).map((one) => one.close()));
    await redis.stop();
    redis = usual;
    expect(warnings).toHaveLength(2);
    expect(warnings.join()).toContain('append-only');
    expect(warnings.join()).toContain('noeviction');
  });
});
