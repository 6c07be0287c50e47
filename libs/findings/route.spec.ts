import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimOf, type JsonClaim, TestService } from '../../apps/server/test/fixture.js';

let service: TestService;
const claims: string[] = [];
let testKey: string;

/** A polish claimed for the rough of another stone. */
const claimFor = (rough: number, polish: number): JsonClaim => claimOf(rough, { polishOf: polish });

beforeAll(async () => {
  service = await TestService.start();
  testKey = await service.createKey('trial', { population: 'lab-a', kind: 'test' });
  for (const rough of [1, 2, 3]) claims.push((await service.verify(claimFor(rough, 1))).body.claim_id);
  await service.verify(claimFor(2, 1));
  for (const rough of [1, 2, 3]) await service.verify(claimFor(rough, 1), { 'x-api-key': testKey });
});
afterAll(() => service.stop());

const call = (path = '', headers = service.operator) => service.call('GET', `/api/v1/findings${path}`, { headers });
const review = (id: string, body: unknown, headers: Record<string, string> = service.operator) =>
  service.json('POST', `/api/v1/findings/${id}/review`, body, headers);

describe('GET /api/v1/findings 200', () => {
  it('names who probed a panel of roughs, with the claims behind it; repeats count once', async () => {
    const { status, body } = await call('?kind=probing&key_kind=production');
    expect(status).toBe(200);
    expect(body.items).toMatchObject([
      {
        kind: 'probing',
        status: 'open',
        key: { name: 'lab-a', kind: 'production' },
        population: 'lab-a',
        breach: expect.stringContaining('lab-a'),
        roughs: 3,
        claims_total: 3,
        polish: { references: ['CAL5N1'], digests: [expect.stringMatching(/^[0-9a-f]{16}$/)] },
        review: null,
      },
    ]);
    const [{ claims: behind }] = body.items;
    expect(behind.map(({ claim_id }: { claim_id: string }) => claim_id)).toEqual([...claims].reverse());
    expect(body.next_cursor).toBeNull();
  });

  it('counts test keys apart, without a breach', async () => {
    const { body } = await call('?kind=probing&key_kind=test');
    expect(body.items).toMatchObject([{ key: { name: 'trial', kind: 'test' }, roughs: 3, breach: null }]);
    expect((await call('?breach=true')).body.items).toHaveLength(1);
  });

  it.each([
    ['?kind=probing', 2],
    ['?kind=probing&population=lab-a&limit=1', 1],
    ['?kind=probing&key=trial', 1],
    ['?kind=probing&reference=CAL5N1', 2],
    ['?kind=probing&from=2020-01-01', 2],
    ['?kind=multi_pass&reference=elsewhere', 0],
    ['?status=reviewed', 0],
    ['?to=2020-01-01', 0],
  ])('filters by %s', async (query, count) => {
    expect((await call(query)).body.items).toHaveLength(count);
  });

  it('is made no longer by replays', async () => {
    const headers = { 'x-svc-replay': '1', 'x-svc-admin': service.operator['x-svc-admin'] };
    expect((await service.verify(claimFor(4, 1), headers)).status).toBe(200);
    expect((await call('?kind=probing&key_kind=production')).body.items).toMatchObject([
      { roughs: 3, claims_total: 3 },
    ]);
  });
});

describe('POST /api/v1/findings/{id}/review', () => {
  it('200: keeps the note and the operator, until more comes', async () => {
    const [{ id }] = (await call('?kind=probing&key=trial')).body.items;
    const { status, body } = await review(id, { note: ' a trial ', outcome: 'confirmed' });
    expect([status, body.status, body.review.note, body.review.operator]).toEqual([
      200,
      'reviewed',
      'a trial',
      'operator',
    ]);
    expect((await call(`/${id}`)).body).toEqual({ ...body, looked_at_by: [] });
    expect((await call('?kind=probing&status=open')).body.items).toHaveLength(1);
    await service.verify(claimFor(5, 1), { 'x-api-key': testKey });
    expect((await call(`/${id}`)).body).toMatchObject({
      status: 'open',
      roughs: 4,
      review: { note: 'a trial', outcome: 'confirmed' },
    });
  });

  it('200: says what came of it, and is open again once that is taken back', async () => {
    const [{ id }] = (await call('?kind=probing&key=trial')).body.items;
    for (const outcome of ['explained', 'client_asked', 'key_revoked', 'no_matter'])
      expect((await review(id, { note: 'seen', outcome })).body).toMatchObject({
        status: 'reviewed',
        review: { outcome },
      });
    const back = await review(id, { note: 'the wrong finding', outcome: 'taken_back' });
    expect(back.body).toMatchObject({ status: 'open', review: { note: 'the wrong finding', outcome: 'taken_back' } });
    expect((await call('?status=open')).body.items.map((one: { id: string }) => one.id)).toContain(id);
    expect((await review(id, { note: 'seen', outcome: 'open' })).status).toBe(422);
  });

  it('404, 422, 400, 415: an unknown finding, no note, no JSON, no JSON type', async () => {
    const [{ id }] = (await call()).body.items;
    expect((await review('fnd_x', { note: 'x' })).status).toBe(404);
    for (const body of [{}, { note: '  ' }, { note: 7 }, { note: 'x'.repeat(2001) }, []]) {
      expect((await review(id, body)).status).toBe(422);
    }
    expect((await review(id, '{')).status).toBe(400);
    const headers = { ...service.operator, 'content-type': 'text/plain' };
    expect((await review(id, 'x', headers)).status).toBe(415);
  });
});

describe('/api/v1/findings refusals', () => {
  it.each(['?kind=x', '?key_kind=x', '?breach=maybe', '?status=x', '?cursor=x', '?limit=0', '?from=x', '?colour=red'])(
    '400: %s',
    async (query) => {
      const { status, body } = await call(query);
      expect([status, body.detail]).toEqual([400, expect.any(String)]);
    },
  );

  it('401 and 404: any other credential, an unknown id', async () => {
    for (const headers of [
      {},
      { 'x-api-key': service.apiKey },
      { 'x-svc-admin': service.service.secrets!.replayToken },
    ]) {
      expect((await call('', headers as Record<string, string>)).status).toBe(401);
      expect((await review('fnd_x', { note: 'x' }, headers as Record<string, string>)).status).toBe(401);
    }
    expect((await call('/fnd_x')).status).toBe(404);
  });
});
