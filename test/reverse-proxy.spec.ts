/** The server block of docs/operate/bounds.md in a real nginx, before a real service. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import pino from 'pino';
import { Agent, type Dispatcher, fetch } from 'undici';
import { contract } from '../apps/server/test/contract.js';
import { claimOf, projectionModel, TestService, writeModelFolder } from '../apps/server/test/fixture.js';
import { startWorker } from '../apps/worker/worker.js';
import { type Double, LOG_SECRET, startDouble } from './eventstoredb/double.js';
import { openDoubleLog } from './eventstoredb/log.js';
import { nginxIsHere, TestNginx } from './nginx.js';
import { redisIsHere, startRedis, type TestRedis } from './redis.js';
import { until } from './until.js';

const page = readFileSync('docs/operate/bounds.md', 'utf8');
const [, block] = /```nginx\n([\s\S]*?)```/.exec(page)!;
const OPERATORS = 'allow 10.0.0.0/8;';

/** Of the contract, by path: whether somebody who is no operator has business there. */
const paths = Object.entries((contract as OpenAPIObject).paths).map(([path, operations]): [string, boolean] => {
  const isOpen = ({ security }: { security?: Record<string, unknown>[] }) =>
    !security?.length || security.some((needed) => !('operator' in needed));
  return [path.replaceAll(/\{[^}]+\}/g, 'x'), Object.values(operations as object).some(isOpen)];
});
const ROUTES: [path: string, open: boolean][] = [
  ...paths,
  ['/api/v1/openapi.json', true],
  ['/api/v1/docs', true],
  ['/api/v1/docs.md', true],
  ['/api/v1/docs/', true],
  ['/api/v1/docs/reference.js', true],
  ['/console', false],
  ['/console/assets/x.js', false],
  ['/api/v1/nothing', false],
  ['/api/lotscan/', false],
  ['/api/lotscan/workspaces/', false],
  ['/api/lotscan/%77orkspaces', false],
  ['/api/lotscan/lots/../workspaces', false],
  ['/api/lotscan/lots/..%2fworkspaces', false],
  ['/api/v1/docs/../keys', false],
  ['//health/detail', false],
  ['/health/live/../detail', false],
];

(nginxIsHere ? describe : describe.skip)('the nginx block of docs/operate/bounds.md', () => {
  const [outside, inside] = [new TestNginx(), new TestNginx()];
  const agent = new Agent({ connect: { rejectUnauthorized: false } });
  let service: TestService;

  beforeAll(async () => {
    expect(block).toContain(OPERATORS);
    service = await TestService.start();
    await outside.start(block, { match: service.address });
    await inside.start(block.replace(OPERATORS, 'allow 127.0.0.0/8;'), { match: service.address });
  });
  afterAll(async () => {
    await agent.close();
    await Promise.all([outside.stop(), inside.stop()]);
    await service.stop();
  });

  /** The path as it is written; whether the service answered, or nginx by itself. */
  async function ask(origin: string, path: string, method: Dispatcher.HttpMethod = 'GET') {
    const { statusCode, headers, body } = await agent.request({ origin, path, method });
    await body.dump();
    return { status: statusCode, passed: headers['x-request-id'] !== undefined };
  }

  it('knows paths for everybody and paths for operators', () => {
    const open = paths.filter(([, open]) => open).map(([path]) => path);
    expect(open).toEqual(
      expect.arrayContaining(['/', '/api/v1/verify-match', '/api/lotscan/lots/x/check', '/health/live']),
    );
    expect(paths.length - open.length).toBeGreaterThan(15);
  });

  it.each(ROUTES)('outside %s is open: %s', async (path, open) => {
    for (const method of ['GET', 'POST'] as const) {
      const { status, passed } = await ask(outside.address, path, method);
      expect([method, path, passed, passed || status]).toEqual([method, path, open, open || 403]);
    }
  });

  it.each(ROUTES)('operators reach %s', async (path) => {
    expect(await ask(inside.address, path)).toMatchObject({ passed: true });
  });

  it('passes a claim with its credential, and stores none of it', async () => {
    const body = JSON.stringify(claimOf(1));
    // More than what nginx keeps in memory before it writes a file.
    expect(body.length).toBeGreaterThan(16_384);
    const answer = await fetch(`${outside.address}/api/v1/verify-match`, {
      method: 'POST',
      headers: { 'x-api-key': service.apiKey, 'content-type': 'application/json' },
      body,
      dispatcher: agent,
    });
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ verdict: 'MATCH' })]);
    expect(readdirSync(join(outside.directory, 'kept'))).toEqual([]);
  });
});

