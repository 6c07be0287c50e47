/** A second model on two api replicas over a real redis-server: workers that hold it and workers that do not. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { Redis } from 'ioredis';
import pino from 'pino';
import { shippedLotModel } from '#science/lots/shipped';
import { type Double, LOG_SECRET, startDouble } from '../../test/eventstoredb/double.js';
import { openDoubleLog } from '../../test/eventstoredb/log.js';
import { redisIsHere, startRedis, type TestRedis } from '../../test/redis.js';
import { startWorker } from '../worker/worker.js';
import { claimOf, projectionModel, TestService, writeModelFolder } from './test/fixture.js';

const own = projectionModel();
const other = projectionModel(16);

(redisIsHere ? describe : describe.skip)('a second model over Redis', () => {
  let redis: TestRedis;
  let folder: string;
  let double: Double;
  let service: TestService;
  let replica: TestService;
  const workers: INestApplicationContext[] = [];
  const models = async () => (await service.call('GET', '/api/v1/model', { headers: service.operator })).body;
  const switchTo = (model: string) =>
    service.json('POST', '/api/v1/model/switch', { model, reason: 'retrained' }, service.operator);
  const work = async (shadowFolder?: string) =>
    workers.push(
      await startWorker({
        redisUrl: redis.url,
        concurrency: 8,
        batch: 4,
        logger: pino({ level: 'silent' }),
        modelFolders: [service.directory],
        shadowFolder,
        engine: 'simd',
      }),
    );
  const heldAsShadow = async (model: string) => {
    const { body } = await service.call('GET', `/api/v1/calibration/lab-a?model=${model}`, {
      headers: service.operator,
    });
    return body.rungs[0].claims_held;
  };
  const until = async (done: () => Promise<boolean>) => {
    while (!(await done())) await setTimeout(50);
  };

  beforeAll(async () => {
    redis = await startRedis();
    folder = mkdtempSync(join(tmpdir(), 'mvs-second-model-'));
    writeModelFolder(folder, other, 0.5);
    // Always on a log of its own: a switch holds for all who share one.
    double = await startDouble(openDoubleLog(join(folder, 'double.db')));
    const environment = {
      REDIS_URL: redis.url,
      EVENTSTORE_URL: double.connectionString,
      MVS_LOG_SECRET: LOG_SECRET,
      MVS_OPERATOR_KEYS: `olga:${createHash('sha256').update('olga-key').digest('hex')}`,
      MVS_SHADOW_MODEL: folder,
      MVS_THREADS: '1',
      MVS_MAX_REQUEST_MS: '10000',
    };
    service = await TestService.startWithoutKey(environment, own);
    replica = await TestService.startWithoutKey(environment, own);
    service.operatorKey = 'olga-key';
    service.apiKey = replica.apiKey = await service.createKey('lab-a');
    await work();
  });
  afterAll(async () => {
    await service?.stop();
    await replica?.stop();
    await Promise.all(workers.map((worker) => worker.close()));
    await redis?.stop();
    await double?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('answers while no worker holds it, counts what the shadow did not score, and refuses the switch', async () => {
    expect((await service.call('GET', '/health/ready')).status).toBe(200);
    const { status, body } = await service.verify(claimOf(1));
    expect([status, body.threshold]).toEqual([200, expect.closeTo(0.68, 10)]);
    await until(async () => (await models()).shadow_claims?.scoring_timed_out === 1);
    const [{ id, models: held }] = (await models()).workers;
    expect(held).toEqual([own.digest, shippedLotModel().digest]);
    const refused = await switchTo(other.digest);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining(`lacking on ${id}`)]);
  });

  it('is scored as shadow by a worker that holds both, and may go live once every worker does', async () => {
    await work(folder);
    for (const stone of [2, 3, 4]) expect((await service.verify(claimOf(stone))).status).toBe(200);
    await until(async () => (await heldAsShadow(other.digest)) === 3);
    expect((await switchTo(other.digest)).status).toBe(409);
    await workers.shift()?.close();
    expect(await switchTo(other.digest)).toMatchObject({ status: 200, body: { live: other.digest } });
    const { status, body } = await replica.verify(claimOf(2));
    expect([status, body.threshold]).toEqual([200, expect.closeTo(0.58, 10)]);
    expect((await service.verify(claimOf(2))).body).toEqual(body);
    expect((await service.verify(claimOf(5))).status).toBe(200);
    await until(async () => (await heldAsShadow(own.digest)) === 5);
    expect((await service.call('GET', '/health/ready')).body.model).toBe(other.digest);
  });

  it('leaves no spectrum in Redis', async () => {
    const probe = new Redis(redis.url);
    await until(async () => (await probe.keys('mvs:spectra:*')).length === 0);
    await probe.quit();
    expect(readdirSync(redis.directory).map((file) => readFileSync(join(redis.directory, file)).length)).toEqual([]);
  });

  it('refuses every switch while no worker is there', async () => {
    await workers.shift()?.close();
    expect(await switchTo(own.digest)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('no worker is there') },
    });
    expect((await service.call('GET', '/health/ready')).status).toBe(503);
  });
});
