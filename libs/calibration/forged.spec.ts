import { readFileSync } from 'node:fs';
/** Approvals that were written into the log beside the service, with right checksums, under a service that starts on it. */
import { join } from 'node:path';
import { invariantsOf } from '#audit/valid-decisions';
import { newEventId } from '#kit/log/event-id';
import { secretFile } from '#kit/log/sqlite/seals';
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

/** Populations with counted claims each; decided in version 2 unless said otherwise. */
const DECIDED = ['past', 'true'];
/** By population, what another writer writes into its stream. */
const FORGED = ['copied', 'renamed', 'never', 'unchained', 'whole'];
const POPULATIONS = [...DECIDED, ...FORGED];
/** Another hand has no secret of the log, or one of its own. */
const OTHER_SECRET = 'another hand has a secret of its own, of 32 characters';

function written() {
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
  for (const population of POPULATIONS.slice(1)) claims(population);
  approve('true');
  const own = log.events.length;
  approve('copied', { population: 'true', chain: chainRoot('true', []) });
  approve('renamed', { population: 'true' });
  approve('never', { reject_target: 0.9 });
  approve('unchained', {}, 1);
  // All of it is as the service would have written it.
  approve('whole');
  return { own: log.events.slice(0, own), forged: log.events.slice(own) };
}

async function append(events: TestLog['events'], others: string[] = []): Promise<void> {
  const secrets = [...others, readFileSync(secretFile(data()), 'utf8').trim()];
  const store = await openSqliteEventStore({ directory: data(), secrets });
  const appends = events.map(({ stream, revision: _, position: __, ...event }) =>
    store.append(stream, [{ ...event, id: newEventId() }], 'any'),
  );
  await Promise.all(appends);
  await store.close();
}

beforeAll(async () => {
  service = await TestService.startWithoutKey({}, undefined, undefined, { checksLog: true });
  for (const population of POPULATIONS)
    keys.set(population, await service.createKey(`${population} key`, { population }));
  model = (await service.call('GET', '/health/ready')).body.model;
  await service.service.close();
  const { own, forged } = written();
  await append(own);
  await append(forged, [OTHER_SECRET]);
  await service.open();
  await until(async () => (await detail()).not_obeyed === FORGED.length);
});
afterAll(() => service.stop());

const named = () => service.lines.map((line) => JSON.parse(line)).filter(({ alarm }) => alarm === 'log_damaged_row');
const parts = async () => (await service.call('GET', '/health/detail', { headers: service.operator })).body.parts;
const detail = async () => (await parts()).calibration;
const verdict = async (population: string, reject_target = 0.98) =>
  (await service.verify({ ...claimOf(1), reject_target }, { 'x-api-key': keys.get(population)! })).body;

describe('an approval that the domain made', () => {
  it.each(DECIDED)('decides: %s', async (population) => {
    expect(await verdict(population)).toMatchObject({
      threshold: 0.1,
      threshold_source: expect.stringMatching(/^population-calibrated/),
    });
  });
});

describe('an approval by another hand', () => {
  const problem = expect.stringContaining("which is not among the service's");

  const ask = (population: string, path: string) =>
    service.call('GET', `/api/v1/calibration/${population}/${path}`, { headers: service.operator });

  it.each(FORGED)('is named, and its population refused: %s', async (population) => {
    expect(await verdict(population)).toMatchObject({ code: 'log_damaged' });
    const { not_obeyed_events } = await detail();
    expect(not_obeyed_events).toContainEqual(expect.objectContaining({ population, type: 'RungApproved', problem }));
    for (const path of ['history', 'audit.zip'])
      expect([path, await ask(population, path)]).toMatchObject([path, { status: 503, body: { code: 'log_damaged' } }]);
  });

  it('is a metric, and named in the log', async () => {
    const { body } = await service.call('GET', '/metrics', { headers: service.operator });
    expect(body).toContain(`mvs_calibration_not_obeyed ${FORGED.length}\n`);
    expect(
      named()
        .map(({ stream }) => stream)
        .sort(),
    ).toEqual(FORGED.map((one) => `calibration-${one}`).sort());
    await until(() => service.lines.some((line) => JSON.parse(line).msg === 'event log checked'));
    expect((await parts()).log_check).toMatchObject({ status: 'damaged', damaged: FORGED.length });
  });

  it('decides nothing once an operator has disowned it', async () => {
    const rows = named().map(({ position, stream }) => ({ position, stream }));
    await service.service.close();
    const disowned = { rows, operator: 'ada', reason: 'seen', at: new Date().toISOString() };
    await append([{ stream: 'log', type: 'RowsDisowned', version: 1, data: disowned }] as never);
    await service.open();
    for (const population of FORGED) {
      for (const rung of [0.98, 0.9])
        expect((await verdict(population, rung)).threshold_source).toMatch(/^shipped-default/);
      expect((await ask(population, 'history')).body.items).toEqual([]);
      expect((await ask(population, 'audit.zip')).status).toBe(200);
    }
  });

  it('leaves the rest of the log sound', async () => {
    const reader = openSqliteEventReader({ directory: data() });
    const invariants = await invariantsOf(reader);
    for await (const event of reader.readAll()) expect(invariants.check(event)).toEqual([]);
    await reader.close();
    await until(async () => (await parts()).log_check.status === 'sound');
    expect((await detail()).not_obeyed).toBe(0);
  });
});