(nginxIsHere && redisIsHere ? describe : describe.skip)('the same block with replicas by role', () => {
  const OPERATOR = 'a secret of this test';
  const operator = { 'x-svc-admin': OPERATOR };
  const sha256 = createHash('sha256').update(OPERATOR).digest('hex');
  const json = { 'content-type': 'application/json' };
  const nginx = new TestNginx();
  const agent = new Agent({ connect: { rejectUnauthorized: false } });
  let folder: string;
  let redis: TestRedis;
  let double: Double;
  let worker: INestApplicationContext;
  let claims: TestService;
  let operators: TestService;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mvs-roles-'));
    writeModelFolder(folder, projectionModel());
    redis = await startRedis();
    double = await startDouble(openDoubleLog(join(folder, 'double.db')));
    const start = (MVS_ROLE: string) =>
      TestService.startWithoutKey({
        REDIS_URL: redis.url,
        EVENTSTORE_URL: double.connectionString,
        MVS_LOG_SECRET: LOG_SECRET,
        MVS_OPERATOR_KEYS: `olga:${sha256}`,
        MVS_ROLE,
      });
    worker = await startWorker({
      ...{ redisUrl: redis.url, concurrency: 8, batch: 4, modelFolders: [folder], engine: 'simd' },
      logger: pino({ level: 'silent' }),
    });
    claims = await start('claims');
    const [, byRole] = /## By role[\s\S]*?```nginx\n([\s\S]*?)```/.exec(page)!;
    const routed = (block.slice(0, block.indexOf('  location / {')) + byRole).replace(OPERATORS, 'allow 127.0.0.0/8;');
    operators = await start('operators');
    await nginx.start(routed, { match: claims.address, operators: operators.address });
  });
  afterAll(async () => {
    await agent.close();
    await nginx.stop();
    for (const service of [claims, operators]) await service?.stop();
    await worker?.close();
    await redis?.stop();
    await double?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = (path: string, options: Parameters<typeof fetch>[1] = {}) =>
    fetch(nginx.address + path, { ...options, dispatcher: agent });

  it.each(paths)('reaches a replica that answers %s', async (path) => {
    for (const method of ['GET', 'POST'] as const) {
      const answer = await ask(path, { method, headers: operator });
      expect([method, path, answer.status]).not.toEqual([method, path, 421]);
      expect([method, path, answer.headers.has('x-request-id')]).toEqual([method, path, true]);
      await answer.body?.cancel();
    }
  });

  it('creates a key, answers its claim and shows it, each where it belongs', async () => {
    const body = JSON.stringify({ name: 'lab-a' });
    const { key } = (await (
      await ask('/api/v1/keys', { method: 'POST', headers: { ...operator, ...json }, body })
    ).json()) as { key: string };
    const claim = await ask('/api/v1/verify-match', {
      ...{ method: 'POST', headers: { 'x-api-key': key, ...json } },
      body: JSON.stringify(claimOf(1)),
    });
    const { claim_id, verdict } = (await claim.json()) as Record<string, string>;
    expect([claim.status, verdict]).toEqual([200, 'MATCH']);
    const shown = await ask(`/api/v1/claims/${claim_id}`, { headers: operator });
    expect([shown.status, await shown.json()]).toEqual([200, expect.objectContaining({ claim_id, verdict })]);
  });

  it('is ready, and degraded where nobody answers operators', async () => {
    const ready = async () => {
      const answer = await ask('/health/ready');
      const { status, parts } = (await answer.json()) as { status: string; parts: Record<string, object> };
      return [answer.status, status, parts.operators];
    };
    await until(async () => (await ready())[1] === 'ok');
    expect(await ready()).toEqual([200, 'ok', { status: 'ok' }]);
    await operators.service.close();
    await until(async () => (await ready())[1] === 'degraded');
    expect(await ready()).toEqual([200, 'degraded', { status: 'not_seen' }]);
    await operators.open();
    await until(async () => (await ready())[1] === 'ok');
  });
});
