import { createHash } from 'node:crypto';
import { expectContract } from '../../apps/server/test/contract.js';
import { claimOf, type JsonClaim, mixedUpClaim, strangerTo, TestService } from '../../apps/server/test/fixture.js';

/** Claims that rung 0.99 needs. */
const NEEDED = 40;
const as = (name: string) => ({ 'x-svc-admin': `${name}-key` });
const entry = (name: string, scopes = '') =>
  `${name}:${createHash('sha256').update(`${name}-key`).digest('hex')}${scopes}`;

let service: TestService;
const verdicts = { MATCH: 0, NO_MATCH: 0 };
beforeAll(async () => {
  const operators = [entry('olga'), entry('peter'), entry('auditor', ':audit')].join(',');
  service = await TestService.startWithoutKey({ MVS_FOUR_EYES: 'yes', MVS_OPERATOR_KEYS: operators });
  service.operatorKey = 'olga-key';
  service.apiKey = await service.createKey('lab-a');
  for (let stone = 0; stone < NEEDED; stone++) await send(claimOf(stone));
});
afterAll(() => service.stop());

async function send(claim: JsonClaim): Promise<void> {
  const { status, body } = await service.verify(claim);
  expect(status).toBe(200);
  verdicts[body.verdict as keyof typeof verdicts]++;
}
const overview = (query = '', headers: Record<string, string> = as('auditor')) =>
  service.call('GET', `/api/v1/overview${query}`, { headers });
const shown = async (query = '') => (await overview(query)).body;

describe('GET /api/v1/overview 200', () => {
  it('counts calls, verdicts and refusals of the window', async () => {
    await send(mixedUpClaim(100));
    expect(verdicts.NO_MATCH).toBeGreaterThan(0);
    await service.verify(claimOf(0));
    await service.verify('{');
    await service.verify(claimOf(1), { 'x-svc-replay': '1', ...as('olga') });
    const answer = await overview();
    expect(answer.status).toBe(200);
    expectContract('/api/v1/overview', 'get', answer);
    expect(answer.body.claims).toEqual({
      ...{ calls: NEEDED + 3, answered: NEEDED + 2, repeats: 1, refused: 1, replays: 1 },
      verdicts,
      match_share: verdicts.MATCH / (NEEDED + 1),
      refusals: { invalid_json: 1 },
      whole_window: true,
    });
    expect(answer.body.reviews).toEqual({ total: 0, total_exact: true });
    expect(Date.parse(answer.body.to) - Date.parse(answer.body.from)).toBe(86_400_000);
    const { claims } = await shown('?to=2020-01-02');
    expect(claims).toMatchObject({ calls: 0, match_share: null, refusals: {} });
  });

  it('counts findings that are open, and those opened in the window', async () => {
    const stranger = strangerTo(0);
    await service.verify(claimOf(0, { polishOf: stranger }));
    await service.verify(claimOf(stranger));
    const one = { total: 1, total_exact: true };
    const none = { total: 0, total_exact: true };
    expect((await shown()).findings).toEqual({ open: one, open_breaches: none, opened: one });
    expect((await shown('?to=2020-01-02')).findings).toEqual({ open: one, open_breaches: none, opened: none });
    const { items } = (await service.call('GET', '/api/v1/findings', { headers: as('olga') })).body;
    await service.json('POST', `/api/v1/findings/${items[0].id}/review`, { note: 'seen' }, as('olga'));
    expect((await shown()).findings).toEqual({ open: none, open_breaches: none, opened: one });
  });

  it('says what the hygiene checks found when they were last made', async () => {
    expect((await shown()).alarms.hygiene).toEqual({ at: null, found: [] });
    await service.service.watch!.check();
    const { hygiene, ...alarms } = (await shown()).alarms;
    expect(hygiene.at).toEqual(expect.any(String));
    expect(alarms).toEqual({
      drift: [],
      not_obeyed: 0,
      log_damaged: 0,
      views_stopped: [],
    });
  });

  it('follows a population from enough claims to its second approval', async () => {
    const { populations } = await shown();
    expect(populations).toMatchObject({ found: 1, items: [{ population: 'lab-a', ready: [0.99], next: null }] });
    expect(populations.items[0].claims_held).toBeGreaterThanOrEqual(NEEDED);
    const { body } = await service.call('GET', '/api/v1/calibration/lab-a', { headers: as('olga') });
    const { digest: proposal_digest } = body.rungs[0].proposal;
    const approve = (name: string) =>
      service.json(
        'POST',
        '/api/v1/calibration/lab-a/rungs/0.99/approve',
        { reason: 'enough claims', proposal_digest },
        as(name),
      );
    expect((await approve('olga')).status).toBe(202);
    expect((await shown()).second_approvals).toEqual({
      found: 1,
      items: [{ population: 'lab-a', reject_target: 0.99, requested_by: 'olga', at: expect.any(String) }],
    });
    expect((await approve('peter')).status).toBe(200);
    expect(await shown()).toMatchObject({
      second_approvals: { found: 0, items: [] },
      populations: { found: 0, items: [] },
    });
  });

  it('says which rung is near', async () => {
    // 60 is 80% of what rung 0.98 needs.
    const { claims_held } = (await service.call('GET', '/api/v1/calibration/lab-a', { headers: as('olga') })).body
      .rungs[0];
    for (let stone = 200; stone < 200 + 60 - claims_held; stone++) await service.verify(claimOf(stone));
    expect((await shown()).populations.items).toEqual([
      { population: 'lab-a', claims_held: 60, ready: [], next: { reject_target: 0.98, claims_needed: 75 } },
    ]);
  });
});

describe('GET /api/v1/overview refuses', () => {
  it.each(['?from=yesterday', '?to=x', '?from=2026-01-02&to=2026-01-01', '?from=2026-01-01&to=2026-01-01', '?day=1'])(
    '400: %s',
    async (query) => {
      const { status, body } = await overview(query);
      expect([status, body.detail]).toEqual([400, expect.any(String)]);
    },
  );
  it('401: any other credential', async () => {
    expect((await overview('', { 'x-api-key': service.apiKey })).status).toBe(401);
    expect((await overview('', {})).status).toBe(401);
  });
});
