import { claimOf, mixedUpClaim, TestService } from '../../apps/server/test/fixture.js';

let service: TestService;
let answers: Record<string, unknown>[];
beforeAll(async () => {
  service = await TestService.start();
  answers = [];
  for (const claim of [claimOf(1), mixedUpClaim(2), claimOf(3)]) answers.push((await service.verify(claim)).body);
});
afterAll(() => service.stop());

const read = (path: string, key = service.apiKey) =>
  service.call('GET', `/api/v1/verify-match${path}`, { headers: { 'x-api-key': key } });
const idOf = (i: number) => answers[i].claim_id as string;

describe('GET /api/v1/verify-match/{claim_id} 200', () => {
  it('is the stored answer, member for member', async () => {
    for (const answer of answers) {
      const { status, body } = await read(`/${answer.claim_id}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ claim_id: answer.claim_id, status: 'scored', reject_target: 0.98 });
      expect(body.answer).toEqual(answer);
      expect([body.label, body.review]).toEqual([null, null]);
    }
  });

  it('has the label that holds, and what the latest review came to without its note', async () => {
    const label = (expected: string) =>
      service.json('POST', '/api/v1/expected', [{ claim_id: idOf(1), expected }], { 'x-api-key': service.apiKey });
    await label('match');
    await label('no_match');
    const review = (body: object) => service.json('POST', `/api/v1/claims/${idOf(1)}/review`, body, service.operator);
    await review({ note: 'for operators alone', outcome: 'wrong' });
    const { body } = await read(`/${idOf(1)}`);
    expect(body.label).toEqual({ expected: 'no_match', at: expect.any(String) });
    expect(body.review).toEqual({ outcome: 'wrong', at: expect.any(String) });
    expect(JSON.stringify(body)).not.toContain('for operators alone');
    await review({ note: 'another stone was meant', outcome: 'taken_back' });
    expect((await read(`/${idOf(1)}`)).body.review).toBeNull();
  });
});

describe('GET /api/v1/verify-match/{claim_id} 401, 404', () => {
  it('knows no other key’s claim, no unknown one and no id that can be none, all alike', async () => {
    const stranger = await service.createKey('stranger');
    const asked: [string, string | undefined][] = [
      [idOf(0), stranger],
      [`clm_${'0'.repeat(32)}`, undefined],
      ['nonsense', undefined],
      ['clm_%00', undefined],
    ];
    const refused = await Promise.all(asked.map(([id, key]) => read(`/${id}`, key)));
    for (const { status, body } of refused)
      expect([status, body]).toEqual([404, { ...refused[0].body, request_id: body.request_id }]);
    expect((await read(`/${idOf(0)}`, 'mvs_live_none')).status).toBe(401);
  });
});

describe('GET /api/v1/verify-match/{claim_id} for a key that may read its population', () => {
  const created = async (name: string, more: object) =>
    (await service.json('POST', '/api/v1/keys', { name, ...more }, service.operator)).body.key as string;

  it('is the claim of another key of it, label and receipt too, and of no other population', async () => {
    const follower = await created('follower', { population: 'lab-a', reads_population: true });
    const foreign = await created('foreign', { population: 'lab-b', reads_population: true });
    const { status, body } = await read(`/${idOf(1)}`, follower);
    expect(status).toBe(200);
    expect(body).toEqual((await read(`/${idOf(1)}`)).body);
    for (const [id, key] of [
      [idOf(1), foreign],
      [`clm_${'0'.repeat(32)}`, follower],
      ['nonsense', follower],
    ])
      expect((await read(`/${id}`, key)).status).toBe(404);
    // Its list stays that of its own claims.
    expect((await read('', follower)).body.items).toEqual([]);
  });

  it('begins and ends with the operator’s word', async () => {
    const key = await created('sibling', { population: 'lab-a' });
    expect((await read(`/${idOf(0)}`, key)).status).toBe(404);
    for (const [reads_population, status] of [
      [true, 200],
      [false, 404],
    ]) {
      const path = `/api/v1/keys/${key.slice(0, 'mvs_live_'.length + 16)}`;
      const { body } = await service.json('PATCH', path, { reads_population }, service.operator);
      expect(body.reads_population).toBe(reads_population);
      expect((await read(`/${idOf(0)}`, key)).status).toBe(status);
    }
    const wrong = await service.json('POST', '/api/v1/keys', { name: 'x', reads_population: 'yes' }, service.operator);
    expect(wrong.status).toBe(422);
  });
});

describe('GET /api/v1/verify-match 200, 400', () => {
  it('pages through the claims of the key alone, newest first', async () => {
    const mine = answers.map(({ claim_id }) => claim_id).reverse();
    const ids: unknown[] = [];
    for (let cursor = ''; ; ) {
      const { status, body } = await read(`?limit=2${cursor}`);
      expect(status).toBe(200);
      ids.push(...body.items.map(({ claim_id }: { claim_id: string }) => claim_id));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(ids).toEqual(mine);
    const { body } = await read('');
    expect(body.items[0]).toMatchObject({ verdict: answers[2].verdict, fused_score: answers[2].fused_score });
    for (const member of ['key', 'population', 'findings']) expect(body.items[0]).not.toHaveProperty(member);
    const other = await service.createKey('empty');
    expect((await read('', other)).body).toEqual({ items: [], next_cursor: null });
  });

  it('begins at a time, and says what is none', async () => {
    expect((await read('?since=2999-01-01T00:00:00Z')).body.items).toEqual([]);
    expect((await read('?since=2000-01-01T00:00:00Z')).body.items).toHaveLength(3);
    expect((await read('?since=yesterday')).status).toBe(400);
    expect((await read('?cursor=none')).status).toBe(400);
  });
});
