/** A new version brings a new model: logs with claims stay with theirs until an operator switches, new ones begin with it. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyBundle } from '#audit/unpack';
import { streams } from '#domain/streams';
import { FIRST_INPUT } from '#science/matching/input';
import { claimOf, projectionModel, TestService, writeModelFolder } from '../../apps/server/test/fixture.js';
import { type Double, LOG_SECRET, startDouble } from '../../test/eventstoredb/double.js';
import { openDoubleLog } from '../../test/eventstoredb/log.js';
import { until } from '../../test/until.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const anna = { 'x-svc-admin': 'anna-key' };
const environment = { MVS_OPERATOR_KEYS: `anna:${sha256('anna-key')}` };
/** As the former version shipped it, and what the new version brings. Their assets begin at other thresholds. */
const former = projectionModel(8, FIRST_INPUT);
const newer = projectionModel(16);
const FOLDERS = mkdtempSync(join(tmpdir(), 'mvs-versions-'));
const [formerFolder, newerFolder] = ['former', 'newer'].map((name) => join(FOLDERS, name));
for (const folder of [formerFolder, newerFolder]) mkdirSync(folder);
writeModelFolder(formerFolder, former, 0.6);
writeModelFolder(newerFolder, newer, 0.5);
const FORMER_VERSION = [formerFolder];
const NEW_VERSION = [newerFolder, formerFolder];

const running: TestService[] = [];
async function start(modelFolders: string[], more: Record<string, string> = {}, key = true): Promise<TestService> {
  const service = await TestService.startWithoutKey({ ...environment, ...more }, undefined, modelFolders);
  running.push(service);
  service.operatorKey = 'anna-key';
  if (key) service.apiKey = await service.createKey('lab-a');
  return service;
}
async function becomes(service: TestService, modelFolders: string[]): Promise<void> {
  await service.service.close();
  service.modelFolders = modelFolders;
  await service.open();
  service.operatorKey = 'anna-key';
}
const get = async (service: TestService, path: string) => (await service.call('GET', path, { headers: anna })).body;
const switchTo = (service: TestService, model: string, more: object = {}) =>
  service.json('POST', '/api/v1/model/switch', { model, reason: 'measured better', ...more }, anna);
const rung99 = async (service: TestService, model?: string) =>
  (await get(service, `/api/v1/calibration/lab-a${model ? `?model=${model}` : ''}`)).rungs.find(
    (one: { reject_target: number }) => one.reject_target === 0.99,
  );

afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
});
afterAll(() => rmSync(FOLDERS, { recursive: true, force: true }));

describe('a data folder of the former version under the new one', () => {
  it('keeps its model, answers, approvals and bundles; the new model scores as shadow; an operator switches', async () => {
    const service = await start(FORMER_VERSION);
    const CLAIMS = 45;
    for (let stone = 0; stone < CLAIMS; stone++) expect((await service.verify(claimOf(stone))).status).toBe(200);
    const claim = { ...claimOf(1), reject_target: 0.99 };
    await until(async () => Boolean((await rung99(service)).proposal), 50);
    const { proposal } = await rung99(service);
    const approved = await service.json(
      'POST',
      '/api/v1/calibration/lab-a/rungs/0.99/approve',
      { reason: 'enough', proposal_digest: proposal.digest },
      anna,
    );
    expect(approved.status).toBe(200);
    const before = (await service.verify(claim)).body;
    expect(before.threshold_source).toMatch(/^population-calibrated/);

    await becomes(service, NEW_VERSION);
    expect(await get(service, '/api/v1/model')).toMatchObject({ live: former.digest, switched: null });
    expect((await service.verify(claim)).body).toEqual(before);
    const ladder = await rung99(service);
    expect(ladder).toMatchObject({ state: 'calibrated', threshold: before.threshold });
    const place = join(service.directory, 'lab-a.zip');
    const bundle = await fetch(`${service.address}/api/v1/calibration/lab-a/audit.zip`, { headers: anna });
    writeFileSync(place, new Uint8Array(await bundle.arrayBuffer()));
    expect(await verifyBundle(place)).toMatchObject({ code: 0, says: 'OK\n' });

    for (let stone = 100; stone < 103; stone++) await service.verify(claimOf(stone));
    await until(async () => (await rung99(service, newer.digest)).claims_held >= 3, 50);
    expect((await switchTo(service, newer.digest)).status).toBe(409);
    const switched = await switchTo(service, newer.digest, { accept_uncalibrated: true });
    expect(switched.body).toMatchObject({ live: newer.digest, switched: { from: former.digest, operator: 'anna' } });
    const after = (await service.verify(claim)).body;
    expect([after.threshold, after.claim_id === before.claim_id]).toEqual([expect.closeTo(0.59, 10), false]);

    await becomes(service, NEW_VERSION);
    expect((await service.verify(claim)).body).toEqual(after);
    expect((await switchTo(service, former.digest)).body).toMatchObject({ live: former.digest });
    expect((await service.verify(claim)).body).toEqual(before);
  });

  it('stays with its model where it holds one claim, and begins with the new one where it holds none', async () => {
    for (const claims of [1, 0]) {
      const service = await start(FORMER_VERSION);
      for (let stone = 0; stone < claims; stone++) await service.verify(claimOf(stone));
      await becomes(service, NEW_VERSION);
      expect((await get(service, '/api/v1/model')).live).toBe(claims ? former.digest : newer.digest);
    }
  });
});

