import { streams } from '#domain/streams';
import { DRIFT_WINDOW } from '#science/calibration/drift';
import { expectContract } from '../../apps/server/test/contract.js';
import { claimOf, type JsonClaim, TestService } from '../../apps/server/test/fixture.js';

/** Claims that are sent before rung 0.99 is approved, which needs 40. */
const APPROVED = 50;
let service: TestService;
let stones = 0;

beforeAll(async () => {
  service = await TestService.start();
  await service.createKey('lab-b');
  await send(APPROVED);
  const { body } = await service.call('GET', '/api/v1/calibration/lab-a', { headers: service.operator });
  const { digest } = body.rungs[0].proposal;
  const path = '/api/v1/calibration/lab-a/rungs/0.99/approve';
  const approval = { reason: 'enough claims', proposal_digest: digest };
  expect((await service.json('POST', path, approval, service.operator)).status).toBe(200);
});
afterAll(() => service.stop());

async function send(count: number, make = (stone: number): JsonClaim => claimOf(stone)): Promise<void> {
  for (let i = 0; i < count; i++) expect((await service.verify(make(stones++))).status).toBe(200);
}
const drift = async (query = '', headers: Record<string, string> = service.operator) =>
  service.call('GET', `/api/v1/drift${query}`, { headers });
const ofLab = async () => (await drift('?population=lab-a')).body.items[0];
const alarms = () => service.lines.map((line) => JSON.parse(line)).filter(({ alarm }) => alarm === 'drift');

describe('GET /api/v1/drift 200', () => {
  it('shows what windows are compared with', async () => {
    const { status, body } = await drift();
    expect([status, body.next_cursor]).toEqual([200, null]);
    expect(body.items).toMatchObject([
      { population: 'lab-a', status: 'gathering', baseline: { source: 'approved', reject_target: 0.99 } },
      { population: 'lab-b', status: 'no_baseline', baseline: { source: 'shipped' } },
    ]);
    const first = await drift('?limit=1');
    const second = await drift(`?limit=1&cursor=${first.body.next_cursor}`);
    expect([...first.body.items, ...second.body.items]).toEqual(body.items);
    expect((await drift('?population=elsewhere')).body.items).toEqual([]);
  });

  it('does not count test keys, replays and claims sent again', async () => {
    const before = await ofLab();
    const test = await service.createKey('trial', { population: 'lab-a', kind: 'test' });
    await service.verify(claimOf(9001), { 'x-api-key': test });
    await service.verify(claimOf(9002), { 'x-svc-replay': '1', ...service.operator });
    await send(1);
    stones--;
    await send(1);
    expect(await ofLab()).toMatchObject({ waiting: before.waiting + 1 });
  });

  it('alarms after a change of instrument, once, and leaves answers as they are', async () => {
    await send(DRIFT_WINDOW - (await ofLab()).waiting, (stone) => claimOf(stone, { population: 'instrument-16' }));
    await Promise.all([service.service.watch!.check(), service.service.watch!.check()]);
    await service.service.watch!.check();
    const shown = await drift('?population=lab-a');
    expectContract('/api/v1/drift', 'get', shown);
    const [{ status, windows, began, latest, history }] = shown.body.items;
    expect(history).toMatchObject([{ until: latest.until, claims: DRIFT_WINDOW, measures: expect.any(Array) }]);
    expect([status, windows]).toEqual(['drifting', 1]);
    expect(began).toEqual(latest);
    const measures = began.measures.filter((one: { drifted: boolean }) => one.drifted);
    expect(measures.map((one: { measure: string }) => one.measure)).toContain('polish_sharpness');

    const events = await service.service.store.readStream(streams.drift('lab-a'));
    expect(events).toMatchObject([{ type: 'DriftBegan', data: { population: 'lab-a', window: began } }]);
    expect(alarms()).toMatchObject([{ level: 50, population: 'lab-a', msg: 'drift began', measures }]);
    const { body: summary } = await service.call('GET', '/api/telemetry/summary', { headers: service.operator });
    expect(summary.drift).toMatchObject([{ population: 'lab-a', since: began.until }]);
    const metrics = await service.call('GET', '/metrics', { headers: service.operator });
    expect(metrics.body).toContain('mvs_drift{population="lab-a"} 1');
    expect(metrics.body).toContain('mvs_drift{population="lab-b"} 0');

    const { body } = await service.call('GET', '/api/v1/calibration/lab-a', { headers: service.operator });
    for (const rung of body.rungs)
      expect(rung.drift).toMatchObject({ alarm: true, status: 'drifting', baseline: 'approved' });
    expect(body.rungs[0].drift.measures).toContain('polish_sharpness');
    expect((await service.verify(claimOf(1))).body.threshold_source).toMatch(/^shipped-default/);
  });

  it('reports nothing again after a restart', async () => {
    await service.service.close();
    service.lines.length = 0;
    await service.open();
    expect((await ofLab()).status).toBe('drifting');
    await service.service.watch!.check();
    expect(alarms()).toEqual([]);
    expect(await service.service.store.readStream(streams.drift('lab-a'))).toHaveLength(1);
  });
});

describe('GET /api/v1/drift refuses', () => {
  it.each(['?limit=0', '?limit=many', `?population=${'x'.repeat(300)}`])('400: %s', async (query) => {
    expect((await drift(query)).status).toBe(400);
  });
  it('401: any other credential', async () => {
    expect((await drift('', { 'x-api-key': service.apiKey })).status).toBe(401);
    expect((await drift('', {})).status).toBe(401);
  });
});
