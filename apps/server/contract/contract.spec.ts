import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Models } from '#calibration/queries-models';
import { PROJECTIONS } from '#catalogue/projections';
import { StoreUnavailable } from '#kit/log/port';
import { contract as document, expectContract } from '../test/contract.js';
import { claimOf, TestService } from '../test/fixture.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({}, undefined, { ofModules: true });
});
afterAll(() => service.stop());

const { schemas } = document.components!;

type Named = { properties?: Record<string, Named>; allOf?: Named[]; $ref?: string };

/** A schema, or the one that it refers to. */
const named = (schema: Named): Named => {
  const [{ $ref }] = schema.allOf ?? [schema];
  return $ref === undefined ? schema : (schemas![$ref.slice($ref.lastIndexOf('/') + 1)] as Named);
};

/** An answer has no member that its schema does not name. */
function expectNamed(body: object, schema: string, ...within: string[]): void {
  const of = within.reduce((outer, name) => named(outer.properties![name]), schemas![schema] as Named);
  expect(Object.keys(of.properties!)).toEqual(expect.arrayContaining(Object.keys(body)));
}

it('names who runs the service and where, as far as it is configured', async () => {
  const open = async (settings: Record<string, string>) => {
    const own = await TestService.start(settings);
    const { body } = await own.call('GET', '/api/v1/openapi.json');
    await own.stop();
    return [body.servers, body.info.contact];
  };
  expect(await open({})).toEqual([[{ url: '/', description: expect.any(String) }], undefined]);
  const url = 'https://match.example/diamonds';
  expect(await open({ MVS_PUBLIC_URL: `${url}/`, MVS_CONTACT: 'lab@match.example' })).toEqual([
    [{ url }],
    { email: 'lab@match.example' },
  ]);
});

it('describes every operation, and says of every refusal what to do', () => {
  type Shown = { operationId: string; description?: string; responses: Record<string, { description: string }> };
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path) as Shown[]);
  expect(operations.length).toBeGreaterThan(50);
  expect(operations.filter(({ description }) => !description).map(({ operationId }) => operationId)).toEqual([]);
  const refused = operations.flatMap(({ responses }) =>
    Object.entries(responses).filter(([status]) => status >= '400'),
  );
  const paragraphs = refused.flatMap(([, { description }]) => description.split('\n\n'));
  expect(paragraphs.filter((text) => !/^`[a-z_]+`: .+[.] [A-Z].+[.]$/.test(text))).toEqual([
    'no; detail and parts say why',
  ]);
});

describe('GET /api/v1 200', () => {
  it('has every member of the contract, and version, engine, model', async () => {
    const { status, body } = await service.call('GET', '/api/v1');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      service: expect.any(String),
      endpoint: expect.any(String),
      auth: expect.any(String),
      scope: expect.any(String),
      inputs: { multipart: expect.any(Object), json: expect.any(Object) },
      reject_targets: [0.99, 0.98, 0.97, 0.96, 0.95, 0.94, 0.93, 0.92, 0.91, 0.9],
      default_reject_target: 0.98,
      expected_results: {
        endpoint: expect.any(String),
        purpose: expect.any(String),
        body: expect.any(String),
        max_per_call: 5000,
        advisory: expect.any(String),
      },
      experimental_reject_targets: [0.94, 0.93, 0.92, 0.91, 0.9],
      experimental_note: expect.any(String),
      notes: expect.any(Array),
      version: 'test',
      engine: 'simd',
      model: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expectContract('/api/v1', 'get', { status, body });
    expectNamed(body, 'Summary');
  });
});

describe('GET /api/v1 200 while the event log is away', () => {
  it.each([
    ['says so', true],
    ['says nothing', false],
  ])('and %s', async (_, atOnce) => {
    const { store } = service.service;
    const { model } = (await service.call('GET', '/api/v1')).body;
    const own = { readStream: store.readStream, append: store.append, head: store.head };
    let fail = () => {};
    const away = new Promise<never>((_, reject) => {
      fail = () => reject(new StoreUnavailable('EventStoreDB is away'));
    });
    away.catch(() => {});
    if (atOnce) fail();
    Object.assign(store, { readStream: () => away, append: () => away, head: () => away });
    try {
      expect(await service.call('GET', '/api/v1')).toMatchObject({ status: 200, body: { model } });
    } finally {
      Object.assign(store, own);
      fail();
    }
  });
});

