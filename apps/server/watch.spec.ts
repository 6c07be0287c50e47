import { until as holds } from '../../test/until.js';
import { claimOf, TestService } from './test/fixture.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

const breaches = () =>
  service.lines
    .map((line) => JSON.parse(line))
    .filter((one) => one.alarm === 'hygiene' && one.check === 'few_rough_scans');
/** Checks until there are so many: a check is left out while the views are behind. */
async function look(until: number) {
  await holds(async () => {
    await service.service.watch!.check();
    return breaches().length >= until;
  });
  return breaches();
}
const found = async (check: string) => {
  const { body } = await service.call('GET', '/metrics', { headers: service.operator });
  return body.split('\n').find((line: string) => line.startsWith(`mvs_hygiene_found{check="${check}"}`));
};

describe('the watch', () => {
  it('reports a breach once, another one of the same kind too, and counts them by kind', async () => {
    expect(await look(0)).toEqual([]);
    for (let stone = 0; stone < 10; stone++) await service.verify(claimOf(stone, { roughScans: 2 }));
    expect(await look(1)).toMatchObject([
      { level: 50, check: 'few_rough_scans', found: 1, items: [{ key: 'lab-a', affected: 10 }], msg: 'breach found' },
    ]);
    // More of the same habit is nothing new.
    await service.verify(claimOf(10, { roughScans: 2 }));

    const other = await service.createKey('lab-b');
    for (let stone = 20; stone < 30; stone++)
      await service.verify(claimOf(stone, { roughScans: 2 }), { 'x-api-key': other });
    const [, ...others] = await look(2);
    expect(others).toMatchObject([{ check: 'few_rough_scans', found: 2, items: [{ key: 'lab-b' }] }]);
    expect(await found('few_rough_scans')).toMatch(/ 2$/);
    expect(await found('unused_keys')).toMatch(/ 0$/);
  });
});
