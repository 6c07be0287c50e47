import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { Redis } from 'ioredis';
import pino from 'pino';
import { BullmqQueue, claimJobs, QUEUE_PREFIX, queueName } from '#kit/queue/bullmq/index';
import { testedModel } from '#kit/queue/test/conformance';
import { shippedLotModel } from '#science/lots/shipped';
import { modelFile } from '#science/matching/model';
import { MODEL_FILE } from '#science/matching/shipped';
import { inventedSpectra } from '#science/matching/test/model';
import { endings } from '../../test/endings.js';
import { program } from '../../test/programs.js';
import { redisIsHere, startRedis, type TestRedis } from '../../test/redis.js';
import { until } from '../../test/until.js';
import { type WorkerFlags, workerCommand } from './options.js';
import { startWorker } from './worker.js';

const soon = { timeoutMs: 30_000 };

describe('the command line of a worker', () => {
  const read = (...words: string[]) =>
    workerCommand()
      .exitOverride()
      .configureOutput({ writeErr: () => {} })
      .parse(words, { from: 'user' })
      .opts<WorkerFlags>();

  it('takes whole numbers from 1 to 1024, and has defaults', () => {
    expect(read('--concurrency', '32', '--batch', '1024')).toMatchObject({ concurrency: 32, batch: 1024 });
    const { concurrency, batch } = read();
    expect([Number.isInteger(concurrency), concurrency >= 16, batch]).toEqual([true, true, 8]);
  });

  it.each(['0', '1025', '-1', '1.5', 'many', ''])('refuses "%s"', (value) => {
    for (const flag of ['--concurrency', '--batch']) expect(() => read(flag, value)).toThrow('whole number');
  });
});

(redisIsHere ? describe : describe.skip)('a worker', () => {
  const { digest } = testedModel();
  const spectra = inventedSpectra(4, 1);
  const jobOf = (model = digest) => ({ model, roughCount: 3, polishCount: 1, spectra: spectra.slice() });
  const outcome = (work: Promise<unknown>) => work.then(() => 'done').catch(({ reason }) => reason);
  let folder: string;
  let redis: TestRedis;
  let probe: Redis;
  let worker: INestApplicationContext;
  let edge: BullmqQueue;
  const atEnd = endings();

  async function connect(model: string): Promise<BullmqQueue> {
    const made = new BullmqQueue(claimJobs, { redisUrl: redis.url, model, maxWaiting: 500 });
    await made.ready();
    return made;
  }
  /** Exit status of the container's health check. */
  async function health(): Promise<number> {
    const health = program('worker-health');
    const check = spawn(process.execPath, [health], { env: { ...process.env, REDIS_URL: redis.url } });
    const [status] = await once(check, 'exit');
    return status;
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mvs-worker-'));
    writeFileSync(join(folder, MODEL_FILE), modelFile(testedModel()));
    redis = await startRedis();
    probe = new Redis(redis.url);
    const logger = pino({ level: 'silent' });
    const options = { redisUrl: redis.url, concurrency: 3, batch: 2, logger, modelFolders: [folder] };
    worker = await startWorker({ ...options, engine: 'simd' });
    edge = await connect(digest);
  });
  afterAll(async () => {
    await worker.close();
    await edge.close();
    await probe.quit();
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('reports itself, and is healthy', async () => {
    expect((await edge.state()).workers).toEqual([
      expect.objectContaining({ engine: 'simd', models: [digest, shippedLotModel().digest] }),
    ]);
    expect(await health()).toBe(0);
  });

  it('does not start without its lot model', async () => {
    const options = { redisUrl: redis.url, concurrency: 1, batch: 1, logger: pino({ level: 'silent' }) };
    const lost = startWorker({ ...options, modelFolders: [folder], lotFolder: folder, engine: 'simd' });
    await expect(lost).rejects.toThrow(`MVS_LOT_MODEL=${folder} cannot be used`);
  });

  it('refuses a job of another model, even where it comes by its own queue', async () => {
    const other = digest.slice(0, 16) + '0'.repeat(48);
    expect(queueName(other)).toBe(queueName(digest));
    const strange = atEnd(await connect(other), (made) => made.close());
    expect(await outcome(strange.score(jobOf(other), soon))).toBe('other_model');
    expect(await outcome(edge.score(jobOf(), soon))).toBe('done');
  });

  it('finishes what it has begun when it is closed under load, takes nothing more, and is healthy no longer', async () => {
    let done = 0;
    let closed: Promise<void> | undefined;
    const outcomes = Array.from({ length: 200 }, async () => {
      const end = await outcome(edge.score(jobOf(), soon));
      if (end === 'done' && ++done === 20) closed = worker.close();
      return end;
    });
    await until(() => closed !== undefined);
    await closed;
    expect((await edge.state()).active).toBe(0);
    expect(await health()).toBe(1);
    // The remaining job waits for another worker.
    const { waiting } = await edge.state();
    await edge.close();
    const ends = await Promise.all(outcomes);
    expect(new Set(ends)).toEqual(new Set(['done', 'closed']));
    expect(ends.filter((end) => end === 'closed')).toHaveLength(waiting);
    const events = await probe.xrange(`${QUEUE_PREFIX}:${queueName(digest)}:events`, '-', '+');
    const named = (name: string) => events.filter(([, fields]) => fields[fields.indexOf('event') + 1] === name).length;
    // The one job of the other model.
    expect([named('failed'), named('stalled')]).toEqual([1, 0]);
  });
});
