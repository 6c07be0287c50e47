import { claimOf, mixedUpClaim, TestService } from '../../apps/server/test/fixture.js';

let service: TestService;
let claimId: string;
beforeAll(async () => {
  service = await TestService.start();
  claimId = (await service.verify(claimOf(1))).body.claim_id;
  await service.verify(mixedUpClaim(2));
  await service.verify(claimOf(1));
  await service.verify('{');
  await service.verify(claimOf(4), { 'x-svc-replay': '1', 'x-svc-admin': service.operator['x-svc-admin'] });
  const labels = [{ claim_id: claimId, expected: 'match' }];
  await service.json('POST', '/api/v1/expected', labels, { 'x-api-key': service.apiKey });
});
afterAll(() => service.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  service.call('GET', `/api/telemetry/${path}`, { headers: { ...service.operator, ...headers } });

describe('GET /api/telemetry/summary 200', () => {
  it('sums up the last day', async () => {
    const { status, body } = await get('summary');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      calls: 4,
      repeats: 1,
      by_status: { 200: 3, 400: 1 },
      by_reason: { invalid_json: 1 },
      verdicts: { MATCH: 1, NO_MATCH: 1 },
      warnings: { uncalibrated_population: 2, unvalidated_expected_genuine_accept: 2 },
      rough_scans: { 3: 2 },
      latency_ms: { score: { count: 2 } },
      quantiles: { score: { count: 2 }, polish_sharpness: { count: 2 } },
      replay: { calls: 1, verdicts: { MATCH: 1 } },
      findings: [],
      label_agreement: [{ reject_target: 0.98, labelled: 1, confirmed_right: 1 }],
      queue: { waiting: 0, active: 0, workers: [expect.any(Object)] },
    });
    expect(Date.parse(body.to) - Date.parse(body.from)).toBe(86_400_000);
  });

  it('counts each hour or day, where it is asked to', async () => {
    const { buckets } = (await get('summary?bucket=day')).body;
    expect(buckets.length).toBeGreaterThan(0);
    const total = (name: string) => buckets.reduce((sum: number, one: Record<string, number>) => sum + one[name], 0);
    expect([total('calls'), total('repeats'), total('refused')]).toEqual([4, 1, 1]);
    expect((await get('summary')).body).not.toHaveProperty('buckets');
    for (const query of ['bucket=minute', 'bucket=hour&from=2020-01-01', 'bucket=day&from=1000-01-01']) {
      const { status, body } = await get(`summary?${query}`);
      expect([status, body.code]).toEqual([400, 'bad_request']);
      expect(body.detail).toMatch(/bucket/);
    }
  });

  it('of another window or key is empty', async () => {
    expect((await get('summary?to=2020-01-01')).body).toMatchObject({ calls: 0, label_agreement: [] });
    expect((await get('summary?key=nobody')).body).toMatchObject({ calls: 0 });
  });
});

describe('GET /api/telemetry/events 200', () => {
  it('lists every call, refused ones too', async () => {
    const { body } = await get('events');
    expect(
      body.items.map(({ tag, status, repeat }: Record<string, unknown>) => [tag, status, repeat ?? false]),
    ).toEqual([
      ['verify_match_replay', 200, false],
      ['verify_match', 400, false],
      ['verify_match', 200, true],
      ['verify_match', 200, false],
      ['verify_match', 200, false],
    ]);
    expect(body.items[4]).toMatchObject({
      claim_id: claimId,
      label: 'match',
      verdict: 'MATCH',
      key: { name: 'lab-a' },
    });
  });

  it('as lines of JSON where they are accepted', async () => {
    const { headers, body } = await get('events?limit=2', { accept: 'application/x-ndjson' });
    expect(headers.get('content-type')).toContain('application/x-ndjson');
    const lines = String(body)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toEqual((await get('events?limit=2')).body.items);
    const next = await get(`events?cursor=${headers.get('x-next-cursor')}`, { accept: 'application/x-ndjson' });
    expect(String(next.body).trimEnd().split('\n')).toHaveLength(3);
    expect(next.headers.get('x-next-cursor')).toBeNull();
  });

  it('filters', async () => {
    for (const [query, count] of [
      ['status=400', 1],
      ['tag=verify_match_replay', 1],
      ['reason=invalid_json', 1],
      ['warning=uncalibrated_population', 3],
      [`claim_id=${claimId}`, 2],
      ['population=nowhere', 0],
    ] as const) {
      expect([query, (await get(`events?${query}`)).body.items.length]).toEqual([query, count]);
    }
  });
});

describe('/api/telemetry refusals', () => {
  it.each([
    'events?limit=0',
    'events?cursor=x',
    'events?tag=x',
    'events?status=7',
    'events?warning=x',
    'summary?from=x',
    'summary?x=1',
  ])('400: %s', async (path) => {
    const { status, body } = await get(path);
    expect([status, body.detail]).toEqual([400, expect.any(String)]);
  });

  it('401: any other credential', async () => {
    for (const path of ['summary', 'events']) {
      for (const headers of [
        {},
        { 'x-api-key': service.apiKey },
        { 'x-svc-admin': service.service.secrets!.replayToken },
      ]) {
        const { status } = await service.call('GET', `/api/telemetry/${path}`, {
          headers: headers as Record<string, string>,
        });
        expect(status).toBe(401);
      }
    }
  });
});
