/** A log that was written over in the middle, under a service that starts on it. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { newEventId } from '#kit/log/event-id';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { until } from '../../../test/until.js';
import { claimOf, TestService } from '../test/fixture.js';

/** More than those at the log's end that are looked at before the start. */
const EVENTS_BEHIND = 1100;

let service: TestService;
let claimId: string;
const data = () => join(service.directory, 'var');
beforeEach(async () => {
  service = await TestService.start({}, undefined, { checksLog: true });
  claimId = (await service.verify(claimOf(1))).body.claim_id;
  await service.service.close();
  const store = await openSqliteEventStore({ directory: data() });
  const events = Array.from({ length: EVENTS_BEHIND }, (_, n) => ({
    ...{ id: newEventId(), type: 'Another', version: 1, data: { n } },
  }));
  await Promise.all(events.map((event) => store.append('another-application', [event], 'any')));
  await store.close();
});
afterEach(() => service.stop());

/** Writes 100 bytes over those of the claim's verdict. */
function damageVerdict(): void {
  const log = join(data(), 'events.db');
  const at = readFileSync(log).indexOf('"fused_score"');
  const file = openSync(log, 'r+');
  writeSync(file, Buffer.alloc(100, 'A'), 0, 100, at);
  closeSync(file);
}
const detail = async () =>
  (await service.call('GET', '/health/detail', { headers: service.operator })).body.parts.log_check;
const metrics = async (): Promise<string[]> =>
  (await service.call('GET', '/metrics', { headers: service.operator })).body.split('\n');
const through = async () => {
  const { checked, head } = await detail();
  return checked !== null && checked === head;
};
const alarms = () => service.lines.map((line) => JSON.parse(line)).filter(({ alarm }) => alarm === 'log_damaged_row');

it('starts, raises an alarm, says where in health, and serves every other claim', async () => {
  damageVerdict();
  await service.open();
  await until(through);
  const damage = {
    position: expect.stringMatching(/^[0-9]+$/),
    stream: expect.stringContaining(claimId),
    revision: 3,
    type: 'ClaimScored',
    problem: 'has a seal that does not fit: it was changed, or copied from another place or log',
  };
  expect(await detail()).toMatchObject({ status: 'damaged', damaged: 1, damage: [damage] });
  expect(alarms()).toMatchObject([damage]);
  expect(await metrics()).toEqual(
    expect.arrayContaining([
      'mvs_log_check{status="damaged"} 1',
      'mvs_log_check{status="sound"} 0',
      'mvs_log_check_positions{what="damaged"} 1',
    ]),
  );

  const ready = await service.call('GET', '/health/ready');
  expect([ready.status, ready.body.status, ready.body.parts.log_check]).toEqual([
    200,
    'degraded',
    { status: 'damaged' },
  ]);
  expect(JSON.stringify(ready.body)).not.toContain(claimId);

  expect((await service.verify(claimOf(2))).status).toBe(200);
  // The claim that the event belongs to is never decided again from what is left of its stream.
  const damaged = await service.verify(claimOf(1));
  expect([damaged.status, damaged.body.code]).toEqual([503, 'log_damaged']);
  expect(JSON.stringify(damaged.body)).not.toContain(claimId);
});

it('is sound where nothing was changed', async () => {
  await service.open();
  await until(through);
  await until(async () => (await detail()).status !== 'running');
  expect(await detail()).toMatchObject({ status: 'sound', damaged: 0, damage: [] });
  expect(alarms()).toEqual([]);
  const { checked } = await detail();
  expect(await metrics()).toEqual(
    expect.arrayContaining(['mvs_log_check{status="sound"} 1', `mvs_log_check_positions{what="checked"} ${checked}`]),
  );
  expect((await service.call('GET', '/health/ready')).body.status).toBe('ok');
});