it('a new log begins with the newest model, says so once, and nothing scores as shadow', async () => {
  const service = await start(NEW_VERSION);
  expect((await service.verify(claimOf(1))).body.threshold).toBeCloseTo(0.58, 10);
  const events = async () => await service.service.store.readStream(streams.model());
  const [{ type, data }, ...more] = await events();
  expect([type, data, more]).toEqual([
    'ModelSwitched',
    expect.objectContaining({ from: newer.digest, to: newer.digest, operator: 'installation' }),
    [],
  ]);
  await becomes(service, NEW_VERSION);
  expect((await service.verify(claimOf(2))).status).toBe(200);
  expect(await events()).toHaveLength(1);
  expect(await get(service, '/api/v1/model')).toMatchObject({
    live: newer.digest,
    switched: null,
    shadow_claims: {},
  });
});

describe('replicas of two versions on one log', () => {
  let double: Double;
  let directory: string;
  async function log() {
    directory = mkdtempSync(join(tmpdir(), 'mvs-two-versions-'));
    double = await startDouble(openDoubleLog(join(directory, 'double.db')));
    return { EVENTSTORE_URL: double.connectionString, MVS_LOG_SECRET: LOG_SECRET };
  }
  afterEach(async () => {
    await double.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('answer with the former model, to the byte, where the log holds its claims', async () => {
    const shared = await log();
    const old = await start(FORMER_VERSION, shared);
    const first = (await old.verify(claimOf(1))).body;
    const fresh = await start(NEW_VERSION, shared, false);
    fresh.apiKey = old.apiKey;
    expect((await fresh.verify(claimOf(1))).body).toEqual(first);
    expect((await old.verify(claimOf(2))).body).toEqual((await fresh.verify(claimOf(2))).body);
    expect((await fresh.call('GET', '/health/ready')).body.model).toBe(former.digest);
    // From the switch on the former version has no model to answer with, and says so.
    expect((await switchTo(fresh, newer.digest)).status).toBe(200);
    expect((await old.verify(claimOf(1))).status).toBe(503);
    expect((await fresh.verify(claimOf(1))).status).toBe(200);
  });

  it('begin with the new model where the new version came first: the former one answers 503, never otherwise', async () => {
    const shared = await log();
    const fresh = await start(NEW_VERSION, shared);
    // A start does not wait until the log says with which model it begins.
    await until(async () => (await fresh.service.store.readStream(streams.model())).length > 0, 50);
    const old = await start(FORMER_VERSION, shared, false);
    old.apiKey = fresh.apiKey;
    const refused = await old.verify(claimOf(1));
    expect([refused.status, refused.body.detail]).toEqual([503, expect.stringContaining(newer.digest)]);
    expect((await old.call('GET', '/health/ready')).status).toBe(503);
    expect((await fresh.verify(claimOf(1))).body.threshold).toBeCloseTo(0.58, 10);
  });
});
