import { claimOf, formOf, TestService } from '../../../apps/server/test/fixture.js';
import { answerTo, strangeHeads } from '../../../test/raw.js';

let service: TestService;
const claim = claimOf(1, { roughScans: 1 });
beforeAll(async () => {
  service = await TestService.start({
    MVS_MAX_BODY_BYTES: '200000',
    MVS_MAX_INFLIGHT_BYTES: '300000',
    MVS_MAX_RATE: '1',
    MVS_MAX_BURST: '5',
  });
});
afterAll(() => service.stop());

let keys = 0;
const freshKey = async () => ({ 'x-api-key': await service.createKey(`edge ${keys++}`) });

const raw = (sent: string, until?: string, to = service) => answerTo(to.address, sent, until);

describe('any path', () => {
  it('404: unknown', async () => {
    for (const path of ['/api', '/api/v2', '/api/v1/nothing', '/api/v1/verify-match/x/y', '/%00', '/api/v1/keys/a/b']) {
      expect(await service.call('GET', path)).toMatchObject({ status: 404, body: { detail: 'no such resource' } });
    }
  });

  it('405: wrong method, with those that are allowed', async () => {
    for (const [method, path, allow] of [
      ['PUT', '/api/v1/verify-match', 'GET, HEAD, POST'],
      ['PUT', '/api/v1/keys', 'GET, HEAD, POST'],
      ['POST', '/api/v1/keys/mvs_live_1', 'DELETE, PATCH'],
      ['DELETE', '/api/v1/claims', 'GET, HEAD'],
    ]) {
      const { status, body, headers } = await service.call(method, path);
      expect([status, body.detail, headers.get('allow')]).toEqual([405, 'method not allowed', allow]);
    }
  });

  const HEAD = 'Host: x\r\nX-Request-Id: mine\r\nConnection: close\r\n\r\n';
  it.each<[number, string, string, string]>([
    [400, 'bad_request', 'no HTTP', 'hello\r\n\r\n'],
    [400, 'bad_request', 'a method that is none', `FETCH / HTTP/1.1\r\n${HEAD}`],
    [
      400,
      'bad_request',
      'two lengths of one body',
      `POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n${HEAD}`,
    ],
    [400, 'bad_request', 'a path that cannot be decoded', `GET /api/v1/claims/%zz HTTP/1.1\r\n${HEAD}`],
    [400, 'bad_request', 'an address that is none', `GET http://[/ HTTP/1.1\r\n${HEAD}`],
    [400, 'bad_request', 'no Host', 'GET /health/live HTTP/1.1\r\nX-Request-Id: mine\r\nConnection: close\r\n\r\n'],
    [400, 'bad_request', 'two Hosts', `GET /health/live HTTP/1.1\r\nHost: y\r\n${HEAD}`],
    [400, 'bad_request', 'two Hosts of old HTTP', `GET /health/live HTTP/1.0\r\nHost: x\r\n${HEAD}`],
    [405, 'wrong_method', 'CONNECT', `CONNECT x:1 HTTP/1.1\r\n${HEAD}`],
    [404, 'no_route', 'OPTIONS of everything', `OPTIONS * HTTP/1.1\r\n${HEAD}`],
    [405, 'wrong_method', 'TRACE', `TRACE /health/live HTTP/1.1\r\n${HEAD}`],
    [405, 'wrong_method', 'a method of other protocols', `PROPFIND /api/v1/keys HTTP/1.1\r\n${HEAD}`],
    [
      414,
      'uri_too_long',
      'a part of the path that is too long',
      `GET /api/v1/claims/${'a'.repeat(300)} HTTP/1.1\r\n${HEAD}`,
    ],
    [417, 'expectation', 'an expectation', `POST /api/v1/expected HTTP/1.1\r\nExpect: a miracle\r\n${HEAD}`],
    [431, 'headers_too_large', 'a path beyond all headers', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${HEAD}`],
    [431, 'headers_too_large', 'a large header', `GET /api/v1 HTTP/1.1\r\nX-Large: ${'x'.repeat(20_000)}\r\n${HEAD}`],
  ])('%s %s: %s, in the form of every refusal', async (status, code, _, sent) => {
    const answer = await raw(sent);
    const [head, body] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const id = /^x-request-id: (.+)$/im.exec(head)?.[1];
    expect(head).toMatch(/^cache-control: no-store\r$/im);
    expect(head).toMatch(/^x-content-type-options: nosniff\r$/im);
    expect(JSON.parse(body)).toEqual({
      ...{ detail: expect.any(String), code, request_id: id },
      docs: `/api/v1/docs#description/${code}`,
    });
    expect(id).toMatch(/^(mine|[0-9a-f-]{36})$/);
    expect((await service.call('GET', '/health/live')).status).toBe(200);
  });

  it.each(Object.entries(strangeHeads()))('a header %s is no fault, sent by anybody', async (_, heads) => {
    for (const path of ['/health/live', '/api/v1/keys', '/nothing'])
      for (const head of heads)
        expect(await raw(`GET ${path} HTTP/1.1\r\n${head}${HEAD}`)).toMatch(/^HTTP\/1\.1 [234]/);
  });

  it('answers pipelined requests in order', async () => {
    const one = (id: string) => `GET /health/live HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n\r\n`;
    const answer = await raw(one('a') + one('b') + one('c').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    expect([...answer.matchAll(/x-request-id: (\w)/g)].map(([, id]) => id)).toEqual(['a', 'b', 'c']);
  });
});

