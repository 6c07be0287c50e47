/** The calls of the event log for which a claim's answer waits, one after the other, on the double of EventStoreDB. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { streams } from '#domain/streams';
import { credentialId } from '#keys/decide';
import { sha256 } from '#kit/log/secrets';
import { claimOf, formOf, TestService } from '../../apps/server/test/fixture.js';
import { endings } from '../../test/endings.js';
import { type Double, LOG_SECRET, startDouble } from '../../test/eventstoredb/double.js';
import { openDoubleLog } from '../../test/eventstoredb/log.js';
import { until } from '../../test/until.js';

interface Held {
  call: string;
  release(): void;
}

const atEnd = endings();
let folder: string;
let double: Double;
let service: TestService;
let other: TestService;
let held: Held[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mvs-trips-'));
  double = await startDouble(openDoubleLog(join(folder, 'double.db')));
  // A claim's calls depend on nothing but the claim: views make none, nor does anything that is kept for a time.
  const environment = { EVENTSTORE_URL: double.connectionString, MVS_LOG_SECRET: LOG_SECRET, MVS_THREADS: '1' };
  service = await TestService.start(environment);
  other = await TestService.startWithoutKey(environment);
  other.apiKey = service.apiKey;
  // It reads streams of its own accord once a minute.
  for (const replica of [service, other]) await replica.service.watch!.close();
  for (const [i, replica] of [service, other].entries())
    expect((await replica.verify(claimOf(90 + i))).status).toBe(200);
});
afterAll(async () => {
  await service?.stop();
  await other?.stop();
  await double?.close();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(() => {
  held = [];
});

/**
 * Read or written aside, for no claim's answer: what shipped thresholds let through, counts of refused calls, and what the
 * check of the log reads.
 */
const aside = [streams.figure(''), streams.edge(), streams.log()];

/** From now on every other call of the log waits to be released. */
function hold(): void {
  atEnd(double, (made) => {
    made.gate = undefined;
    for (const { release } of held.splice(0)) release();
  }).gate = (call, stream) =>
    new Promise((release) => {
      if (aside.some((one) => stream.startsWith(one))) release();
      else held.push({ call: `${call} ${stream.split('-', 1)[0]}`, release });
    });
}

/** Waits until these calls, in whatever order, are all that waits; releases them. Others fail the test. */
async function trip(...expected: string[]): Promise<void> {
  const calls = () => held.map(({ call }) => call).sort();
  await until(() => held.length >= expected.length);
  expect(calls()).toEqual([...expected].sort());
  for (const { release } of held.splice(0)) release();
}

const BASIS = ['read key', 'read calibration', 'read model'];
/** Submitted, the key asked for again, the verdict stored with its vectors. */
const THEN = ['append claim', 'read key', 'append claim'];

describe('a claim on EventStoreDB', () => {
  it.each([
    ['JSON', () => claimOf(1)],
    ['files', () => formOf(claimOf(2))],
  ])('waits for the log four times: %s', async (_, claim) => {
    hold();
    const answer = service.verify(claim());
    await trip(...BASIS);
    for (const call of THEN) await trip(call);
    expect((await answer).status).toBe(200);
    expect(held).toEqual([]);
  });

  it.each([0, 1, 2])('waits for each of them, and no other key for it: %s', async (nth) => {
    const headers = { 'x-api-key': await service.createKey(`beside ${nth}`) };
    expect((await service.verify(claimOf(8), headers)).status).toBe(200);
    hold();
    const answer = service.verify(claimOf(10 + nth));
    await trip(...BASIS);
    for (const call of THEN.slice(0, nth)) await trip(call);
    await until(() => held.length === 1);
    const kept = held.splice(0);
    expect(kept.map(({ call }) => call)).toEqual([THEN[nth]]);
    // Another key's claim is asked for and answered meanwhile.
    const beside = service.verify(claimOf(30 + nth), headers);
    await trip(...BASIS);
    for (const call of THEN) await trip(call);
    expect((await beside).status).toBe(200);
    expect(held).toEqual([]);
    for (const { release } of kept) release();
    for (const call of THEN.slice(nth + 1)) await trip(call);
    expect((await answer).status).toBe(200);
  });

  it('401: is refused where another replica revoked its key while the scans were scored', async () => {
    const key = await service.createKey('revoked under way');
    const id = credentialId((text) => sha256(text).toString('hex'), 'revoked under way');
    const headers = { 'x-api-key': key };
    expect((await service.verify(claimOf(4), headers)).status).toBe(200);
    hold();
    const answer = service.verify(claimOf(5), headers);
    await trip(...BASIS);
    await trip('append claim');
    await until(() => held.length === 1);
    const waiting = held.splice(0);
    expect(waiting.map(({ call }) => call)).toEqual(['read key']);
    double.gate = undefined;
    const revoked = other.call('DELETE', `/api/v1/keys/${key.slice(0, 25)}`, { headers: other.operator });
    // From its beginning on, long before it is answered.
    const begun = async () => (await other.service.store.readStream(streams.key(id))).length > 1;
    while (!(await begun()));
    for (const { release } of waiting) release();
    expect((await answer).status).toBe(401);
    expect((await revoked).status).toBe(200);
    const { items } = (await service.call('GET', '/api/v1/claims?key=revoked under way', { headers: service.operator }))
      .body;
    expect(items.map(({ status }: { status: string }) => status)).toEqual(['unfinished', 'scored']);
  });

  it.each([
    ['a claim', () => claimOf(6)],
    ['no JSON', () => '{'],
    ['another media type', () => '{}'],
    ['no scans', () => '{}'],
    ['a form without scans', () => new FormData()],
  ])(
    '401: a key that another replica revoked is refused whatever it sends, and leaves nothing: %s',
    async (what, body) => {
      const key = await service.createKey(`revoked before ${what}`);
      const headers = { 'x-api-key': key };
      expect((await service.verify(claimOf(7), headers)).status).toBe(200);
      await other.call('DELETE', `/api/v1/keys/${key.slice(0, 25)}`, { headers: other.operator });
      if (what === 'another media type') {
        const text = { body: 'scans', headers: { ...headers, 'content-type': 'text/plain' } };
        expect((await service.call('POST', '/api/v1/verify-match', text)).status).toBe(401);
      }
      const refused = await service.verify(body(), headers);
      expect([refused.status, refused.body.code]).toEqual([401, 'credential_api_key']);
      const id = credentialId((text) => sha256(text).toString('hex'), `revoked before ${what}`);
      expect(await service.service.store.readStream(streams.telemetry(id))).toEqual([]);
    },
  );
});
