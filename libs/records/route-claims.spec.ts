import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expectContract } from '../../apps/server/test/contract.js';
import { claimOf, strangerTo, TestService } from '../../apps/server/test/fixture.js';

let service: TestService;
const ids: string[] = [];
beforeAll(async () => {
  service = await TestService.start();
  const send = async (claim: ReturnType<typeof claimOf>, key = service.apiKey) => {
    const { body } = await service.verify(claim, { 'x-api-key': key });
    ids.push(body.claim_id);
  };
  const pooled = await service.createKey('lab-b', { population: 'lab-a' });
  await send(claimOf(1));
  await send({ ...claimOf(2), reject_target: 0.94 });
  const stranger = strangerTo(2);
  await send(claimOf(2, { polishOf: stranger }));
  await send(claimOf(stranger), pooled);
  await send(claimOf(stranger), service.apiKey);
  await service.json('POST', '/api/v1/expected', [{ claim_id: ids[0], expected: 'match', stone_id: 'S' }], {
    'x-api-key': service.apiKey,
  });
});
afterAll(() => service.stop());

const list = (query = '') => service.call('GET', `/api/v1/claims${query}`, { headers: service.operator });
const found = async (query: string) => {
  const { body } = await list(query);
  return body.items.map(({ claim_id }: { claim_id: string }) => ids.indexOf(claim_id));
};

describe('GET /api/v1/claims/{claim_id} 200', () => {
  it('names what the gauges of its sides are judged by, as the summary of calls does', async () => {
    const bands = [
      { gauge: 'sharpness', refused_below: null, low: 0.04, high: 0.065 },
      { gauge: 'detail_residual', refused_below: -0.5, low: -0.23, high: 0.31 },
      { gauge: 'locally_polynomial', refused_below: null, low: null, high: 0.05 },
    ];
    for (const path of [`/api/v1/claims/${ids[0]}`, '/api/telemetry/summary']) {
      const { body } = await service.call('GET', path, { headers: service.operator });
      expect([path, body.gauge_bands]).toEqual([path, bands]);
    }
    expect((await list()).body.items[0]).not.toHaveProperty('gauge_bands');
  });
});

describe('who looks at a claim', () => {
  it('is said to other operators, of each item apart, and is in no listing', async () => {
    const names = ['anna', 'otto'];
    const key = (name: string) => `key of ${name}`.replaceAll(' ', '-');
    const digest = (text: string) => createHash('sha256').update(text).digest('hex');
    const shared = await TestService.startWithoutKey({
      MVS_OPERATOR_KEYS: names.map((name) => `${name}:${digest(key(name))}`).join(','),
    });
    try {
      shared.operatorKey = key('anna');
      shared.apiKey = await shared.createKey('lab-a');
      const sent = [await shared.verify(claimOf(1)), await shared.verify(claimOf(2))].map(({ body }) => body.claim_id);
      const look = async (name: string, path: string) =>
        (await shared.call('GET', `/api/v1/claims${path}`, { headers: { 'x-svc-admin': key(name) } })).body;
      expect((await look('anna', `/${sent[0]}`)).looked_at_by).toEqual([]);
      expect((await look('otto', `/${sent[0]}`)).looked_at_by).toEqual(['anna']);
      expect((await look('otto', `/${sent[1]}`)).looked_at_by).toEqual([]);
      expect((await look('anna', `/${sent[0]}`)).looked_at_by).toEqual(['otto']);
      expect((await look('anna', '')).items[0]).not.toHaveProperty('looked_at_by');
    } finally {
      await shared.stop();
    }
  });
});

