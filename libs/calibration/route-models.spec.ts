/** A second model: it scores as shadow, gets a ladder of its own, and goes live by an operator's switch. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { verifyBundle } from '#audit/unpack';
import { VERIFIER } from '#audit/writing';
import { streams } from '#domain/streams';
import { credentialId } from '#keys/decide';
import {
  type Answered,
  claimOf,
  mixedUpClaim,
  projectionModel,
  TestService,
  writeModelFolder,
} from '../../apps/server/test/fixture.js';
import { until } from '../../test/until.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const anna = { 'x-svc-admin': 'anna-key' };
const CLAIMS = 45;
/** Threshold of the second model's asset at 0.90; the own one's is 0.6. */
const LOWEST = 0.5;

const own = projectionModel();
const other = projectionModel(16);
let folder: string;
let environment: Record<string, string>;
let service: TestService;

const get = (path: string) => service.call('GET', path, { headers: anna });
const post = (path: string, body: unknown, headers: Record<string, string> = anna) =>
  service.json('POST', path, body, headers);
const switchTo = (model: string, more: object = {}) =>
  post('/api/v1/model/switch', { model, reason: 'better', ...more });
const rungOf = ({ body }: Answered, rung: number) =>
  body.rungs.find((one: { reject_target: number }) => one.reject_target === rung);
const ladder = async (rung: number, model?: string) =>
  rungOf(await get(`/api/v1/calibration/lab-a${model ? `?model=${model}` : ''}`), rung);
/** On a busy machine measuring may take longer than a listing waits. */
async function proposalBy(model: string): Promise<{ digest: string; model: string; threshold: number }> {
  for (;;) {
    const { proposal, no_proposal } = await ladder(0.99, model);
    if (proposal) return proposal;
    expect(no_proposal).toMatch(/being measured/);
  }
}
const approve = (digest: string) =>
  post('/api/v1/calibration/lab-a/rungs/0.99/approve', { reason: 'enough', proposal_digest: digest });

/** Nobody waits for what is scored as shadow but this. */
async function heldAsShadow(claims: number, model = other.digest): Promise<number> {
  let held = 0;
  await until(async () => {
    ({ claims_held: held } = await ladder(0.99, model));
    return held >= claims;
  }, 50);
  return held;
}

async function reopen(shadow: boolean): Promise<void> {
  await service.service.close();
  if (shadow) service.environment.MVS_SHADOW_MODEL = folder;
  else delete service.environment.MVS_SHADOW_MODEL;
  await service.open();
  service.operatorKey = 'anna-key';
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mvs-second-model-'));
  writeModelFolder(folder, other, LOWEST);
  environment = { MVS_OPERATOR_KEYS: `anna:${sha256('anna-key')}`, MVS_SHADOW_MODEL: folder };
  service = await TestService.startWithoutKey(environment, own);
  service.operatorKey = 'anna-key';
  service.apiKey = await service.createKey('lab-a');
  for (let stone = 0; stone < CLAIMS; stone++) expect((await service.verify(claimOf(stone))).status).toBe(200);
});
afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('a shadow model', () => {
  it('leaves the answers as they are, to the byte', async () => {
    const alone = await TestService.start({}, own);
    try {
      for (const claim of [claimOf(1), mixedUpClaim(2)]) {
        const [first, second] = [await alone.verify(claim), await service.verify(claim)];
        // A receipt says when the claim was answered, and by whose key.
        const [one, other] = [first, second].map(({ body: { receipt, ...rest } }) => JSON.stringify(rest));
        expect(other).toBe(one);
      }
    } finally {
      await alone.stop();
    }
  });

  it('counts what counts, for a ladder of its own', async () => {
    const held = (await ladder(0.99)).claims_held;
    expect(held).toBeGreaterThan(0.9 * CLAIMS);
    expect(await heldAsShadow(held)).toBe(held);
    const test = await service.createKey('trial', { population: 'lab-a', kind: 'test' });
    await service.verify(claimOf(200), { 'x-api-key': test });
    await service.verify(claimOf(201), { 'x-svc-replay': '1', ...anna });
    await service.verify(claimOf(3));
    await service.verify({ ...claimOf(4), reject_target: 0.95 });
    await service.verify(claimOf(202));
    expect(await heldAsShadow(held + 1)).toBe(held + 1);
    expect((await ladder(0.99)).claims_held).toBe(held + 1);
    const [shadow, live] = [await proposalBy(other.digest), await proposalBy(own.digest)];
    expect([shadow.model, live.model]).toEqual([other.digest, own.digest]);
    expect(shadow.threshold).not.toBe(live.threshold);
    const [{ state, threshold }, { threshold: before }] = [await ladder(0.99, other.digest), await ladder(0.99)];
    expect([state, before - threshold]).toEqual(['uncalibrated', expect.closeTo(0.1, 10)]);
    const tried = await post('/api/v1/calibration/lab-a/rungs/0.99/dry-run', { model: other.digest });
    expect(tried).toMatchObject({
      status: 200,
      body: { model: other.digest, proposal_digest: shadow.digest },
    });
    expect((await get('/api/v1/model')).body.shadow_claims).toEqual({ scored: expect.any(Number) });
    for (const [status, model] of [
      [404, 'f'.repeat(64)],
      [400, 'newest'],
    ])
      expect((await get(`/api/v1/calibration?model=${model}`)).status).toBe(status);
  });

  it('scores a claim once, and makes up for a score that was lost when the claim is sent again', async () => {
    await reopen(false);
    const claim = claimOf(203);
    const { body } = await service.verify(claim);
    await reopen(true);
    const before = (await ladder(0.99, other.digest)).claims_held;
    for (let i = 0; i < 3; i++) await service.verify(claim);
    expect(await heldAsShadow(before + 1)).toBe(before + 1);
    const stream = streams.claim(credentialId(sha256, 'lab-a'), body.claim_id);
    const types = (await service.service.store.readStream(stream)).map(({ type }) => type);
    expect(types.filter((type) => type === 'ClaimShadowScored')).toHaveLength(1);
  });
});