describe('GET / 200', () => {
  it('says where to go, and so does the documentation with a slash', async () => {
    const { status, body } = await service.call('GET', '/');
    expect(status).toBe(200);
    expectContract('/', 'get', { status, body });
    for (const path of [body.contract, body.docs, body.ready])
      expect((await service.call('GET', path)).status).toBe(200);
    const slash = await fetch(`${service.address}/api/v1/docs/`, { redirect: 'manual' });
    expect([slash.status, slash.headers.get('location')]).toEqual([308, '../docs']);
  });
});

describe('GET /health 200', () => {
  it('is live and ready', async () => {
    const live = await service.call('GET', '/health/live');
    expect(live).toMatchObject({ status: 200, body: { status: 'ok' } });
    expectContract('/health/live', 'get', live);
    const { status, body } = await service.call('GET', '/health/ready');
    expect([status, body.status]).toEqual([200, 'ok']);
    expectContract('/health/ready', 'get', { status, body });
    expectNamed(body, 'Readiness');
    const parts = { event_log: 'ok', disk: 'ok', model: 'ok', scoring: 'ok', views: 'ok' };
    expect(body.parts).toEqual({
      ...Object.fromEntries(Object.entries(parts).map(([name, status]) => [name, { status }])),
      log_check: { status: expect.stringMatching(/^(running|sound)$/) },
    });
  });

  it('shows operators what stands behind it, and nobody else', async () => {
    expect((await service.call('GET', '/health/detail')).status).toBe(401);
    const { status, body } = await service.call('GET', '/health/detail', { headers: service.operator });
    expect([status, body.parts.scoring.workers, body.parts.views.length]).toEqual([200, 1, PROJECTIONS.length]);
    expectContract('/health/detail', 'get', { status, body });
    expectNamed(body, 'HealthDetail');
    expectNamed(body.parts, 'HealthDetail', 'parts');
  });

  it('is not ready, and says why in the same shape, while the event log is away', async () => {
    const { store } = service.service;
    const away = () => Promise.reject(new StoreUnavailable('EventStoreDB is away'));
    const { head, readStream } = store;
    Object.assign(store, { head: away, readStream: away });
    try {
      const ready = await service.call('GET', '/health/ready');
      const detail = 'the service is not ready; the event log cannot be used now';
      expect(ready).toMatchObject({ status: 503, body: { status: 'unavailable', code: 'not_ready', detail } });
      expect(ready.body.parts.scoring).toEqual({ status: 'ok' });
      expectContract('/health/ready', 'get', ready);
      const shown = await service.call('GET', '/health/detail', { headers: service.operator });
      expect(shown.body.parts.event_log).toEqual({ status: 'unavailable', reason: expect.any(String) });
      expectContract('/health/detail', 'get', shown);
    } finally {
      Object.assign(store, { head, readStream });
    }
  });
});

