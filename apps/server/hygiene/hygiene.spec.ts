import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimOf, TestService } from '../test/fixture.js';

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
    expect((await check()).body.checks).toHaveLength(13);
    expect(await attention()).toEqual([]);
    for (let stone = 0; stone < 10; stone++) await service.verify(claimOf(stone, { roughScans: 2 }));
    expect(await attention()).toContain('few_rough_scans');
  });

  it('401: any other credential', async () => {
    expect((await check({ 'x-api-key': service.apiKey })).status).toBe(401);
    expect((await check({})).status).toBe(401);
  });
});
