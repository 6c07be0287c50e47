import { claimOf, TestService } from '../../apps/server/test/fixture.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

const check = (headers: Record<string, string> = service.operator) =>
  service.call('GET', '/api/v1/hygiene', { headers });
const attention = async () => {
  const { body } = await check();
  return body.checks
    .filter(({ status }: { status: string }) => status === 'attention')
    .map((one: { check: string }) => one.check);
};

describe('GET /api/v1/hygiene', () => {
  it('200: finds nothing at first, then a habit', async () => {
    expect((await check()).body.checks).toHaveLength(16);
    expect(await attention()).toEqual([]);
    for (let stone = 0; stone < 10; stone++) await service.verify(claimOf(stone, { roughScans: 2 }));
    expect(await attention()).toContain('few_rough_scans');
  });

  it('200: lists a claim that has one scan on both sides, whose answer says nothing of it', async () => {
    const { rough, polish } = claimOf(20);
    const spectra = [...polish.spectra, rough.spectra[1]];
    const { body } = await service.verify({ rough, polish: { ...polish, spectra } });
    expect(JSON.stringify(body.warnings)).not.toMatch(/both|same|twice/i);
    const { checks } = (await check()).body;
    const { items } = checks.find((one: { check: string }) => one.check === 'scan_on_both_sides');
    expect(items).toEqual([
      { claim_id: body.claim_id, key: 'lab-a', population: 'lab-a', verdict: body.verdict, shared_scans: 1 },
    ]);
  });

  it('401: any other credential', async () => {
    expect((await check({ 'x-api-key': service.apiKey })).status).toBe(401);
    expect((await check({})).status).toBe(401);
  });
});