describe('the OpenAPI document', () => {
  it('is served and is valid OpenAPI 3.1', async () => {
    const { status, body } = await service.call('GET', '/api/v1/openapi.json');
    expect(status).toBe(200);
    expect(body).toEqual(JSON.parse(JSON.stringify(document)));
    expect(await new Validator().validate(body)).toMatchObject({ valid: true });
  });

  it('has nothing that a linter for OpenAPI finds fault with', async () => {
    const file = join(service.directory, 'openapi.json');
    writeFileSync(file, JSON.stringify(document));
    const lint = [join(root, 'node_modules/@redocly/cli/bin/cli.js'), 'lint', file, '--format=json'];
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    // It exits with 1 where it finds an error.
    const { stdout } = await promisify(execFile)(process.execPath, lint, { env, cwd: service.directory }).catch(
      (failed: { stdout: string }) => failed,
    );
    const { totals, problems } = JSON.parse(stdout) as { totals: object; problems: { message: string }[] };
    expect(problems.map(({ message }) => message)).toEqual([]);
    expect(totals).toMatchObject({ errors: 0, warnings: 0 });
  });

  it('names every route that is served, and no other', () => {
    const served = service.service.api.routes().filter((route) => !/openapi|docs|console/.test(route));
    const named = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/[{]([^}]+)[}]/g, ':$1')}`),
    );
    expect(served.sort()).toEqual(named.sort());
  });

  it('says of every operation what it is called, does and answers, and what it refuses with which credential', () => {
    const operations = Object.values(document.paths).flatMap(Object.values);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const { operationId, summary, tags, responses, security, ...rest } of operations) {
      expect(operationId).toMatch(/^[a-z]+[A-Z][A-Za-z]+$/);
      expect([operationId, summary, tags?.length]).toEqual([operationId, expect.stringMatching(/./), 1]);
      const answers = Object.entries<{ description: string; content?: object }>(responses);
      for (const [status, { description }] of answers) expect([operationId, status, description]).not.toContain('');
      expect(answers.some(([status, { content }]) => status.startsWith('2') && content)).toBe(true);
      expect([operationId, '401' in responses]).toEqual([operationId, security!.length > 0]);
      const marks = Object.keys(rest).filter((name) => name.startsWith('x-') && name !== 'x-repeatable');
      expect([operationId, marks]).toEqual([operationId, []]);
    }
  });

  it('names both credentials of a replay, each beside the API key, and no refusal of theirs', () => {
    const { security, responses } = document.paths['/api/v1/verify-match'].post!;
    expect(security).toHaveLength(3);
    expect(security).toEqual(
      expect.arrayContaining([{ apiKey: [] }, { apiKey: [], replayToken: [] }, { apiKey: [], operator: [] }]),
    );
    for (const scheme of security!.flatMap(Object.keys))
      expect(document.components!.securitySchemes).toHaveProperty(scheme);
    expect(JSON.stringify(responses)).toContain('credential_api_key');
    expect(JSON.stringify(responses)).not.toMatch(/credential_operator|operator_scope/);
  });

  it('is rendered by a page that loads nothing from elsewhere', async () => {
    const page = await service.call('GET', '/api/v1/docs');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const loaded = [...String(page.body).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name);
    // The icon stands in the page itself.
    for (const name of loaded.filter((one) => !one.startsWith('data:image/svg+xml,'))) {
      expect(name).toMatch(/^docs\/[\w.-]+$/);
      expect((await service.call('GET', `/api/v1/${name}`)).status).toBe(200);
    }
    expect((await service.call('GET', '/api/v1/docs/package.json')).status).toBe(404);
  });
});

it('is Markdown, too: every operation, and every shape that is linked to', async () => {
  const page = await service.call('GET', '/api/v1/docs.md');
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
  const text = String(page.body);
  const { body } = await service.call('GET', '/api/v1/openapi.json');
  for (const [path, methods] of Object.entries((body as { paths: Record<string, object> }).paths))
    for (const method of Object.keys(methods)) expect(text).toContain(`\`${method.toUpperCase()} ${path}\``);
  const { tags } = body as { tags: { 'x-displayName': string }[] };
  expect([...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual([
    'Errors',
    ...tags.map((tag) => tag['x-displayName']),
    'Shapes',
  ]);
  for (const tag of tags) expect(tag['x-displayName']).toMatch(/^[A-Z]/);
  const shapes = new Set([...text.matchAll(/^### (\w+)$/gm)].map(([, name]) => name.toLowerCase()));
  for (const [, name] of text.matchAll(/\(#(\w+)\)/g)) expect(shapes).toContain(name);
});

describe('large documents', () => {
  const documents = ['', '/openapi.json', '/docs', '/docs.md', '/docs/reference.js', '/docs/start.js'];

  it.each(documents)('/api/v1%s has a strong ETag for each encoding, and is not sent again', async (name) => {
    const get = (headers: Record<string, string>) => service.call('GET', `/api/v1${name}`, { headers });
    const plain = await get({ 'accept-encoding': 'gzip;q=0, identity' });
    const zipped = await get({ 'accept-encoding': 'br, GZIP;q=0.5' });
    const tags = [plain, zipped].map(({ headers }) => headers.get('etag') ?? '');
    expect([plain, zipped].map(({ headers }) => headers.get('content-encoding'))).toEqual([null, 'gzip']);
    expect(zipped.body).toEqual(plain.body);
    for (const tag of tags) expect(tag).toMatch(/^"[0-9a-f]{32}(-gzip)?"$/);
    expect(tags[0]).not.toBe(tags[1]);
    for (const held of [tags[1], `W/${tags[1]}`, `"other", ${tags[1]}`, '*']) {
      const again = await get({ 'accept-encoding': 'gzip', 'if-none-match': held });
      expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', tags[1]]);
      expect(again.headers.get('vary')).toBe('accept-encoding');
    }
    for (const stale of ['"other"', tags[0], '']) {
      expect((await get({ 'accept-encoding': 'gzip', 'if-none-match': stale })).status).toBe(200);
    }
  });

  it('are named again where what they say has changed', async () => {
    const before = (await service.call('GET', '/api/v1')).headers.get('etag') ?? '';
    const models = service.service.api.app.get(Models, { strict: false });
    const { lastKnown } = models;
    const live = await models.lastKnown();
    Object.assign(models, { lastKnown: async () => ({ ...live, asset: { ...live.asset, scope: 'another' } }) });
    try {
      const headers = { 'if-none-match': before };
      expect(await service.call('GET', '/api/v1', { headers })).toMatchObject({
        status: 200,
        body: { scope: 'another' },
      });
    } finally {
      Object.assign(models, { lastKnown });
    }
  });
});

describe('examples and answers', () => {
  type Shown = { example?: unknown; examples?: { request: { value: unknown } } };
  const exampleOf = (path: string, type = 'application/json') => {
    const { content } = document.paths[path].post!.requestBody as { content: Record<string, Shown> };
    const { example, examples } = content[type];
    return structuredClone(example ?? examples?.request.value);
  };

  /** The form of an example: lists are files. */
  function exampleFormOf(path: string, other: object = {}): FormData {
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...(exampleOf(path, 'multipart/form-data') as object), ...other })) {
      if (!Array.isArray(value)) form.append(name, String(value));
      else for (const [i, text] of value.entries()) form.append(name, new Blob([text]), `AB12_${i}.csv`);
    }
    return form;
  }

  it('are real requests, answered as the contract says', async () => {
    const key = { 'x-api-key': service.apiKey };
    const created = await service.json('POST', '/api/v1/keys', exampleOf('/api/v1/keys'), service.operator);
    expect(created.status).toBe(201);
    expectContract('/api/v1/keys', 'post', created);
    const verified = await service.json('POST', '/api/v1/verify-match', exampleOf('/api/v1/verify-match'), key);
    expect([verified.status, verified.body.detail]).toEqual([200, undefined]);
    expectContract('/api/v1/verify-match', 'post', verified);
    const byForm = await service.verify(exampleFormOf('/api/v1/verify-match'));
    expect([byForm.status, byForm.body.fused_score]).toEqual([200, verified.body.fused_score]);
    expectContract('/api/v1/verify-match', 'post', byForm);
    const keyForm = { body: exampleFormOf('/api/v1/keys', { name: 'sorting machine 4' }), headers: service.operator };
    const another = await service.call('POST', '/api/v1/keys', keyForm);
    expect(another.status).toBe(201);
    expectContract('/api/v1/keys', 'post', another);
    const labels = exampleOf('/api/v1/expected') as { claim_id: string }[];
    const labelled = await service.json('POST', '/api/v1/expected', labels, key);
    expect(labelled.body.counts).toEqual({ accepted: 0, duplicate: 0, amended: 0, rejected: 1 });
    expectContract('/api/v1/expected', 'post', labelled);
    labels[0].claim_id = verified.body.claim_id;
    expect((await service.json('POST', '/api/v1/expected', labels, key)).body.counts.accepted).toBe(1);
  });

  it('fit the schemas in every listing and refusal', async () => {
    const claim = await service.verify(claimOf(2));
    expectContract('/api/v1/verify-match', 'post', claim);
    expectContract('/api/v1/verify-match', 'post', await service.verify('{'));
    expectContract('/api/v1/verify-match', 'post', await service.verify('{}', { 'x-api-key': '' }));
    const headers = service.operator;
    expectContract('/api/v1/claims', 'get', await service.call('GET', '/api/v1/claims', { headers }));
    const one = await service.call('GET', `/api/v1/claims/${claim.body.claim_id}`, { headers });
    expectContract('/api/v1/claims/{claim_id}', 'get', one);
    expectContract('/api/v1/keys', 'get', await service.call('GET', '/api/v1/keys', { headers }));
    expectContract('/api/v1/drift', 'get', await service.call('GET', '/api/v1/drift', { headers }));
    for (const path of ['', '/{population}', '/{population}/history', '/{population}/rungs/{reject_target}/dry-run']) {
      const url = `/api/v1/calibration${path}`.replace('{population}', 'lab-a').replace('{reject_target}', '0.98');
      const [method, body] = path.endsWith('dry-run') ? (['post', { threshold: 0.5 }] as const) : (['get'] as const);
      const answer = await (body ? service.json('POST', url, body, headers) : service.call('GET', url, { headers }));
      expect([url, answer.status]).toEqual([url, 200]);
      expectContract(`/api/v1/calibration${path}`, method, answer);
    }
    await service.createKey('to be revoked');
    const { body } = await service.call('GET', '/api/v1/keys', { headers });
    const { prefix } = body.items.find(({ name }: { name: string }) => name === 'to be revoked');
    const revoked = await service.call('DELETE', `/api/v1/keys/${prefix}`, { headers });
    expectContract('/api/v1/keys/{key_prefix}', 'delete', revoked);
  });
});
