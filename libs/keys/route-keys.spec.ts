import { claimOf, TestService } from '../../apps/server/test/fixture.js';

let service: TestService;
const claim = claimOf(1, { roughScans: 1 });
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

const create = (body: unknown) => service.json('POST', '/api/v1/keys', body, service.operator);
const list = async () => (await service.call('GET', '/api/v1/keys', { headers: service.operator })).body.items;
const prefixOf = (key: string) => key.slice(0, -44);
const revoke = (prefix: string) => service.call('DELETE', `/api/v1/keys/${prefix}`, { headers: service.operator });

describe('POST /api/v1/keys 201', () => {
  it('creates a key from JSON and shows it once', async () => {
    const { status, body } = await create({ name: 'json' });
    expect(status).toBe(201);
    expect(body).toEqual({
      name: 'json',
      key: expect.stringMatching(/^mvs_live_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/),
      note: expect.stringMatching(/store the key now/),
      population: 'json',
      kind: 'production',
    });
    expect((await service.verify(claim, { 'x-api-key': body.key })).status).toBe(200);
    expect(JSON.stringify(await list())).not.toContain(body.key);
  });

  it('creates a key from a form', async () => {
    const form = new FormData();
    form.append('name', 'a form');
    const { status, body } = await service.call('POST', '/api/v1/keys', { headers: service.operator, body: form });
    expect([status, body.name]).toEqual([201, 'a form']);
  });

  it('takes null for left out, so that views and readiness go on', async () => {
    const { status, body } = await create({ name: 'nulls', population: null, kind: null });
    expect([status, body.kind, body.population]).toEqual([201, 'production', 'nulls']);
    expect((await list()).map(({ name }: { name: string }) => name)).toContain('nulls');
    expect((await service.call('GET', '/health/ready')).body.status).toBe('ok');
  });

  it('creates a test key in a population', async () => {
    const { body } = await create({ name: 'tests', population: 'lab-a', kind: 'test' });
    expect(body).toMatchObject({ key: expect.stringMatching(/^mvs_test_/), population: 'lab-a', kind: 'test' });
  });
});

describe('POST /api/v1/keys refusals', () => {
  it('409: a name that is taken, also after revocation', async () => {
    const { body } = await create({ name: 'taken' });
    expect((await create({ name: ' taken ' })).status).toBe(409);
    await revoke(prefixOf(body.key));
    const again = await create({ name: 'taken' });
    expect([again.status, again.body.detail]).toEqual([409, expect.stringContaining('taken')]);
  });

  it('409 to all but one of those who ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ name: 'raced' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });

  it.each([
    [{}],
    [{ name: '' }],
    [{ name: 5 }],
    [{ name: 'x'.repeat(65) }],
    [{ name: 'a\nb' }],
    [[]],
    [{ name: null }],
    [{ name: 'a\0b' }],
    [{ name: '\ud800' }],
    [{ name: 'a\u202eb' }],
    [{ name: 'a\u200bb' }],
    [{ name: '\u3164' }],
    [{ name: 'k', population: '\udfff' }],
    [{ name: 'k', population: 'a\ufeffb' }],
    [{ name: 'k', kind: 'gold' }],
    [{ name: 'k', colour: 'red' }],
  ])('422: %j', async (body) => {
    expect((await create(body)).status).toBe(422);
  });

  it('400: no JSON; 415: neither JSON nor a form', async () => {
    expect(await create('{')).toMatchObject({ status: 400, body: { detail: 'body is not valid JSON' } });
    const headers = { ...service.operator, 'content-type': 'text/plain' };
    expect((await service.call('POST', '/api/v1/keys', { headers, body: 'name=x' })).status).toBe(415);
  });

  it.each(['POST', 'GET'])('401: %s without the operator key, or with another credential', async (method) => {
    const { secrets } = service.service;
    const wrong: Record<string, string>[] = [
      {},
      { 'x-svc-admin': 'guess' },
      { 'x-svc-admin': secrets!.replayToken },
      { 'x-svc-replay-key': secrets!.replayToken },
      { 'x-api-key': service.apiKey },
      { 'x-api-key': secrets!.operatorKey },
      { 'x-svc-admin': service.apiKey },
    ];
    for (const headers of wrong) {
      const { status, body } = await service.call(method, '/api/v1/keys', { headers });
      expect([status, body.detail]).toEqual([401, 'valid X-Svc-Admin header required']);
    }
  });
});

describe('GET /api/v1/keys 200', () => {
  it('lists keys by prefix only, page by page', async () => {
    await create({ name: 'listed' });
    const found = (await list()).find(({ name }: { name: string }) => name === 'listed');
    expect(found).toEqual({
      name: 'listed',
      prefix: expect.stringMatching(/^mvs_live_[0-9a-f]{16}$/),
      kind: 'production',
      population: 'listed',
      status: 'active',
      created_at: expect.any(String),
      created_by: 'operator',
      revoked_at: null,
      revoked_by: null,
      last_used_at: null,
    });
    const apiKey = await service.createKey('used');
    const used = async () => (await list()).find(({ name }: { name: string }) => name === 'used').last_used_at;
    expect(await used()).toBeNull();
    const before = new Date().toISOString();
    await service.verify(claim, { 'x-api-key': apiKey });
    const first = await used();
    expect(first >= before && first <= new Date().toISOString()).toBe(true);
    await service.verify(claim, { 'x-api-key': apiKey });
    expect((await used()) >= first).toBe(true);
    const names: string[] = [];
    let path = '/api/v1/keys?limit=2';
    for (;;) {
      const { body } = await service.call('GET', path, { headers: service.operator });
      names.push(...body.items.map(({ name }: { name: string }) => name));
      if (body.next_cursor === null) break;
      path = `/api/v1/keys?limit=2&cursor=${body.next_cursor}`;
    }
    expect(names).toEqual((await list()).map(({ name }: { name: string }) => name));
    expect(names[0]).toBe('lab-a');
  });
});

describe('DELETE /api/v1/keys/{key_prefix}', () => {
  it('200: access stops at once, history stays, revoking again changes nothing', async () => {
    const key = await service.createKey('short-lived');
    const { body } = await service.verify(claim, { 'x-api-key': key });
    const first = await revoke(prefixOf(key));
    expect(first).toMatchObject({
      status: 200,
      body: { name: 'short-lived', status: 'revoked', revoked_by: 'operator' },
    });
    expect((await service.verify(claim, { 'x-api-key': key })).status).toBe(401);
    expect((await revoke(prefixOf(key))).body).toEqual(first.body);
    const kept = await service.call('GET', `/api/v1/claims/${body.claim_id}`, { headers: service.operator });
    expect(kept.body.key.name).toBe('short-lived');
  });

  it('200: a beginning that fits one key only', async () => {
    const key = await service.createKey('by beginning');
    expect((await revoke(prefixOf(key).slice(0, -4))).body.name).toBe('by beginning');
  });

  it('404: no such prefix; 409: several', async () => {
    expect((await revoke('mvs_live_x')).status).toBe(404);
    expect((await revoke('%25')).status).toBe(404);
    await service.createKey('another');
    expect((await revoke('mvs_')).status).toBe(409);
  });

  it('lets a replacement take over before the old key goes', async () => {
    const [old, next] = [
      await service.createKey('line 1'),
      await service.createKey('line 1 new', { population: 'line 1' }),
    ];
    for (const key of [old, next]) expect((await service.verify(claim, { 'x-api-key': key })).status).toBe(200);
    await revoke(prefixOf(old));
    expect((await service.verify(claim, { 'x-api-key': next })).status).toBe(200);
  });
});