describe('POST /api/v1/model/switch', () => {
  it('401 without an operator', async () => {
    expect((await post('/api/v1/model/switch', { model: other.digest, reason: 'r' }, {})).status).toBe(401);
    expect((await service.call('GET', '/api/v1/model')).status).toBe(401);
  });
  it.each([
    ['no reason', { reason: undefined }],
    ['a blank reason', { reason: ' ' }],
    ['a reason of 2,001 characters', { reason: 'x'.repeat(2001) }],
    ['a model that is no digest', { model: 'newest' }],
    ['an acceptance that is none', { accept_uncalibrated: 'yes' }],
    ['a field too many', { force: true }],
  ])('422 for %s', async (_, more) => {
    expect((await switchTo(other.digest, more)).status).toBe(422);
  });
  it('404 for a model that is not installed', async () => {
    expect((await switchTo('f'.repeat(64))).status).toBe(404);
  });
  it('409 for the live model', async () => {
    expect(await switchTo(own.digest)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('live already') },
    });
  });

  it('409 where a population would lose an approved rung, until that is approved under the other model', async () => {
    const proposal = await proposalBy(own.digest);
    expect(await approve(proposal.digest)).toMatchObject({ status: 200, body: { model: own.digest } });
    const refused = await switchTo(other.digest);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('lab-a (0.99)')]);
    const { body } = await get('/api/v1/model');
    expect(body).toMatchObject({ live: own.digest, switched: null });
    expect(body.installed).toMatchObject([
      { model: own.digest, live: true, shadow: false, populations_falling_back: [] },
      {
        model: other.digest,
        live: false,
        shadow: true,
        populations_falling_back: [{ population: 'lab-a', rungs: ['0.99'] }],
      },
    ]);
    expect(body.workers[0].models).toEqual([own.digest, other.digest]);

    const approved = await approve((await proposalBy(other.digest)).digest);
    expect(approved).toMatchObject({ status: 200, body: { model: other.digest, state: 'calibrated' } });
    expect(await ladder(0.99)).toMatchObject({ threshold: proposal.threshold });
    const { items } = (await get('/api/v1/calibration/lab-a/history')).body;
    expect(items.map((item: { proposal: { model: string } }) => item.proposal.model)).toEqual([
      own.digest,
      other.digest,
    ]);
  });

  it('200: the other model decides at once, by its own ladder and asset; the same command switches back', async () => {
    const claim = { ...claimOf(7), reject_target: 0.99 };
    const before = await service.verify(claim);
    const began = new Date();
    const answer = await switchTo(other.digest, { reason: 'retrained' });
    expect(answer).toMatchObject({
      status: 200,
      body: { live: other.digest, switched: { from: own.digest, operator: 'anna', reason: 'retrained' } },
    });
    const after = await service.verify(claim);
    const { threshold, evidence } = await ladder(0.99);
    expect(after.body.claim_id).not.toBe(before.body.claim_id);
    expect(after.body).toMatchObject({
      threshold,
      threshold_source: expect.stringMatching(`^population-calibrated: ${evidence.claims} claims`),
    });
    expect(evidence.model).toBe(other.digest);
    expect(after.body.member_cosines).not.toEqual(before.body.member_cosines);
    const lower = await service.verify({ ...claim, reject_target: 0.97 });
    expect(lower.body.threshold).toBeCloseTo(LOWEST + 0.07, 10);
    expect((await service.call('GET', '/api/v1')).body.model).toBe(other.digest);
    expect((await service.call('GET', '/health/ready')).body.model).toBe(other.digest);

    // Now the former model is the shadow.
    const held = (await ladder(0.99, own.digest)).claims_held;
    await service.verify(claimOf(210));
    expect(await heldAsShadow(held + 1, own.digest)).toBe(held + 1);
    const past = await get(`/api/v1/calibration/lab-a/history?as_of=${began.toISOString()}`);
    expect([past.body.model, rungOf(past, 0.99).evidence.model]).toEqual([own.digest, own.digest]);

    await service.service.close();
    await service.open();
    service.operatorKey = 'anna-key';
    expect((await service.verify(claim)).body).toEqual(after.body);
    expect((await switchTo(own.digest)).status).toBe(200);
    expect((await service.verify(claim)).body).toEqual(before.body);
  });

  it('is won by one of two operators', async () => {
    const answers = await Promise.all([switchTo(other.digest), switchTo(other.digest)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await switchTo(own.digest)).status).toBe(200);
  });

  it('200 where the operator accepts that populations fall back; the event names them', async () => {
    const withdrawal = { reason: 'too few stones', model: other.digest };
    expect((await post('/api/v1/calibration/lab-a/rungs/0.99/withdraw', withdrawal)).body).toMatchObject({
      model: other.digest,
      state: 'uncalibrated',
    });
    expect(await ladder(0.99)).toMatchObject({ state: 'calibrated' });
    expect((await switchTo(other.digest)).status).toBe(409);
    const { body } = await switchTo(other.digest, { accept_uncalibrated: true });
    expect(body.switched.populations_falling_back).toEqual(['lab-a']);
    expect((await service.verify({ ...claimOf(7), reject_target: 0.99 })).body.threshold_source).toMatch(
      /^shipped-default/,
    );
  });
});

