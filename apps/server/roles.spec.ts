/** Replicas of two roles on one log: who answers what, and what each needs of the other. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { chainRoot } from '#calibration/chain';
import { streamPrefixes, streams } from '#domain/streams';
import { newEventId } from '#kit/log/event-id';
import { openEventStoreDB } from '#kit/log/eventstoredb/store';
import { proposalOf } from '#kit/views/test/log';
import { endings } from '../../test/endings.js';
import { type Double, LOG_SECRET, startDouble } from '../../test/eventstoredb/double.js';
import { openDoubleLog } from '../../test/eventstoredb/log.js';
import { until } from '../../test/until.js';
import { contract } from './test/contract.js';
import { claimOf, formOf, TestService } from './test/fixture.js';
import { plainLot, Trader } from './test/lots.js';

const OPERATOR = 'a secret of this test';
const operator = { 'x-svc-admin': OPERATOR };
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const atEnd = endings();
let folder: string;
let double: Double;
let claims: TestService;
let operators: TestService;
let trader: Trader;

const start = async (MVS_ROLE: string) => {
  const environment = {
    EVENTSTORE_URL: double.connectionString,
    MVS_LOG_SECRET: LOG_SECRET,
    MVS_OPERATOR_KEYS: `olga:${sha256(OPERATOR)}`,
    MVS_ROLE,
  };
  const service = await TestService.startWithoutKey(environment, undefined, undefined, { checksLog: true });
  service.operatorKey = OPERATOR;
  return service;
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mvs-roles-'));
  double = await startDouble(openDoubleLog(join(folder, 'double.db')));
  operators = await start('operators');
  claims = await start('claims');
  operators.apiKey = claims.apiKey = await operators.createKey('lab-a');
  trader = new Trader(claims, (await Trader.in(operators, 'trader')).token);
});
afterAll(async () => {
  await claims?.stop();
  await operators?.stop();
  await double?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Every operation of the contract, by whom it is for. */
const operations = Object.entries((contract as OpenAPIObject).paths).flatMap(([path, item]) =>
  Object.entries(item as Record<string, { security?: Record<string, unknown>[] }>).map(([method, { security }]) => ({
    method: method.toUpperCase(),
    path: path.replaceAll(/\{[^}]+\}/g, 'x'),
    scheme: Object.keys(security?.[0] ?? {})[0],
  })),
);
const EVERYWHERE = ['/metrics', '/health/detail'];
const named = (of: (operation: (typeof operations)[number]) => boolean) =>
  operations.filter(of).map(({ method, path }): [string, string] => [method, path]);
const ofOperators = named(({ scheme, path }) => scheme === 'operator' && !EVERYWHERE.includes(path));
/** A key's own claims are read from streams, and listed where the ledger is. */
const OWN_CLAIMS = '/api/v1/verify-match';
const isOwnClaims = (method: string, path: string) => method === 'GET' && path.startsWith(OWN_CLAIMS);
const ofKeys = named(({ scheme, method, path }) => scheme === 'apiKey' && !isOwnClaims(method, path));
const ofWorkspaces = named(({ scheme }) => scheme === 'workspace');