describe('GET /api/v1/claims 200', () => {
  it('shows all that is logged of a claim, newest first', async () => {
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body.items.map(({ claim_id }: { claim_id: string }) => claim_id)).toEqual([...ids].reverse());
    expect(body.next_cursor).toBeNull();
    const [record] = body.items.slice(-1);
    const side = {
      digest: expect.stringMatching(/^[0-9a-f]{16}$/),
      scans: 3,
      duplicates: 0,
      short_coverage: false,
      references: ['CAL5N1'],
      sharpness: expect.any(Number),
      detail_residual: expect.any(Number),
      locally_polynomial: expect.any(Number),
    };
    expect(record).toMatchObject({
      claim_id: ids[0],
      status: 'scored',
      key: { name: 'lab-a', kind: 'production', prefix: expect.stringMatching(/^mvs_live_/) },
      population: 'lab-a',
      reject_target: 0.98,
      verdict: 'MATCH',
      fused_score: expect.any(Number),
      member_scores: expect.any(Object),
      threshold: expect.any(Number),
      threshold_source: expect.stringMatching(/^shipped-default/),
      warnings: expect.any(Array),
      engine: 'simd',
      model: expect.stringMatching(/^[0-9a-f]{64}$/),
      rough: side,
      polish: { ...side, scans: 1 },
      label: { expected: 'match', agrees: true, stone_id: 'S' },
      findings: [],
    });
  });

  it.each<[string, number[]]>([
    ['?key=lab-b', [3]],
    ['?population=lab-a', [4, 3, 2, 1, 0]],
    ['?population=nowhere', []],
    ['?verdict=NO_MATCH', [2]],
    ['?reject_target=0.94', [1]],
    ['?reject_target=.980', [4, 3, 2, 0]],
    ['?label=match', [0]],
    ['?label=no_match', []],
    ['?label=none&verdict=MATCH', [4, 3, 1]],
    ['?reference=CAL5N2', [2, 1]],
    ['?from=2020-01-01', [4, 3, 2, 1, 0]],
    ['?to=2020-01-01T00:00:00Z', []],
    ['?finding=probing', [4, 3, 2]],
    ['?finding=multi_pass', []],
    ['?status=unfinished', []],
    ['?p_max=1', [4, 3, 2, 1, 0]],
    ['?p_max=0', []],
    ['?warning=other', []],
    ['?finding=probing&total=true', [4, 3, 2]],
  ])('filters by %s', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  it('sorts by probability and by distance to the threshold, over pages', async () => {
    type Claim = { claim_id: string; p_match_5050: number; fused_score: number; threshold: number };
    const all: Claim[] = (await list()).body.items;
    const distance = ({ fused_score, threshold }: Claim) => Math.abs(fused_score - threshold);
    const orders = {
      p_match_5050: all.toSorted((a, b) => b.p_match_5050 - a.p_match_5050).map((one) => one.p_match_5050),
      distance: all.map(distance).sort((a, b) => a - b),
    };
    for (const [sort, expected] of Object.entries(orders)) {
      const seen: Claim[] = [];
      for (let cursor = ''; ; ) {
        const { status, body } = await list(`?sort=${sort}&limit=2${cursor}`);
        expect(status).toBe(200);
        seen.push(...body.items);
        if (body.next_cursor === null) break;
        cursor = `&cursor=${body.next_cursor}`;
      }
      expect(seen.map((one) => (sort === 'distance' ? distance(one) : one.p_match_5050))).toEqual(expected);
      expect(new Set(seen.map(({ claim_id }) => claim_id)).size).toBe(all.length);
    }
  });

  it('finds claims by a warning of their answers', async () => {
    const all: { warnings: string[] }[] = (await list()).body.items;
    const warned = all.filter(({ warnings }) => warnings.some((text) => text.startsWith('Uncalibrated population')));
    const { body } = await list('?warning=uncalibrated_population&total=true');
    expect(body.items).toEqual(warned);
    expect([body.total, body.total_exact]).toEqual([warned.length, true]);
    expect(warned.length).toBeGreaterThan(0);
  });

  it('counts the claims of all pages where it is asked', async () => {
    const answer = await list('?limit=1&total=true&verdict=MATCH');
    expect(answer.body).toMatchObject({ total: 4, total_exact: true });
    expect(answer.body.items).toHaveLength(1);
    expectContract('/api/v1/claims', 'get', answer);
    expect((await list('?finding=probing&limit=1&total=true')).body.total).toBe(3);
    expect((await list('?limit=1&total=false')).body).not.toHaveProperty('total');
  });

  it('shows a claim in short, as the ledger has it', async () => {
    const answer = await list('/rows?limit=2&total=true');
    expectContract('/api/v1/claims/rows', 'get', answer);
    expect(answer.body.total).toBe(5);
    const whole = (await list('?limit=2')).body;
    expect(answer.body.next_cursor).toBe(whole.next_cursor);
    const first = await list(`/rows?limit=1&label=match`);
    const { claim_id, submitted_at, fused_score, threshold, p_match_5050 } = (await list(`/${ids[0]}`)).body;
    expect(first.body.items).toEqual([
      {
        ...{ claim_id, submitted_at, fused_score, threshold, p_match_5050 },
        ...{ status: 'scored', key: 'lab-a', population: 'lab-a', reject_target: 0.98, verdict: 'MATCH' },
        ...{ action: 'accept', shared_scans: 0 },
        ...{ warnings: expect.any(Array), rough: 'CAL5N1', polish: 'CAL5N1', label: 'match' },
        ...{ reviewed: false, outcome: null, findings: [] },
      },
    ]);
    expect(JSON.stringify(first.body.items[0]).length).toBeLessThan(600);
  });

  it('goes through all pages, unmoved by claims that come meanwhile', async () => {
    const seen: number[] = [];
    let query = '?limit=2';
    for (;;) {
      const { body } = await list(query);
      expect(body.items.length).toBeLessThanOrEqual(2);
      seen.push(...body.items.map(({ claim_id }: { claim_id: string }) => ids.indexOf(claim_id)));
      if (seen.length === 2) await service.verify(claimOf(5), { 'x-api-key': await service.createKey('meanwhile') });
      if (body.next_cursor === null) break;
      query = `?limit=2&cursor=${body.next_cursor}`;
    }
    expect(seen).toEqual([4, 3, 2, 1, 0]);
  });

  it('answers byte for byte the same from a file that was deleted and rebuilt', async () => {
    const queries = [
      '',
      '?limit=2',
      '?finding=probing',
      '?sort=distance',
      '?warning=uncalibrated_population',
      `/${ids[0]}`,
    ];
    const text = async () => Promise.all(queries.map(async (query) => JSON.stringify((await list(query)).body)));
    const before = await text();
    await service.service.close();
    rmSync(join(service.configuration.dataDirectory, 'views'), { recursive: true });
    await service.open();
    expect(await text()).toEqual(before);
  });
});