describe('an approval under a model that was not live', () => {
  it('is in the audit bundle, and both verifiers find it sound', async () => {
    const bundle = await fetch(`${service.address}/api/v1/calibration/lab-a/audit.zip`, { headers: anna });
    const place = mkdtempSync(join(tmpdir(), 'mvs-bundle-'));
    try {
      writeFileSync(join(place, 'lab-a.zip'), Buffer.from(await bundle.arrayBuffer()));
      expect(await verifyBundle(join(place, 'lab-a.zip'))).toMatchObject({ code: 0, says: 'OK\n' });
      const python = ['/usr/bin/python3', '-c'] as const;
      if (spawnSync(python[0], [python[1], 'import numpy']).status === 0) {
        spawnSync(python[0], ['-m', 'zipfile', '-e', 'lab-a.zip', 'bundle'], { cwd: place });
        const { stdout } = spawnSync(python[0], [join(dirname(VERIFIER), 'verify.py')], {
          cwd: join(place, 'bundle'),
          encoding: 'utf8',
        });
        expect(stdout).toBe('OK\n');
      }
    } finally {
      rmSync(place, { recursive: true });
    }
  });
});

describe('a live model that is not installed', () => {
  it('is named by readiness, and no other model answers in its place, until an operator switches', async () => {
    await reopen(false);
    const ready = await service.call('GET', '/health/ready');
    expect([ready.status, ready.body.detail]).toEqual([503, expect.stringContaining(other.digest)]);
    for (const answer of [await service.verify(claimOf(7)), await get('/api/v1/calibration/lab-a')])
      expect([answer.status, answer.body.detail]).toEqual([503, expect.stringContaining(other.digest)]);
    expect((await get('/api/v1/model')).body).toMatchObject({ live: other.digest, installed: [{ live: false }] });
    expect((await switchTo(own.digest)).status).toBe(200);
    expect((await service.call('GET', '/health/ready')).status).toBe(200);
    expect((await service.verify(claimOf(7))).status).toBe(200);
  });
});

describe('MVS_SHADOW_MODEL', () => {
  it('does not start where its folder cannot be used, and says so', async () => {
    const start = TestService.start({ MVS_SHADOW_MODEL: join(folder, 'nowhere') }, own);
    await expect(start).rejects.toMatchObject({ name: 'ConfigurationError' });
    await expect(start).rejects.toThrow(/^MVS_SHADOW_MODEL=.*nowhere cannot be used: ENOENT/);
  });
});
