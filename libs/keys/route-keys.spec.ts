import { streams } from '#domain/streams';
import { newEventId } from '#kit/log/event-id';
import { sha256Hex } from '#kit/log/secrets';
import { expectContract } from '../../apps/server/test/contract.js';
import { claimOf, TestService } from '../../apps/server/test/fixture.js';
import { formerCredentialId } from './decide.js';

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

  it('409: a name that looks like another, also one that an earlier release made', async () => {
    expect((await create({ name: 'Look-1' })).status).toBe(201);
    for (const name of ['look-1', 'LOOK-1', '\uff2c\uff4f\uff4f\uff4b\uff0d\uff11']) {
      const { status, body } = await create({ name });
      expect([status, body.code, body.detail]).toEqual([
        409,
        'conflict',
        expect.stringContaining('upper case and full'),
      ]);
    }
    // As 0.2 made it: in a stream by its own writing.
    const id = formerCredentialId(sha256Hex, 'Former Lab');
    const key = { id, name: 'Former Lab', kind: 'production', population: 'lab-a' };
    const data = { key, secret_sha256: '0'.repeat(64), operator: 'ada', at: '2026-01-01T00:00:00.000Z' };
    const event = { id: newEventId(), type: 'KeyCreated', version: 1, data };
    await service.service.log.append(streams.key(id), [event], 'no_stream');
    expect((await create({ name: 'Former Lab' })).status).toBe(409);
    expect((await list()).map(({ name }: { name: string }) => name)).toContain('Former Lab');
    const { status, body } = await create({ name: 'former lab' });
    expect([status, body.detail]).toEqual([409, expect.stringContaining('taken by Former Lab')]);
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
      expires_at: null,
      rate: null,
      contact: null,
      paused: false,
      reads_population: false,
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

describe('the life of a key', () => {
  const DAY = 24 * 3_600_000;
  const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString();
  const change = (prefix: string, body: unknown) =>
    service.json('PATCH', `/api/v1/keys/${prefix}`, body, service.operator);
  const asked = async (key: string) => {
    const { status, body } = await service.verify(claim, { 'x-api-key': key });
    return [status, body.code];
  };
  const listed = async (name: string) => (await list()).find((key: { name: string }) => key.name === name);

  it('is paused and resumed, by the next call', async () => {
    const { key } = (await create({ name: 'pausing' })).body;
    expect((await service.verify(claim, { 'x-api-key': key })).status).toBe(200);
    const paused = await change(prefixOf(key), { paused: true });
    expectContract('/api/v1/keys/{key_prefix}', 'patch', paused);
    expect(paused).toMatchObject({ status: 200, body: { name: 'pausing', status: 'paused', paused: true } });
    expect(await asked(key)).toEqual([401, 'credential_paused']);
    expect((await listed('pausing')).status).toBe('paused');
    expect((await change(prefixOf(key), { paused: false })).body.status).toBe('active');
    expect((await service.verify(claim, { 'x-api-key': key })).status).toBe(200);
  });

  it('ends at its time with 401 and a code of its own, and may be given a later end', async () => {
    const soon = new Date(Date.now() + 300).toISOString();
    const { key } = (await create({ name: 'ending', expires_at: soon, contact: 'lab@example.org', rate: 7 })).body;
    expect(await listed('ending')).toMatchObject({ expires_at: soon, contact: 'lab@example.org', rate: 7 });
    await new Promise((resolve) => setTimeout(resolve, 350));
    const refused = await service.verify(claim, { 'x-api-key': key });
    expectContract('/api/v1/verify-match', 'post', refused);
    expect([refused.status, refused.body.code]).toEqual([401, 'credential_expired']);
    expect(refused.body.detail).toMatch(/^valid X-Api-Key header required/);
    const wrong = await service.verify(claim, { 'x-api-key': `${key.slice(0, -1)}${key.endsWith('A') ? 'E' : 'A'}` });
    expect(wrong.body.code).toBe('credential_api_key');
    expect((await listed('ending')).status).toBe('expired');
    expect((await change(prefixOf(key), { expires_at: 'never', rate: 0, contact: '' })).body).toMatchObject({
      ...{ status: 'active', expires_at: null, rate: null, contact: null },
    });
    expect((await service.verify(claim, { 'x-api-key': key })).status).toBe(200);
  });

  it('has a rate of its own', async () => {
    const { key } = (await create({ name: 'slow', rate: 1 })).body;
    const ask = () => service.call('GET', '/api/v1/verify-match', { headers: { 'x-api-key': key } });
    const answers = [await ask(), await ask(), await ask()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[0].headers.get('ratelimit-policy')).toBe('2;w=2');
  });

  it('is an alarm a week before its end, and none before or after', async () => {
    await create({ name: 'a week', expires_at: inDays(6.9), contact: 'lab@example.org' });
    await create({ name: 'later', expires_at: inDays(7.1) });
    const { checks } = (await service.call('GET', '/api/v1/hygiene', { headers: service.operator })).body;
    const { items } = checks.find(({ check }: { check: string }) => check === 'keys_about_to_end');
    expect(items).toEqual([
      expect.objectContaining({ key: 'a week', contact: 'lab@example.org', expires_at: expect.any(String) }),
    ]);
  });

  it.each([
    [{ expires_at: '2020-01-01T00:00:00Z' }],
    [{ expires_at: '9999-12-31T23:59:59Z' }],
    [{ expires_at: '+275760-09-13T00:00:00Z' }],
    [{ expires_at: '2027-02-30' }],
    [{ expires_at: 5 }],
    [{ expires_at: 'soon' }],
    [{ rate: -1 }],
    [{ rate: 1.5 }],
    [{ rate: 1e9 }],
    [{ contact: 'x'.repeat(281) }],
    [{ contact: 5 }],
  ])('422, and nothing is changed: %j', async (life) => {
    const name = `bad ${JSON.stringify(life).slice(0, 40)}`;
    expect((await create({ name, ...life })).status).toBe(422);
    expect(await listed(name)).toBeUndefined();
    expect((await change(prefixOf(service.apiKey), life)).status).toBe(422);
    expect((await change(prefixOf(service.apiKey), { paused: 'yes' })).status).toBe(422);
    expect((await service.verify(claim)).status).toBe(200);
  });

  it('404 and 409: no such key, a revoked one', async () => {
    expect((await change('mvs_live_x', { paused: true })).status).toBe(404);
    const { key } = (await create({ name: 'gone' })).body;
    await revoke(prefixOf(key));
    expect((await change(prefixOf(key), { paused: true })).status).toBe(409);
  });
});

describe('Idempotency-Key', () => {
  const again = (body: unknown, id: string) =>
    service.json('POST', '/api/v1/keys', body, { ...service.operator, 'idempotency-key': id });

  it('brings the same key once more, at once too, and never another operator or body', async () => {
    const [a, b] = await Promise.all([again({ name: 'twice' }, 'one'), again({ name: 'twice' }, 'one')]);
    const c = await again({ name: 'twice' }, 'one');
    expect([a.status, b.body, c.body]).toEqual([201, a.body, a.body]);
    expect((await service.verify(claim, { 'x-api-key': c.body.key })).status).toBe(200);
    expect((await again({ name: 'twice', kind: 'test' }, 'one')).status).toBe(409);
    const other = await again({ name: 'twice' }, 'two');
    expect([other.status, other.body.detail]).toEqual([409, expect.stringMatching(/was lost, revoke that and create/)]);
    expect((await again({ name: 'long' }, 'x'.repeat(129))).status).toBe(400);
    for await (const event of service.service.store.readAll())
      expect(JSON.stringify(event.data)).not.toContain(a.body.key.slice(-43));
  });
});
