/** Two api replicas and two workers on a real redis-server and an event log that speaks EventStoreDB's protocol. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { Redis } from 'ioredis';
import pino from 'pino';
import { endings } from '../../test/endings.js';
import { type Double, LOG_SECRET, startDouble } from '../../test/eventstoredb/double.js';
import { openDoubleLog } from '../../test/eventstoredb/log.js';
import { redisIsHere, startRedis, type TestRedis } from '../../test/redis.js';
import { until } from '../../test/until.js';
import { startWorker } from '../worker/worker.js';
import { claimOf, formOf, mixedUpClaim, projectionModel, TestService, writeModelFolder } from './test/fixture.js';
import { plainLot, Trader } from './test/lots.js';

const OPERATOR = 'a secret of this test';
const SECOND = 'another operator has another';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
/** A real server may hold what other suites write, and earlier runs of this one. */
const real = process.env.MVS_TEST_EVENTSTORE_URL;
const ofThisRun = (name: string) => `${name}-${randomUUID().slice(0, 8)}`;

(redisIsHere ? describe : describe.skip)('the production profile', () => {
  let folder: string;
  let redis: TestRedis;
  let double: Double | undefined;
  let a: TestService;
  let b: TestService;
  const workers: INestApplicationContext[] = [];
  const atEnd = endings();
  const operator = { 'x-svc-admin': OPERATOR };
  const lab = ofThisRun('lab');
  const createKey = async (name: string): Promise<string> =>
    (await a.json('POST', '/api/v1/keys', { name }, operator)).body.key;
  const get = (on: TestService, path: string) => on.call('GET', path, { headers: operator });
  const silent = pino({ level: 'silent' });
  const work = async () =>
    workers.push(
      await startWorker({
        redisUrl: redis.url,
        concurrency: 8,
        batch: 4,
        logger: silent,
        modelFolders: [folder],
        engine: 'simd',
      }),
    );

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mvs-production-'));
    writeModelFolder(folder, projectionModel());
    redis = await startRedis();
    if (!real) double = await startDouble(openDoubleLog(join(folder, 'double.db')));
    const environment = {
      REDIS_URL: redis.url,
      EVENTSTORE_URL: real ?? double?.connectionString ?? '',
      MVS_LOG_SECRET: LOG_SECRET,
      MVS_OPERATOR_KEYS: `olga:${sha256(OPERATOR)},otto:${sha256(SECOND)}`,
      MVS_THREADS: '1',
    };
    await work();
    a = await TestService.startWithoutKey(environment);
    b = await TestService.startWithoutKey(environment);
    a.operatorKey = b.operatorKey = OPERATOR;
    a.apiKey = b.apiKey = await createKey(lab);
    await work();
  });
  afterAll(async () => {
    await a?.stop();
    await b?.stop();
    await Promise.all(workers.map((worker) => worker.close()));
    await redis?.stop();
    await double?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('answers real claims on either replica, JSON and files alike, and says which engine scored', async () => {
    const genuine = await a.verify(claimOf(1));
    const mixedUp = await b.verify(formOf(mixedUpClaim(2)));
    expect([genuine.status, mixedUp.status]).toEqual([200, 200]);
    expect(genuine.body.fused_score).toBeGreaterThan(mixedUp.body.fused_score);
    const again = await b.verify(formOf(claimOf(1)));
    expect(again.body.fused_score).toBe(genuine.body.fused_score);
  });

  it('answers the stored verdict to the same claim sent to both replicas at the same instant', async () => {
    for (const stone of [11, 12, 13]) {
      const answers = await Promise.all([a, b, a, b].map((replica) => replica.verify(claimOf(stone))));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    }
  });

  it('knows a key, and its revocation, on every replica at once', async () => {
    const key = await createKey(ofThisRun('brief'));
    const claim = claimOf(21);
    expect((await b.verify(claim, { 'x-api-key': key })).status).toBe(200);
    await a.call('DELETE', `/api/v1/keys/${key.slice(0, 25)}`, { headers: operator });
    expect((await b.verify(claim, { 'x-api-key': key })).status).toBe(401);
  });

  it('shows the claims of all replicas in each ledger', async () => {
    const { body } = await a.verify(claimOf(31));
    expect((await get(a, `/api/v1/claims/${body.claim_id}`)).status).toBe(200);
    const [fromA, fromB] = await Promise.all([a, b].map((replica) => get(replica, `/api/v1/claims?key=${lab}`)));
    expect(fromA.body.items.length).toBeGreaterThan(5);
    expect(fromB.body.items).toEqual(fromA.body.items);
  });

  it('serves a trader’s lot on either replica: enrolled, returned with four exchanged, rehearsed, revoked', async () => {
    const lot = await plainLot();
    const name = ofThisRun('trader');
    const { token } = (await a.json('POST', '/api/lotscan/workspaces', { name }, operator)).body;
    const [onA, onB] = [new Trader(a, token), new Trader(b, token)];
    const stranger = await Trader.in(b, ofThisRun('stranger'));
    const declared = { session_type: 'shaken' };
    const both = await Promise.all(
      [onA, onB].map((trader) => trader.enrol(lot.enrol, { name: 'spring', ...declared })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 201]);
    expect(both[0].body).toEqual(both[1].body);
    const { lot_id } = both[0].body;
    const checks = await Promise.all([onA, onB].map((trader) => trader.check(lot_id, lot.back, declared)));
    expect(checks.map(({ status }) => status)).toEqual([200, 200]);
    expect(checks[0].body).toEqual(checks[1].body);
    const answered = checks[0].body.stones.map(({ stone, member }: { stone: string; member: string | null }) => [
      stone,
      member ?? 'substitute',
    ]);
    expect(Object.fromEntries(answered)).toEqual(lot.truth);
    const rehearsed = await Promise.all([onA, onB].map((trader) => trader.rehearse(lot_id, { seed: 5, draws: 20 })));
    expect(rehearsed[0].body).toEqual(rehearsed[1].body);
    for (const trader of [onA, onB]) expect((await trader.get(`/lots/${lot_id}`)).body.check_count).toBe(1);
    expect((await stranger.get(`/lots/${lot_id}`)).status).toBe(404);
    const probe = atEnd(new Redis(redis.url), (client) => client.disconnect());
    await until(async () => (await probe.keys('mvs:spectra:*')).length === 0);
    await a.call('DELETE', `/api/lotscan/workspaces/${token.slice(0, -44)}`, { headers: operator });
    expect((await onB.get('/bounds')).status).toBe(401);
  });

  it('decides by an approval on either replica from the next request on, and lets one of two operators win', async () => {
    const population = ofThisRun('ladder');
    const asKey = { 'x-api-key': await createKey(population) };
    const stones = Array.from({ length: 40 }, (_, stone) => stone);
    // A busy machine may be told to come again, as a client would.
    const claim = (stone: number) =>
      until(async () => {
        const { status } = await a.verify(claimOf(100 + stone), asKey);
        expect([200, 503]).toContain(status);
        return status === 200;
      });
    while (stones.length > 0) await Promise.all(stones.splice(0, 8).map(claim));
    const at = `/api/v1/calibration/${population}`;
    const rung = async (on: TestService) =>
      (await get(on, at)).body.rungs.find(({ reject_target }: { reject_target: number }) => reject_target === 0.99);
    const decide = (on: TestService, what: 'approve' | 'withdraw', digest?: string, by = operator) =>
      on.json('POST', `${at}/rungs/0.99/${what}`, { reason: 'tried', proposal_digest: digest }, by);
    const sourceOn = async (on: TestService) =>
      (await on.verify({ ...claimOf(100), reject_target: 0.99 }, asKey)).body.threshold_source;

    const { proposal } = await rung(a);
    expect((await rung(b)).proposal).toEqual(proposal);
    expect((await decide(a, 'approve', proposal.digest)).status).toBe(200);
    expect(await sourceOn(b)).toMatch(/^population-calibrated: 40 claims/);
    expect((await decide(b, 'withdraw')).status).toBe(200);
    expect(await sourceOn(a)).toMatch(/^shipped-default/);

    const { digest } = (await rung(b)).proposal;
    const other = { 'x-svc-admin': SECOND };
    const both = await Promise.all([decide(a, 'approve', digest), decide(b, 'approve', digest, other)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await rung(a)).approved_at).toBe((await rung(b)).approved_at);
  });

  it('leaves nothing in Redis of a claim that gets its stored verdict while no worker is there', async () => {
    const claim = claimOf(35);
    expect((await a.verify(claim)).status).toBe(200);
    await Promise.all(workers.splice(0).map((worker) => worker.close()));
    expect((await a.verify(claim)).status).toBe(200);
    const probe = atEnd(new Redis(redis.url), (client) => client.disconnect());
    await until(async () => (await probe.keys('mvs:spectra:*')).length === 0);
    await work();
  });

  it('is busy with 503 while Redis is away, answered long before the claim is overdue, and serves again without a restart', async () => {
    atEnd(redis, (server) => server.revive()).process.kill('SIGKILL');
    const away = await a.verify(claimOf(41));
    expect([away.status, away.headers.get('retry-after'), away.body.code]).toEqual([503, '1', 'scoring_unreachable']);
    await redis.restart();
    await until(async () => (await a.verify(claimOf(41))).status === 200);
  });

  (real ? it.skip : it)(
    'is busy with 503 while the event log is away, and serves again without a restart',
    async () => {
      const { faults } = atEnd(double as Double, (made) => Object.assign(made.faults, { status: 0 }));
      faults.status = 14;
      const answers = await Promise.all(Array.from({ length: 8 }, () => b.verify(claimOf(51))));
      for (const { status, headers, body } of answers)
        expect([status, headers.has('retry-after'), body.code]).toEqual([503, true, 'store_unavailable']);
      faults.status = 0;
      await until(async () => (await b.verify(claimOf(51))).status === 200);
    },
  );
});

describe('EventStoreDB with the threads of the api', () => {
  it('answers claims, lists them, and has its data directory to itself', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mvs-threads-'));
    const double = await startDouble(openDoubleLog(join(folder, 'double.db')));
    const service = await TestService.start({ EVENTSTORE_URL: double.connectionString, MVS_LOG_SECRET: LOG_SECRET });
    try {
      const { status, body } = await service.verify(claimOf(1));
      expect(status).toBe(200);
      const listed = await service.call('GET', '/api/v1/claims', { headers: service.operator });
      expect(listed.body.items).toMatchObject([{ claim_id: body.claim_id, verdict: body.verdict }]);
      await expect(service.open()).rejects.toMatchObject({
        name: 'LogInUse',
        message: expect.stringContaining(`is in use by process ${process.pid} since`),
      });
    } finally {
      await service.stop();
      await double.close();
      rmSync(folder, { recursive: true });
    }
  });
});
