import { limits } from '#config/limits';
import { claimOf, mixedUpClaim, TestService } from '../../apps/server/test/fixture.js';

let service: TestService;
let claimId: string;
let other: string;
beforeAll(async () => {
  service = await TestService.start();
  claimId = (await service.verify(claimOf(1))).body.claim_id;
  other = (await service.verify(mixedUpClaim(2))).body.claim_id;
});
afterAll(() => service.stop());

const label = (body: unknown, key = service.apiKey) =>
  service.json('POST', '/api/v1/expected', body, { 'x-api-key': key });

describe('POST /api/v1/expected 200', () => {
  it('accepts, finds duplicates, amends and rejects, an item each in order', async () => {
    const items = [
      { claim_id: claimId, expected: 'match', stone_id: 'AB12', note: 'cut here' },
      { claim_id: claimId, expected: 'match' },
      { claim_id: claimId, expected: 'no_match' },
      { claim_id: other, expected: 'match' },
      { claim_id: 'clm_unknown', expected: 'match' },
      { claim_id: other, expected: 'perhaps' },
      { claim_id: other, expected: 'match', note: 'x'.repeat(281) },
      'nonsense',
      null,
    ];
    const { status, body } = await label(items);
    expect(status).toBe(200);
    expect(body.results.map((item: { status: string }) => item.status)).toEqual([
      'accepted',
      'duplicate',
      'amended',
      'accepted',
      'rejected',
      'rejected',
      'rejected',
      'rejected',
      'rejected',
    ]);
    expect(body.counts).toEqual({ accepted: 2, duplicate: 1, amended: 1, rejected: 5 });
    expect(body.results[0]).toEqual({
      claim_id: claimId,
      status: 'accepted',
      expected: 'match',
      verdict: 'MATCH',
      agrees: true,
      stone_id: 'AB12',
    });
    expect(body.results[3]).toMatchObject({ verdict: 'NO_MATCH', agrees: false });
    for (const item of body.results.slice(4)) expect(item.reason).toEqual(expect.any(String));
  });

  it('keeps both versions of an amended label', async () => {
    await label({ items: [{ claim_id: claimId, expected: 'match' }] });
    await label({ items: [{ claim_id: claimId, expected: 'no_match', note: 'recut' }] });
    const { body } = await service.call('GET', `/api/v1/claims/${claimId}`, { headers: service.operator });
    expect(body.label).toMatchObject({ expected: 'no_match', agrees: false, note: 'recut' });
    const labels = body.history.filter(({ type }: { type: string }) => /Label/.test(type));
    expect(labels.at(-1).data).toMatchObject({ previous: { expected: 'match' }, label: { expected: 'no_match' } });
  });

  it("rejects another key's claim exactly like an unknown one", async () => {
    const key = await service.createKey('stranger');
    const { body } = await label(
      [
        { claim_id: claimId, expected: 'match' },
        { claim_id: 'clm_x', expected: 'match' },
      ],
      key,
    );
    const [foreign, unknown] = body.results;
    expect({ ...foreign, claim_id: 'clm_x' }).toEqual(unknown);
  });

  it('rejects ids that can be none, and nothing else with them', async () => {
    const fresh = (await service.verify(claimOf(9))).body.claim_id;
    const strange = ['\ud800', 'a\0b', '\u202eclm', `${fresh}\u200b`, '../..', '__proto__', '', 'x'.repeat(1 << 20)];
    const ids: unknown[] = [...strange, null, 5, {}, [fresh], fresh];
    const { status, body } = await label(ids.map((claim_id) => ({ claim_id, expected: 'match' })));
    const statuses = body.results.map((one: { status: string }) => one.status);
    expect([status, statuses]).toEqual([200, [...Array(ids.length - 1).fill('rejected'), 'accepted']]);
  });

  it('takes null for left out, keeps what can be seen of a stone_id, and rejects a note that is no text', async () => {
    const fresh = (await service.verify(claimOf(8))).body.claim_id;
    const items = [
      { claim_id: fresh, expected: 'match', stone_id: null, note: null },
      { claim_id: fresh, expected: 'match', stone_id: ' A\0B\u202e12\u200b\ud800 ' },
      { claim_id: fresh, expected: 'match', note: 'half a character: \ud800' },
      { claim_id: fresh, expected: null },
    ];
    const { status, body } = await label(items);
    expect(status).toBe(200);
    expect(body.results.map((one: { status: string }) => one.status)).toEqual([
      'accepted',
      'amended',
      'rejected',
      'rejected',
    ]);
    expect(body.results[1].stone_id).toBe('AB12\ufffd');
  });

  it('takes 5,000 labels and an empty list', async () => {
    const items = Array.from({ length: 5000 }, (_, i) => ({
      claim_id: claimId,
      expected: i % 2 ? 'match' : 'no_match',
      note: `${i} `.padEnd(280, 'x'),
    }));
    const { status, body } = await label(items);
    expect([status, body.results.length]).toEqual([200, 5000]);
    expect(body.counts.amended).toBe(5000);
    expect((await label([])).body.results).toEqual([]);
  });

  it('takes 5,000 of the longest labels with every character escaped', async () => {
    const escaped = (text: string) =>
      `"${Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`;
    const longest = {
      stone_id: '𝒮'.repeat(limits.referenceCharacters),
      note: '𝒩'.repeat(limits.noteCharacters),
    };
    const members = { claim_id: claimId, expected: 'match', ...longest };
    const item = `{${Object.entries(members)
      .map(([name, value]) => `${escaped(name)}:${escaped(value)}`)
      .join(',')}}`;
    const { status, body } = await label(`{"items":[${Array(5000).fill(item).join()}]}`);
    expect([status, body.results?.length]).toEqual([200, 5000]);
    expect(body.results[4999]).toMatchObject({ status: 'duplicate', stone_id: members.stone_id });
  });

  it('is safe under two calls at once', async () => {
    const fresh = (await service.verify(claimOf(4))).body.claim_id;
    const answers = await Promise.all(Array.from({ length: 6 }, () => label([{ claim_id: fresh, expected: 'match' }])));
    const statuses = answers.map(({ body }) => body.results[0].status).sort();
    expect(statuses).toEqual(['accepted', ...Array(5).fill('duplicate')]);
  });
});

describe('POST /api/v1/expected refusals', () => {
  it('400: more than 5,000 items', async () => {
    const { status, body } = await label(Array(5001).fill({ claim_id: claimId, expected: 'match' }));
    expect([status, body.detail]).toEqual([400, expect.stringContaining('5000')]);
  });

  it.each([['{'], ['']])('400: the body %j is no JSON', async (body) => {
    expect((await label(body)).status).toBe(400);
  });

  it.each([[{}], [{ items: 5 }], ['"x"'], ['7'], ['null']])('422: %j', async (body) => {
    expect((await label(body)).status).toBe(422);
  });

  it('401: no key, an unknown one, or the operator key', async () => {
    const { operatorKey } = service.service.secrets!;
    for (const key of ['', 'x', operatorKey]) expect((await label([], key)).status).toBe(401);
  });

  it('415: another content type', async () => {
    const headers = { 'x-api-key': service.apiKey, 'content-type': 'text/plain' };
    expect((await service.call('POST', '/api/v1/expected', { headers, body: '[]' })).status).toBe(415);
  });
});
