/** Bodies that go for what reads them: names of prototypes, and nesting that no stack holds. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { limits } from '#config/limits';
import { claimOf, TestService } from '../../../apps/server/test/fixture.js';

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
/** Every route whose body a class checks, with a member of it. */
const CHECKED: [path: string, member: string][] = [
  ['/api/v1/keys', 'name'],
  ['/api/lotscan/workspaces', 'name'],
  ['/api/lotscan/workspaces/mvs_lots_0/scorer/approve', 'reason'],
  ['/api/lotscan/workspaces/mvs_lots_0/scorer/withdraw', 'reason'],
  [`/api/lotscan/lots/${LOT}`, 'name'],
  [`/api/lotscan/lots/${LOT}/rehearse`, 'substitution'],
  ['/api/v1/claims/clm_x/review', 'note'],
  ['/api/v1/findings/fnd_x/review', 'note'],
  ['/api/v1/views/skip', 'position'],
  ['/api/v1/model/switch', 'model'],
  ['/api/v1/calibration/lab-a/rungs/0.98/approve', 'reason'],
  ['/api/v1/calibration/lab-a/rungs/0.98/withdraw', 'reason'],
  ['/api/v1/calibration/lab-a/rungs/0.98/dry-run', 'threshold'],
  ['/api/v1/calibration/lab-a/scorer/approve', 'reason'],
  ['/api/v1/calibration/lab-a/scorer/withdraw', 'reason'],
  ['/api/v1/calibration/lab-a/scorer/dry-run', 'reject_target'],
];
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const send = (path: string, body: unknown) =>
  service.json(path.endsWith(LOT) ? 'PATCH' : 'POST', path, body, {
    ...(path.includes(LOT) ? { 'x-svc-token': token } : service.operator),
    ...(/verify-match|expected/.test(path) && { 'x-api-key': service.apiKey }),
  });

it('knows every route that takes a body', () => {
  const forms = ['/api/lotscan/lots', `/api/lotscan/lots/${LOT}/check`];
  const known = [...CHECKED.map(([path]) => path), '/api/v1/verify-match', '/api/v1/expected', ...forms];
  const served = service.service.api.routes().filter((route) => /^(POST|PUT|PATCH) /.test(route));
  const paths = served.map((route) => new RegExp(`^${route.split(' ')[1].replace(/:\w+/g, '[^/]+')}$`));
  expect(paths.filter((path) => !known.some((one) => path.test(one)))).toEqual([]);
});

describe.each(CHECKED)('%s', (path, member) => {
  it.each(['constructor', '__proto__', 'prototype'])(
    '422: a member "%s", refused as every unknown one is',
    async (name) => {
      const head = await service.service.store.head();
      for (const value of ['{"name":"Array"}', '1', '"x"', '[]']) {
        const { status, body } = await send(path, `{"${name}":${value}}`);
        expect([status, body.detail]).toEqual([422, expect.stringContaining(`: property ${name} should not exist`)]);
      }
      for (const value of [`{"${name}":{"name":"Array"}}`, `[{"${name}":{}}]`]) {
        const { status, body } = await send(path, `{"${member}":${value}}`);
        expect([status, body.code]).toEqual([422, 'unprocessable']);
      }
      expect(await service.service.store.head()).toBe(head);
    },
  );
});

it.each([...CHECKED, ['/api/v1/verify-match', 'x'], ['/api/v1/expected', 'x']])(
  '%s: 400 beyond so many levels of nesting',
  async (path, member) => {
    const most = limits.jsonDepth - 1;
    expect((await send(path, `{"${member}":${nested(most)}}`)).body.code).not.toBe('invalid_json');
    for (const levels of [most + 1, 3000, 20_000]) {
      const { status, body } = await send(path, `{"${member}":${nested(levels)}}`);
      const said = expect.stringContaining(`more than ${limits.jsonDepth} levels of nesting`);
      expect([status, body.code, body.detail]).toEqual([400, 'invalid_json', said]);
    }
    expect((await send(path, nested(20_000))).status).toBe(400);
  },
);

describe('null', () => {
  it('is as good as left out in operators’ bodies and in those of lots', async () => {
    const key = { name: 'with nulls', kind: null, population: null, colour: null };
    expect((await send('/api/v1/keys', key)).body).toMatchObject({ kind: 'production', population: 'with nulls' });
    const wish = { substitution: null, seed: null, draws: null, source: null, threshold: null };
    // All is well but the lot, which is not there.
    expect((await send(`/api/lotscan/lots/${LOT}/rehearse`, wish)).body.code).toBe('not_found');
    expect((await send('/api/v1/model/switch', { model: DIGEST, reason: null })).status).toBe(422);
  });

  it('is no rung: 400 from verify-match, which knows no other null', async () => {
    const { rough, polish } = claimOf(1);
    const answer = (more: object) => send('/api/v1/verify-match', { rough, polish, ...more });
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
  const { status, body } = await send(`/api/v1/claims/${claim.claim_id}/review`, { note });
  expect([status, body.review.note]).toEqual([200, 'the enots of\n\tparcel 7']);
  const label = () => send('/api/v1/expected', [{ claim_id: claim.claim_id, expected: 'match', note }]);
  expect((await label()).body.results[0].status).toBe('accepted');
  expect((await label()).body.results[0].status).toBe('duplicate');
  const shown = await service.call('GET', `/api/v1/claims/${claim.claim_id}`, { headers: service.operator });
  expect(shown.body.label.note).toBe('the enots of\n\tparcel 7\n');
  expect((await send(`/api/v1/claims/${claim.claim_id}/review`, { note: '\ud800' })).status).toBe(422);
});