describe('a replica for claims', () => {
  it.each(['/console', '/console/claims', '/console/assets/x.js'])('has no console: %s', async (path) => {
    const { status, body } = await claims.call('GET', path);
    expect([status, body.code]).toEqual([421, 'misdirected']);
    expect((await operators.call('GET', '/console')).status).toBe(200);
  });

  it('answers a claim as JSON and as files, its repetition, a replay by an operator, and a label', async () => {
    const first = await claims.verify(claimOf(1));
    expect([first.status, first.body.verdict]).toEqual([200, 'MATCH']);
    expect((await claims.verify(claimOf(1))).body).toEqual(first.body);
    expect((await claims.verify(formOf(claimOf(1)))).body.fused_score).toBe(first.body.fused_score);
    const replay = await claims.verify(claimOf(1), { ...operator, 'x-svc-replay': '1' });
    expect([replay.status, replay.body.verdict]).toEqual([200, 'MATCH']);
    const label = { claim_id: first.body.claim_id, expected: 'match' };
    const labelled = await claims.json('POST', '/api/v1/expected', [label], { 'x-api-key': claims.apiKey });
    expect([labelled.status, labelled.body.counts]).toEqual([200, expect.objectContaining({ accepted: 1 })]);
    const { body } = await operators.call('GET', `/api/v1/claims/${first.body.claim_id}`, { headers: operator });
    expect(body).toMatchObject({ verdict: 'MATCH' });
  });

  it('answers the contract, health and metrics', async () => {
    for (const path of ['/', '/api/v1', '/api/v1/openapi.json', '/api/v1/docs', '/api/v1/docs.md', '/health/live'])
      expect([path, (await claims.call('GET', path)).status]).toEqual([path, 200]);
    expect((await claims.call('GET', '/api/v1/openapi.json')).body.paths).toEqual((contract as OpenAPIObject).paths);
    for (const path of EVERYWHERE) {
      expect([path, (await claims.call('GET', path)).status]).toEqual([path, 401]);
      expect([path, (await claims.call('GET', path, { headers: operator })).status]).toEqual([path, 200]);
    }
    expect((await claims.call('GET', '/health/ready')).body).toMatchObject({
      status: 'ok',
      parts: { views: { status: 'ok' } },
    });
    const { parts } = (await claims.call('GET', '/health/detail', { headers: operator })).body;
    expect(parts.views.map(({ name }: { name: string }) => name)).toEqual(['lots']);
    expect(parts).not.toHaveProperty('calibration');
    expect((await claims.call('GET', '/metrics', { headers: operator })).body).not.toMatch(/^mvs_view_lag/m);
  });

  it.each(ofOperators)('sends an operator elsewhere, once the credential is right: %s %s', async (method, path) => {
    const wrong = await claims.call(method, path, { headers: { 'x-svc-admin': 'wrong' } });
    expect([wrong.status, wrong.body.code]).toEqual([401, 'credential_operator']);
    const right = await claims.call(method, path, { headers: operator });
    expect([right.status, right.body.code]).toEqual([421, 'misdirected']);
    expect(right.body.detail).toBe('this replica does not answer here: its MVS_ROLE is claims');
  });

  it('says 404 of what no replica has, and 405 of a method that none has', async () => {
    for (const path of ['/api/v1/nothing', '/api/v1/keys/x/y'])
      expect((await claims.call('GET', path, { headers: operator })).status).toBe(404);
    expect((await claims.call('PUT', '/api/v1/keys', { headers: operator })).status).toBe(405);
  });

  it('refuses a key from the revocation on, which another replica answered', async () => {
    const key = { 'x-api-key': await operators.createKey('brief') };
    expect((await claims.verify(claimOf(2), key)).status).toBe(200);
    await operators.call('DELETE', `/api/v1/keys/${key['x-api-key'].slice(0, 25)}`, { headers: operator });
    expect((await claims.verify(claimOf(2), key)).status).toBe(401);
  });

  it('serves lots from enrolment to rehearsal, and lists them though claims were stored since', async () => {
    const lot = await plainLot();
    const declared = { session_type: 'shaken' };
    expect((await trader.get('/bounds')).status).toBe(200);
    const { body } = await trader.enrol(lot.enrol, { name: 'spring', ...declared });
    expect((await trader.check(body.lot_id, lot.back, declared)).status).toBe(200);
    expect((await trader.rehearse(body.lot_id, { seed: 5, draws: 20 })).status).toBe(200);
    expect((await claims.verify(claimOf(3))).status).toBe(200);
    const listed = await trader.get('/lots');
    expect([listed.status, listed.body.items]).toEqual([200, [expect.objectContaining({ lot_id: body.lot_id })]]);
    expect((await trader.get(`/lots/${body.lot_id}`)).body.check_count).toBe(1);
    expect((await trader.get(`/lots/${body.lot_id}/checks`)).body.items).toHaveLength(1);
  });

  it('is sent lots and nothing of a claim', async () => {
    const others = () => double.given.get('')!;
    const before = [others(), double.given.get(streamPrefixes.lots.join(' '))];
    expect((await claims.verify(claimOf(4))).status).toBe(200);
    // The subscribers for all views were sent the claim.
    await until(() => others() >= (before[0] as number) + 4);
    expect(double.given.get(streamPrefixes.lots.join(' '))).toBe(before[1]);
  });
});

