/** Approvals that were written into the log beside the service, with right checksums, under a service that starts on it. */
import { join } from 'node:path';
import { invariantsOf } from '#audit/obeyed';
import { newEventId } from '#kit/log/event-id';
import { openSqliteEventReader, openSqliteEventStore } from '#kit/log/sqlite/store';
import { keyOf, proposalOf, TestLog } from '#kit/views/test/log';
import { claimOf, TestService } from '../../apps/server/test/fixture.js';
import { until } from '../../test/until.js';
import { chainRoot } from './chain.js';

const CLAIMS = 75;
const data = () => join(service.directory, 'var');
const keys = new Map<string, string>();
let service: TestService;
let model: string;

/** Populations with counted claims each; in version 2 unless said otherwise. */
const POPULATIONS = ['past', 'true', 'copied', 'renamed', 'never', 'unchained', 'zeros', 'empty'];
/** By population, what is forged in its stream and what is said of it. */
const FORGED: [population: string, problem: string][] = [
  ['copied', 'belongs into a stream'],
  ['renamed', 'belongs into a stream'],
  ['never', 'approves rung 0.90, which never settles'],
  ['unchained', 'carries no hash of the events before it'],
  ['zeros', 'does not carry the hash of the events before it'],
  ['empty', 'rests on 75 claims, and the log does not hold as many'],
];

function written(): TestLog {
  const log = new TestLog();
  const claims = (population: string) => {
    for (let n = 0; n < CLAIMS; n++) {
      const stone = { stone: `${population} ${n}` };
      log.claim({ key: keyOf(population), rough: stone, polish: stone, model });
    }
  };
  const approve = (population: string, more: object = {}, version = 2) => {
    const stream = `calibration-${population}`;
    const before = log.events.filter((event) => event.stream === stream);
    const decided = { population, reject_target: 0.98, operator: 'anna', reason: 'why', at: log.now() };
    const proposal = proposalOf({ model, claims: CLAIMS, threshold: 0.1 });
    const chain = version > 1 ? { chain: chainRoot(population, before) } : {};
    log.append(stream, {
      type: 'RungApproved',
      version,
      data: { ...decided, proposal, requested_by: null, ...chain, ...more },
    });
  };
  claims('past');
  // As it was written before there was a chain.
  for (const event of log.events) {
    if (event.type !== 'ClaimSubmitted') continue;
    const { shared_scans: _, ladder_digest: __, rough, polish, ...kept } = event.data as Record<string, never>;
    const side = ({ detail_residual_measured: _, ...of }: Record<string, unknown>) => of;
    Object.assign(event, { version: 1, data: { ...kept, rough: side(rough), polish: side(polish) } });
  }
  approve('past', {}, 1);
  for (const population of POPULATIONS.slice(1, -1)) claims(population);
  approve('true');
  approve('copied', { population: 'true', chain: chainRoot('true', []) });
  approve('renamed', { population: 'true' });
  approve('never', { reject_target: 0.9 });
  approve('unchained', {}, 1);
  approve('zeros', { chain: '0'.repeat(64) });
  approve('empty');
  return log;
}

beforeAll(async () => {
  service = await TestService.startWithoutKey({});
  for (const population of POPULATIONS)
    keys.set(population, await service.createKey(`${population} key`, { population }));
  model = (await service.call('GET', '/health/ready')).body.model;
  await service.service.close();
  const store = await openSqliteEventStore({ directory: data() });
  const appends = written().events.map(({ stream, revision: _, position: __, ...event }) =>
    store.append(stream, [{ ...event, id: newEventId() }], 'any'),
  );
  await Promise.all(appends);
  await store.close();
  await service.open();
  await until(async () => (await detail()).not_obeyed === FORGED.length);
});
afterAll(() => service.stop());

const parts = async () => (await service.call('GET', '/health/detail', { headers: service.operator })).body.parts;
const detail = async () => (await parts()).calibration;
const verdict = async (population: string, reject_target = 0.98) =>
  (await service.verify({ ...claimOf(1), reject_target }, { 'x-api-key': keys.get(population)! })).body;

describe('an approval that the domain made', () => {
  it.each(['past', 'true'])('decides: %s', async (population) => {
    expect(await verdict(population)).toMatchObject({
      threshold: 0.1,
      threshold_source: expect.stringMatching(/^population-calibrated/),
    });
  });
});

describe('an approval that the domain could not have made', () => {
  it.each(FORGED)('decides nothing, and is named: %s', async (population, problem) => {
    for (const rung of [0.98, 0.9])
      expect((await verdict(population, rung)).threshold_source).toMatch(/^shipped-default/);
    const { not_obeyed_events } = await detail();
    expect(not_obeyed_events).toContainEqual(
      expect.objectContaining({ population, type: 'RungApproved', problem: expect.stringContaining(problem) }),
    );
    const { items } = (
      await service.call('GET', `/api/v1/calibration/${population}/history`, { headers: service.operator })
    ).body;
    expect(items).toMatchObject([{ event: 'RungApproved', revision: 0, not_obeyed: expect.stringContaining(problem) }]);
    const bundle = await service.call('GET', `/api/v1/calibration/${population}/audit.zip`, {
      headers: service.operator,
    });
    expect([bundle.status, bundle.body.detail]).toEqual([409, expect.stringContaining(problem)]);
  });

  it('is an alarm and a metric', async () => {
    await service.service.watch!.look();
    const alarms = service.lines.map((line) => JSON.parse(line)).filter(({ alarm }) => alarm === 'calibration');
    expect(alarms.map(({ population }) => population).sort()).toEqual(FORGED.map(([population]) => population).sort());
    const { body } = await service.call('GET', '/metrics', { headers: service.operator });
    expect(body).toContain(`mvs_calibration_not_obeyed ${FORGED.length}\n`);
  });

  it('is what the check of the whole log finds of it, the command’s and the service’s own', async () => {
    const reader = openSqliteEventReader({ directory: data() });
    const invariants = await invariantsOf(reader);
    const found: { position: string; problem: string }[] = [];
    for await (const event of reader.readAll())
      for (const problem of invariants.check(event)) found.push({ position: String(event.position), problem });
    await reader.close();
    const ofCalibration = found.filter(({ problem }) => /it is not obeyed$/.test(problem));
    expect(ofCalibration.map(({ problem }) => problem)).toEqual(
      FORGED.map(([, problem]) => expect.stringContaining(problem)),
    );

    await service.service.close();
    service.lines.length = 0;
    await service.open();
    await until(() => service.lines.some((line) => JSON.parse(line).msg === 'event log checked'));
    const check = (await parts()).log_check;
    expect(check.status).toBe('damaged');
    expect(check.damage.map(({ position, problem }: (typeof found)[0]) => ({ position, problem }))).toEqual(found);
  });
});
