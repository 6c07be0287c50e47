/** Bodies that go for what reads them: names of prototypes, and nesting that no stack holds. */
import { limits } from '#config/limits';
import { claimOf, TestService } from '../../../apps/server/test/fixture.js';
import { previewOf } from '../../../tools/preview.js';

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await TestService.start();
  const { body } = await service.json('POST', '/api/lotscan/workspaces', { name: 'trader' }, service.operator);
  token = body.token;
  // Its first use is an event.
  await service.json('GET', '/api/lotscan/lots', undefined, { 'x-svc-token': token });
});
afterAll(() => service.stop());

const DIGEST = 'a'.repeat(64);
const LOT = `lot_${'0'.repeat(32)}`;
/** Parts of paths by their names in the contract; of another name any text will do. */
const PLACES: Record<string, string> = { population: 'lab-a', reject_target: '0.98' };
interface Operation {
  requestBody?: { content: Record<string, { schema: { $ref: string } }> };
}
const { paths, components } = (await previewOf('1')) as unknown as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties: object }> };
};
/** Those whose bodies a claim's or labels' own parser reads. */
const PARSED = ['/api/v1/verify-match', '/api/v1/expected'];
/** Every route whose body a class checks, with a member of it: all that take JSON, as the contract has them. */
const CHECKED = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, { requestBody }]): [route: string, member: string][] => {
    const schema = requestBody?.content['application/json']?.schema;
    if (!schema || PARSED.includes(path)) return [];
    const { properties } = components.schemas[schema.$ref.split('/').at(-1)!];
    const place = (_: string, name: string) => (path.startsWith('/api/lotscan/lots/{') ? LOT : (PLACES[name] ?? 'x'));
    return [[`${method.toUpperCase()} ${path.replace(/[{](\w+)[}]/g, place)}`, Object.keys(properties)[0]]];
  }),
);
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const send = (route: string, body: unknown) => {
  const [method, path] = route.split(' ');
  return service.json(method, path, body, {
    ...(path.includes(LOT) ? { 'x-svc-token': token } : service.operator),
    ...(PARSED.includes(path) && { 'x-api-key': service.apiKey }),
  });
};

it('knows the routes that take a body', () => {
  expect(CHECKED.length).toBeGreaterThan(15);
});

describe.each(CHECKED)('%s', (route, member) => {
  it.each(['constructor', '__proto__', 'prototype'])(
    '422: a member "%s", refused as every unknown one is',
    async (name) => {
      const head = await service.service.store.head();
      for (const value of ['{"name":"Array"}', '1', '"x"', '[]']) {
        const { status, body } = await send(route, `{"${name}":${value}}`);
        expect([status, body.detail]).toEqual([422, expect.stringContaining(`: property ${name} should not exist`)]);
      }
      for (const value of [`{"${name}":{"name":"Array"}}`, `[{"${name}":{}}]`]) {
        const { status, body } = await send(route, `{"${member}":${value}}`);
        expect([status, body.code]).toEqual([422, 'unprocessable']);
      }
      expect(await service.service.store.head()).toBe(head);
    },
  );
});

it.each([...CHECKED, ...PARSED.map((path) => [`POST ${path}`, 'x'])])(
  '%s: 400 beyond so many levels of nesting',
  async (route, member) => {
    const most = limits.jsonDepth - 1;
    expect((await send(route, `{"${member}":${nested(most)}}`)).body.code).not.toBe('invalid_json');
    for (const levels of [most + 1, 3000, 20_000]) {
      const { status, body } = await send(route, `{"${member}":${nested(levels)}}`);
      const said = expect.stringContaining(`more than ${limits.jsonDepth} levels of nesting`);
      expect([status, body.code, body.detail]).toEqual([400, 'invalid_json', said]);
    }
    expect((await send(route, nested(20_000))).status).toBe(400);
  },
);

describe('null', () => {
  it('is as good as left out in operators’ bodies and in those of lots', async () => {
    const key = { name: 'with nulls', kind: null, population: null, colour: null };
    expect((await send('POST /api/v1/keys', key)).body).toMatchObject({ kind: 'production', population: 'with nulls' });
    const wish = { substitution: null, seed: null, draws: null, source: null, threshold: null };
    // All is well but the lot, which is not there.
    expect((await send(`POST /api/lotscan/lots/${LOT}/rehearse`, wish)).body.code).toBe('not_found');
    expect((await send('POST /api/v1/model/switch', { model: DIGEST, reason: null })).status).toBe(422);
  });

  it('is no rung: 400 from verify-match, which knows no other null', async () => {
    const { rough, polish } = claimOf(1);
    const answer = (more: object) => send('POST /api/v1/verify-match', { rough, polish, ...more });
    expect((await answer({ reject_target: null })).body.code).toBe('reject_target');
    expect((await answer({ constructor: { name: 'Array' }, prototype: null, colour: null })).status).toBe(200);
  });
});

it('400: a parameter that was sent twice, in a sentence that is true', async () => {
  for (const [query, name] of [
    ['limit=1&limit=2', 'limit'],
    ['key=a&key=b', 'key'],
    ['p_min=0.1&p_min=0.1', 'p_min'],
    ['from=2020-01-01&from=2020-01-01', 'from'],
    ['reviewed=true&reviewed=true', 'reviewed'],
  ]) {
    const { status, body } = await service.call('GET', `/api/v1/claims?${query}`, { headers: service.operator });
    expect([status, body.detail]).toEqual([400, `the request is malformed: ${name} was sent 2 times`]);
  }
  for (const name of ['constructor', 'prototype', 'toString']) {
    const { status } = await service.call('GET', `/api/v1/claims?${name}=1`, { headers: service.operator });
    expect([name, status]).toEqual([name, 400]);
  }
});

it('notes lose what nobody sees and keep their lines', async () => {
  const { body: claim } = await service.verify(claimOf(2));
  const note = 'the \u202eenots\u202c of\u200b\n\tparcel 7\u2067\u0007\r\n';
  const { status, body } = await send(`POST /api/v1/claims/${claim.claim_id}/review`, { note });
  expect([status, body.review.note]).toEqual([200, 'the enots of\n\tparcel 7']);
  const label = () => send('POST /api/v1/expected', [{ claim_id: claim.claim_id, expected: 'match', note }]);
  expect((await label()).body.results[0].status).toBe('accepted');
  expect((await label()).body.results[0].status).toBe('duplicate');
  const shown = await service.call('GET', `/api/v1/claims/${claim.claim_id}`, { headers: service.operator });
  expect(shown.body.label.note).toBe('the enots of\n\tparcel 7\n');
  expect((await send(`POST /api/v1/claims/${claim.claim_id}/review`, { note: '\ud800' })).status).toBe(422);
});