describe('a replica for operators', () => {
  it.each(ofKeys)('sends the holder of a key elsewhere, once the key is right: %s %s', async (method, path) => {
    const wrong = await operators.call(method, path, { headers: { 'x-api-key': 'wrong' } });
    expect([wrong.status, wrong.body.code]).toEqual([401, 'credential_api_key']);
    const right = await operators.call(method, path, { headers: { 'x-api-key': operators.apiKey } });
    expect([right.status, right.body.code]).toEqual([421, 'misdirected']);
  });

  it.each(ofWorkspaces)('sends a trader elsewhere, once the token is right: %s %s', async (method, path) => {
    expect((await operators.call(method, path)).status).toBe(401);
    const right = await operators.call(method, path, { headers: trader.headers });
    expect([right.status, right.body.code]).toEqual([421, 'misdirected']);
  });

  it('lists the claims of a key, which a replica for claims does not, and reads one as that does', async () => {
    const { claim_id } = (await claims.verify(claimOf(1))).body;
    const headers = { 'x-api-key': claims.apiKey };
    const listed = await claims.call('GET', OWN_CLAIMS, { headers });
    expect([listed.status, listed.body.code]).toEqual([421, 'misdirected']);
    expect((await operators.call('GET', OWN_CLAIMS, { headers })).status).toBe(200);
    for (const replica of [claims, operators]) {
      const { status, body } = await replica.call('GET', `${OWN_CLAIMS}/${claim_id}`, { headers });
      expect([status, body.claim_id]).toEqual([200, claim_id]);
    }
  });

  it('answers what operators ask for', async () => {
    for (const path of ['/api/v1/claims', '/api/v1/findings', '/api/v1/overview', '/api/v1/keys', '/health/detail'])
      expect([path, (await operators.call('GET', path, { headers: operator })).status]).toEqual([path, 200]);
  });
});

describe('an approval by another hand', () => {
  it('decides on no replica', async () => {
    const key = await operators.createKey('forged key', { population: 'forged' });
    const { model } = (await claims.call('GET', '/health/ready')).body;
    const secrets = ['another hand has a secret of its own, of 32 characters', LOG_SECRET];
    const log = atEnd(openEventStoreDB({ secrets, connectionString: double.connectionString }), (one) => one.close());
    const decided = { population: 'forged', reject_target: 0.98, operator: 'anna', reason: 'why', requested_by: null };
    const data = {
      ...decided,
      at: new Date().toISOString(),
      proposal: proposalOf({ model, claims: 75, threshold: 0.1 }),
      chain: chainRoot('forged', []),
    };
    await log.append(
      streams.calibration('forged'),
      [{ id: newEventId(), type: 'RungApproved', version: 2, data }],
      'no_stream',
    );
    await until(async () => {
      const { parts } = (await operators.call('GET', '/health/detail', { headers: operator })).body;
      return parts.calibration.not_obeyed === 1;
    });
    const asked = { ...claimOf(1), reject_target: 0.98 };
    const { status, body } = await claims.verify(asked, { 'x-api-key': key });
    expect([status, body.code]).toEqual([503, 'log_damaged']);
  });
});
