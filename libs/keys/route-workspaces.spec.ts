import { expectContract } from '../../apps/server/test/contract.js';
import { TestService } from '../../apps/server/test/fixture.js';
import { Trader } from '../../apps/server/test/lots.js';

const PATH = '/api/lotscan/workspaces';
let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

const create = (body: unknown) => service.json('POST', PATH, body, service.operator);
const list = async () => (await service.call('GET', PATH, { headers: service.operator })).body.items;
const revoke = (prefix: string) => service.call('DELETE', `${PATH}/${prefix}`, { headers: service.operator });
const prefixOf = (token: string) => token.slice(0, -44);

describe('POST /api/lotscan/workspaces', () => {
  it('201: shows the token once; the log and the listing hold none of it', async () => {
    const form = new FormData();
    form.append('name', ' trader ');
    const { status, body } = await service.call('POST', PATH, { headers: service.operator, body: form });
    expectContract(PATH, 'post', { status, body });
    expectContract(PATH, 'get', await service.call('GET', PATH, { headers: service.operator }));
    expect([status, body]).toEqual([
      201,
      {
        name: 'trader',
        token: expect.stringMatching(/^mvs_lots_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/),
        note: expect.stringMatching(/store the token now/),
      },
    ]);
    expect(await list()).toEqual([
      {
        name: 'trader',
        prefix: prefixOf(body.token),
        status: 'active',
        created_at: expect.any(String),
        created_by: 'operator',
        revoked_at: null,
        revoked_by: null,
        last_used_at: null,
      },
    ]);
    const secret = body.token.slice(-43);
    for await (const event of service.service.store.readAll()) expect(JSON.stringify(event.data)).not.toContain(secret);
    expect(service.lines.join()).not.toContain(secret);
  });

  it('409 to all but one of those who ask at once, and after revocation', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => create({ name: 'raced' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(5).fill(409)]);
    const { body } = answers.find(({ status }) => status === 201)!;
    expect((await revoke(prefixOf(body.token))).status).toBe(200);
    expect((await create({ name: 'raced' })).status).toBe(409);
  });

  it.each([
    [{}],
    [{ name: '' }],
    [{ name: 5 }],
    [{ name: 'a\nb' }],
    [{ name: 'x'.repeat(65) }],
    [{ name: 'k', kind: 'x' }],
  ])('422: %j', async (body) => {
    expect((await create(body)).status).toBe(422);
  });

  it.each(['POST', 'GET'])('401: %s without the operator key, or with another credential', async (method) => {
    const { secrets } = service.service;
    const { token } = (await create({ name: `wall ${method}` })).body;
    const wrong: Record<string, string>[] = [
      {},
      { 'x-svc-admin': token },
      { 'x-svc-token': token },
      { 'x-api-key': service.apiKey },
      { 'x-svc-admin': secrets!.replayToken },
    ];
    for (const headers of wrong) {
      const { status, body } = await service.call(method, PATH, { headers });
      expect([status, body.code]).toEqual([401, 'credential_operator']);
    }
  });
});

describe('DELETE /api/lotscan/workspaces/{token_prefix}', () => {
  it('200, and again; 404: no such prefix; 409: several', async () => {
    const { token } = (await create({ name: 'left' })).body;
    const first = await revoke(prefixOf(token).slice(0, -3));
    expectContract(`${PATH}/{token_prefix}`, 'delete', first);
    expect(first).toMatchObject({ status: 200, body: { name: 'left', status: 'revoked', revoked_by: 'operator' } });
    expect((await revoke(prefixOf(token))).body).toEqual(first.body);
    expect((await revoke('mvs_lots_x')).status).toBe(404);
    expect((await revoke(service.apiKey.slice(0, -44))).status).toBe(404);
    expect((await revoke('mvs_lots_')).status).toBe(409);
    expect((await list()).find(({ name }: { name: string }) => name === 'left')).toMatchObject({ status: 'revoked' });
  });
});

describe('last_used_at', () => {
  it('is set by a read, and further reads write nothing', async () => {
    const trader = await Trader.in(service, 'reader');
    const shown = async () => (await list()).find(({ name }: { name: string }) => name === 'reader').last_used_at;
    expect(await shown()).toBe(null);
    expect(
      (await service.call('GET', '/api/lotscan/lots', { headers: { 'x-svc-token': `${trader.token}x` } })).status,
    ).toBe(401);
    expect(await shown()).toBe(null);
    expect((await trader.get('/lots')).status).toBe(200);
    const head = await service.service.store.head();
    const at = await shown();
    expect(at).toEqual(expect.any(String));
    const reads = Array.from({ length: 8 }, () => trader.get('/bounds'));
    for (const { status } of await Promise.all(reads)) expect(status).toBe(200);
    expect(await service.service.store.head()).toBe(head);
    expect(await shown()).toBe(at);
  });

  it('is set once by many first calls at once', async () => {
    const trader = await Trader.in(service, 'hasty');
    for (const { status } of await Promise.all(Array.from({ length: 8 }, () => trader.get('/lots'))))
      expect(status).toBe(200);
    const used: unknown[] = [];
    for await (const { type, data } of service.service.store.readAll())
      if (type === 'WorkspaceUsed' && (data.workspace as { name: string }).name === 'hasty') used.push(data);
    expect(used).toHaveLength(1);
  });
});
