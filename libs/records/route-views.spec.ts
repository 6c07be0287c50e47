import { randomUUID } from 'node:crypto';
import { claimOf, TestService } from '../../apps/server/test/fixture.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

const ready = () => service.call('GET', '/health/ready');
const skip = (body: unknown, headers: Record<string, string> = service.operator) =>
  service.json('POST', '/api/v1/views/skip', body, headers);
const until = async (status: string) => {
  while ((await ready()).body.status !== status) await new Promise((done) => setTimeout(done, 20));
  return ready();
};

describe('GET /api/v1/views 200', () => {
  it('shows how far each view is', async () => {
    const { status, body } = await service.call('GET', '/api/v1/views', { headers: service.operator });
    expect(status).toBe(200);
    expect(body.views).toMatchObject(
      ['ledger', 'findings', 'evidence', 'telemetry', 'lots'].map((name) => ({
        name,
        position: expect.stringMatching(/^[0-9]+$/),
        caughtUp: true,
      })),
    );
  });
});

describe('POST /api/v1/views/skip', () => {
  it('200: a poisoned event, at which operators’ reads are refused, is passed over for a reason', async () => {
    const event = { id: randomUUID(), type: 'LabelWithdrawn', version: 1, data: {} };
    const { position } = await service.service.log.append('edge', [event], 'any');
    // A claim needs no view: readiness says that something is amiss, and to nobody what.
    const degraded = await until('degraded');
    expect([degraded.status, degraded.body.parts.views]).toEqual([200, { status: 'stopped' }]);
    expect(JSON.stringify(degraded.body)).not.toMatch(/LabelWithdrawn|edge|position/);
    const detail = await service.call('GET', '/health/detail', { headers: service.operator });
    expect(detail.body.parts.views[0].failure).toContain(`position ${position} (LabelWithdrawn in stream edge)`);
    const refused = await service.call('GET', '/api/v1/claims', { headers: service.operator });
    expect([refused.status, refused.body.detail]).toEqual([503, expect.stringContaining('LabelWithdrawn')]);
    expect(service.lines.some((line) => line.includes('views stopped') && line.includes('LabelWithdrawn'))).toBe(true);
    // Claims are still answered and keys revoked: nothing that decides reads a view.
    expect((await service.verify(claimOf(1))).status).toBe(200);
    const leaked = await service.createKey('leaked');
    const path = `/api/v1/keys/${leaked.slice(0, 25)}`;
    expect((await service.call('DELETE', path, { headers: service.operator })).status).toBe(200);
    expect((await service.verify(claimOf(1), { 'x-api-key': leaked })).status).toBe(401);
    const { status, body } = await skip({ position: String(position), reason: 'taken back' });
    expect([status, body]).toEqual([
      200,
      {
        position: String(position),
        stream: 'edge',
        type: 'LabelWithdrawn',
        reason: 'taken back',
        operator: 'operator',
        at: expect.any(String),
      },
    ]);
    expect((await until('ok')).status).toBe(200);
    expect((await service.call('GET', '/api/v1/claims', { headers: service.operator })).body.items).toHaveLength(1);
  });

  it('404, 422, 401: nothing stopped there, no reason, no operator', async () => {
    expect((await skip({ position: '1', reason: 'x' })).status).toBe(404);
    for (const body of [{ position: '1' }, { position: 'x', reason: 'x' }, { position: '1', reason: ' ' }]) {
      expect((await skip(body)).status).toBe(422);
    }
    expect((await skip({ position: '1', reason: 'x' }, { 'x-api-key': service.apiKey })).status).toBe(401);
  });
});