describe('POST /api/v1/verify-match limits', () => {
  it('413: a body over the limit, by its declared or by its true length', async () => {
    const large = JSON.stringify({ ...claim, filler: 'x'.repeat(250_000) });
    const headers = { ...(await freshKey()), 'content-type': 'application/json' };
    const declared = await service.verify(large, headers);
    expect([declared.status, declared.body.detail]).toEqual([413, expect.stringContaining('too large')]);
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(large));
        controller.close();
      },
    });
    const options = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    const chunked = await fetch(`${service.service.address}/api/v1/verify-match`, options);
    expect(chunked.status).toBe(413);
    expect(await chunked.json()).toMatchObject({ detail: expect.stringContaining('too large'), code: 'too_large' });
  });

  it('413: a limit below that of small bodies bounds them too', async () => {
    const small = await TestService.startWithoutKey({ MVS_MAX_BODY_BYTES: '2000' });
    try {
      const name = { name: 'lab', filler: 'x'.repeat(3_000) };
      const form = new FormData();
      for (const [member, value] of Object.entries(name)) form.append(member, value);
      for (const answer of [
        await small.json('POST', '/api/v1/keys', name, small.operator),
        await small.call('POST', '/api/v1/keys', { body: form, headers: small.operator }),
      ])
        expect([answer.status, answer.body.code]).toEqual([413, 'too_large']);
      expect((await small.json('POST', '/api/v1/keys', { name: 'lab' }, small.operator)).status).toBe(201);
    } finally {
      await small.stop();
    }
  });

  it('413: too many files', async () => {
    const form = formOf(claim);
    for (let i = 0; i < 600; i++) form.append('rough_files', new Blob(['x']), `${i}.csv`);
    expect((await service.verify(form, await freshKey())).status).toBe(413);
  });

  it('401 before the body: a large body without a key is not waited for', async () => {
    const head = 'POST /api/v1/verify-match HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\nX-Api-Key: x\r\n\r\n';
    expect(await raw(head, 'required')).toMatch(/^HTTP\/1\.1 401 [\s\S]*valid X-Api-Key header required/);
  });

  it('408: a body that does not arrive in time', async () => {
    const brief = await TestService.start({ MVS_MAX_REQUEST_MS: '4000' });
    const head = `POST /api/v1/verify-match HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\nX-Api-Key: ${brief.apiKey}\r\n\r\n{`;
    const answer = await raw(head, undefined, brief);
    await brief.stop();
    expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*\{"detail":"[^"]+","code":"slow_request"/);
  });

  it('429: more than the key may send, and another key is not held up', async () => {
    const headers = await freshKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.verify('{', headers)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(2);
    const id = refused[0].headers.get('x-request-id');
    expect(refused[0].body).toEqual({
      ...{ detail: 'too many requests', code: 'too_many', request_id: id },
      docs: '/api/v1/docs#description/too_many',
    });
    expect(Number(refused[0].headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await service.verify('{', await freshKey())).status).toBe(400);
  });

  it('503: more bodies at once than memory is set aside for, and all is given back', async () => {
    const body = JSON.stringify({ ...claim, filler: 'x'.repeat(150_000) });
    const sent = await Promise.all(Array.from({ length: 4 }, async () => service.verify(body, await freshKey())));
    for (const { status, body, headers } of sent) {
      expect([200, 503]).toContain(status);
      if (status === 503) expect([body.detail, headers.get('retry-after')]).toEqual([expect.any(String), '1']);
    }
    expect((await service.verify(body, await freshKey())).status).toBe(200);
  });
});

describe('the log', () => {
  it('names requests, never keys, secrets or content', async () => {
    const headers = await freshKey();
    await service.verify(claim, { ...headers, 'x-request-id': 'logged-1' });
    await service.verify('{"rough": 4711.4711', { ...headers, 'x-request-id': 'logged-2' });
    const lines = service.lines.map((line) => JSON.parse(line));
    expect(lines.find(({ request }) => request === 'logged-1')).toMatchObject({
      status: 200,
      method: 'POST',
      key: expect.any(String),
    });
    expect(lines.find(({ request }) => request === 'logged-2')).toMatchObject({ status: 400, reason: 'invalid_json' });
    const all = service.lines.join('');
    const { operatorKey, replayToken } = service.service.secrets!;
    for (const secret of [
      headers['x-api-key'],
      operatorKey,
      replayToken,
      '4711.4711',
      String(claim.rough.spectra[0][5]),
    ]) {
      expect(all).not.toContain(secret);
    }
  });

  it('counts refused credentials instead of logging each', async () => {
    const before = service.lines.length;
    for (let i = 0; i < 20; i++) await service.verify('{}', { 'x-api-key': `guess-${i}` });
    expect(service.lines.length).toBe(before);
    await service.service.close();
    const line = service.lines.map((text) => JSON.parse(text)).find(({ reason }) => reason === 'credential_api_key');
    expect(line.count).toBeGreaterThanOrEqual(20);
    await service.open();
    const events = await service.service.store.readStream('edge');
    expect(events.map(({ data }) => data.reason)).toContain('credential_api_key');
  });
});