describe('GET /api/v1/claims?as_of 200', () => {
  it('shows the ledger as it was: no claim that came later, no verdict, label or finding either', async () => {
    const { history } = (await list(`/${ids[0]}`)).body;
    const [submitted, scored] = history.map(({ recorded_at }: { recorded_at: string }) => Date.parse(recorded_at));
    const at = async (time: number, query = '') => {
      const { status, body, headers } = await list(`?as_of=${new Date(time).toISOString()}${query}`);
      expect(status).toBe(200);
      return { items: body.items, position: Number(headers.get('x-as-of-position')) };
    };
    expect(await at(submitted - 60_000)).toEqual({ items: [], position: 0 });
    const first = await at(scored);
    expect(first.items).toHaveLength(1);
    expect(first.items[0]).toMatchObject({ claim_id: ids[0], label: null, findings: [] });
    expect((await at(scored, '&label=match')).items).toEqual([]);
    expect((await at(submitted, '&status=scored')).items.length).toBe(submitted === scored ? 1 : 0);
    const now = await at(Date.now() + 60_000);
    expect(now.position).toBeGreaterThan(first.position);
    expect(now.items).toEqual((await list()).body.items);
  });
});

describe('GET /api/v1/claims/{claim_id}', () => {
  it('200: a claim with its whole history', async () => {
    const { body } = await list(`/${ids[0]}`);
    expect(body.history.map(({ type }: { type: string }) => type)).toEqual([
      'ClaimSubmitted',
      'ClaimScored',
      'ClaimLabelled',
    ]);
    expect(JSON.stringify(body)).not.toMatch(/[0-9a-f]{65}/);
    expect(body.history[0].data.rough.digest).toMatch(/^[0-9a-f]{16}$/);
  });

  it('404: an unknown one', async () => {
    expect(await list('/clm_x')).toMatchObject({ status: 404, body: { detail: expect.stringContaining('claim_id') } });
  });
});

