import { createHash } from 'node:crypto';
import { expectContract } from '../../../apps/server/test/contract.js';
import { claimOf, TestService } from '../../../apps/server/test/fixture.js';

const entry = (name: string, scopes: string) =>
  `${name}:${createHash('sha256').update(`${name}-key`).digest('hex')}${scopes}`;
const as = (name: string) => ({ 'x-svc-admin': `${name}-key` });

let service: TestService;
beforeAll(async () => {
  const keys = [entry('olga', ''), entry('auditor', ':audit'), entry('prometheus', ':metrics')].join(',');
  service = await TestService.startWithoutKey({ MVS_OPERATOR_KEYS: keys });
  service.operatorKey = 'olga-key';
  service.apiKey = await service.createKey('lab-a');
  expect((await service.verify(claimOf(1))).status).toBe(200);
});
afterAll(() => service.stop());

/** Every route that asks for an operator, with something in its parameters. */
const operatorRoutes = async () => {
  const routes = service.service.api.routes().map((route) => route.split(' ') as [string, string]);
  const filled = routes.map(([method, path]): [string, string] => [method, path.replace(/:[a-z_]+/g, 'x')]);
  const answers = await Promise.all(filled.map(([method, path]) => service.call(method, path)));
  return filled.filter((_, i) => /X-Svc-Admin/.test(answers[i].body?.detail));
};

/** An answer; of one that goes on for ever its status. */
async function opened(method: string, path: string, headers: Record<string, string>) {
  if (!path.endsWith('/claims/stream')) return service.call(method, path, { headers });
  const leaving = new AbortController();
  const { status } = await fetch(service.address + path, { method, headers, signal: leaving.signal });
  leaving.abort();
  return { status, body: undefined };
}

describe('scopes of operator keys', () => {
  it('audit reads everything and decides nothing', async () => {
    const routes = await operatorRoutes();
    expect(routes.length).toBeGreaterThan(20);
    for (const [method, path] of routes) {
      const { status, body } = await opened(method, path, as('auditor'));
      if (method === 'GET' && path !== '/metrics') expect([path, [200, 404].includes(status)]).toEqual([path, true]);
      else expect([path, status, body.code]).toEqual([path, 403, 'operator_scope']);
    }
  });

  it('each is told by GET /api/v1/operators/me', async () => {
    const me = (name: string) => service.call('GET', '/api/v1/operators/me', { headers: as(name) });
    const auditor = await me('auditor');
    expect(auditor).toMatchObject({ status: 200, body: { name: 'auditor', scopes: ['audit'] } });
    expectContract('/api/v1/operators/me', 'get', auditor);
    expect((await me('olga')).body).toEqual({ name: 'olga', scopes: ['operate', 'audit', 'review', 'metrics'] });
    expect((await me('prometheus')).status).toBe(403);
    expect((await me('nobody')).status).toBe(401);
    const byKey = await service.call('GET', '/api/v1/operators/me', { headers: { 'x-api-key': service.apiKey } });
    expect(byKey.status).toBe(401);
  });

  it('metrics reads the metrics alone, also as a bearer token', async () => {
    for (const [method, path] of await operatorRoutes()) {
      const { status } = await service.call(method, path, { headers: as('prometheus') });
      expect([path, status]).toEqual([path, path === '/metrics' ? 200 : 403]);
    }
    const authorization = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
    expect((await service.call('GET', '/metrics', authorization('prometheus-key'))).status).toBe(200);
    expect((await service.call('GET', '/metrics', authorization('olga-key'))).status).toBe(200);
    expect((await service.call('GET', '/metrics', authorization('auditor-key'))).status).toBe(403);
    expect((await service.call('GET', '/metrics', authorization('nobody-key'))).status).toBe(401);
    expect((await service.call('GET', '/api/v1/keys', authorization('olga-key'))).status).toBe(401);
  });

  it('only operate replays', async () => {
    const replay = (name: string) => service.verify(claimOf(2), { 'x-svc-replay': '1', ...as(name) });
    const [auditor, olga] = [await replay('auditor'), await replay('olga')];
    const found = await service.call('GET', `/api/v1/claims/${olga.body.claim_id}`, { headers: as('olga') });
    expect([auditor.status, olga.status, found.status]).toEqual([200, 200, 404]);
    const kept = await service.call('GET', `/api/v1/claims/${auditor.body.claim_id}`, { headers: as('olga') });
    expect(kept.status).toBe(200);
  });

  it('a 401 says which header it asks for', async () => {
    const challenge = async (path: string, method = 'GET') =>
      (await service.call(method, path)).headers.get('www-authenticate');
    expect(await challenge('/api/v1/keys')).toBe('X-Svc-Admin realm="match-verification"');
    expect(await challenge('/api/v1/verify-match', 'POST')).toBe('X-Api-Key realm="match-verification"');
    expect(await challenge('/metrics')).toContain('Bearer');
  });
});

describe('a statement of an operator', () => {
  it.each(['', ' ', '\u200b\u2060', '\u2800', '\u3164\ufe0f', '\u0301', '\u00ad'])(
    '422: a reason of %j',
    async (text) => {
      const body = { reason: text, proposal_digest: 'ab'.repeat(32) };
      const path = '/api/v1/calibration/lab-a/rungs/0.98/approve';
      const { status, body: refusal } = await service.json('POST', path, body, as('olga'));
      expect([status, refusal.detail]).toEqual([422, expect.stringContaining('reason must hold')]);
      const { items } = (await service.call('GET', '/api/v1/claims', { headers: as('olga') })).body;
      const review = `/api/v1/claims/${items[0].claim_id}/review`;
      expect((await service.json('POST', review, { note: text }, as('olga'))).status).toBe(422);
    },
  );
});