describe('the queue of claims to review', () => {
  const review = (id: string, body: unknown, headers = service.operator) =>
    service.json('POST', `/api/v1/claims/${id}/review`, body, headers);
  const QUEUE = '?verdict=NO_MATCH&reviewed=false';

  it('200: holds what was no match by little, until an operator has noted something', async () => {
    const { p_match_5050: p } = (await list(`/${ids[2]}`)).body;
    expect(await found(`${QUEUE}&p_min=${p}`)).toEqual([2]);
    expect(await found(`${QUEUE}&p_min=${Math.min(1, p + 1e-6)}`)).toEqual([]);
    const before = Date.now();
    const { status, body } = await review(ids[2], { note: ' measured again: another stone ' });
    expect([status, body]).toMatchObject([
      200,
      { verdict: 'NO_MATCH', review: { note: 'measured again: another stone', operator: 'operator' } },
    ]);
    expect(await found(`${QUEUE}&p_min=${p}`)).toEqual([]);
    expect(await found(`?verdict=NO_MATCH&reviewed=true&p_min=${p}`)).toEqual([2]);
    await review(ids[2], { note: 'and again' });
    const { review: latest, history } = (await list(`/${ids[2]}`)).body;
    expect(latest.note).toBe('and again');
    expect(history.filter(({ type }: { type: string }) => type === 'ClaimReviewed')).toHaveLength(2);
    const earlier = await list(`${QUEUE}&as_of=${new Date(before - 1).toISOString()}`);
    expect(earlier.body.items).toMatchObject([{ claim_id: ids[2], review: null }]);
  });

  it('200: keeps what came of it, which changes no label and no verdict', async () => {
    const { label, verdict, review: before } = (await list(`/${ids[2]}`)).body;
    expect(before.outcome).toBeNull();
    for (const outcome of ['confirmed', 'wrong', 'inconclusive']) {
      const answer = await review(ids[2], { note: 'looked at again', outcome });
      expect(answer).toMatchObject({ status: 200, body: { label, verdict, review: { outcome } } });
      expectContract('/api/v1/claims/{claim_id}/review', 'post', answer);
    }
    expect((await review(ids[2], { note: 'and no more' })).body.review.outcome).toBeNull();
    const { history } = (await list(`/${ids[2]}`)).body;
    const outcomes = history
      .filter(({ type }: { type: string }) => type === 'ClaimReviewed')
      .map(({ data }: { data: { outcome: string } }) => data.outcome);
    expect(outcomes.slice(-4)).toEqual(['confirmed', 'wrong', 'inconclusive', null]);
  });

  it('200: waits again once the note is taken back; a claim has no outcome of a finding', async () => {
    const waits = (more = '') => found(`${QUEUE}${more}`);
    expect(await waits()).not.toContain(2);
    const before = Date.now();
    const back = await review(ids[2], { note: 'the wrong claim', outcome: 'taken_back' });
    expect(back).toMatchObject({ status: 200, body: { review: { note: 'the wrong claim', outcome: 'taken_back' } } });
    expect(await waits()).toContain(2);
    expect(await waits(`&as_of=${new Date(before - 1).toISOString()}`)).not.toContain(2);
    const rows = (await list('/rows?verdict=NO_MATCH&reviewed=false')).body.items;
    expect(rows).toContainEqual(expect.objectContaining({ claim_id: ids[2], reviewed: false, outcome: 'taken_back' }));
    await review(ids[2], { note: 'and noted again' });
    expect(await waits()).not.toContain(2);
    expect((await review(ids[2], { note: 'x', outcome: 'explained' })).status).toBe(422);
  });

  it('404, 422, 401: an unknown claim, no note, no operator; nothing changes', async () => {
    expect((await review('clm_x', { note: 'x' })).status).toBe(404);
    for (const body of [
      {},
      { note: '  ' },
      { note: 5 },
      { note: 'x', more: 1 },
      { note: 'x', outcome: 'right' },
      { outcome: 'wrong' },
    ])
      expect((await review(ids[1], body)).status).toBe(422);
    expect((await review(ids[1], { note: 'x' }, { 'x-api-key': service.apiKey } as never)).status).toBe(401);
    expect((await list(`/${ids[1]}`)).body.review).toBeNull();
  });
});

describe('GET /api/v1/claims refusals', () => {
  it.each([
    'limit=0',
    'limit=1001',
    'limit=x',
    'cursor=x',
    'verdict=MAYBE',
    'from=yesterday',
    'as_of=yesterday',
    'reject_target=2',
    'colour=red',
    'finding=x',
    'p_min=x',
    'p_min=1.1',
    'action=mend',
    'reviewed=maybe',
    'p_max=-1',
    'warning=x',
    'sort=key',
    'sort=distance&finding=probing',
    'sort=distance&cursor=cDE',
    'total=1',
  ])('400: %s', async (query) => {
    const { status, body } = await list(`?${query}`);
    expect([status, body.detail]).toEqual([400, expect.any(String)]);
  });

  it('401: without the operator key, with an API key or the replay token', async () => {
    const { replayToken } = service.service.secrets!;
    for (const path of ['/api/v1/claims', `/api/v1/claims/${ids[0]}`]) {
      for (const headers of [
        {},
        { 'x-api-key': service.apiKey },
        { 'x-svc-admin': replayToken },
        { 'x-svc-replay-key': replayToken },
      ]) {
        expect((await service.call('GET', path, { headers: headers as Record<string, string> })).status).toBe(401);
      }
    }
  });
});
