import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyBundle } from '#audit/unpack';
import { newEventId } from '#kit/log/event-id';
import { keyOf, proposalOf, TestLog } from '#kit/views/test/log';
import { expectContract } from '../../apps/server/test/contract.js';
import { type Answered, claimOf, TestService } from '../../apps/server/test/fixture.js';
import { chainRoot } from './chain.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const OPERATORS = `anna:${sha256('anna-key')},ben:${sha256('ben-key')}`;
const anna = { 'x-svc-admin': 'anna-key' };
const ben = { 'x-svc-admin': 'ben-key' };
const BASE = '/api/v1/calibration/lab-a';
const CLAIMS = 80;

let service: TestService;
const get = (path: string, headers: Record<string, string> = anna) => service.call('GET', path, { headers });
const post = (path: string, body: unknown, headers: Record<string, string> = anna) =>
  service.json('POST', path, body, headers);
const rungOf = ({ body }: Answered, rung: number) =>
  body.rungs.find((one: { reject_target: number }) => one.reject_target === rung);
const restart = async (settings: Record<string, string> = {}) => {
  await service.service.close();
  Object.assign(service.environment, settings);
  await service.open();
  service.operatorKey = 'anna-key';
};
/** A proposal, seen by its digest. */
const approve = (rung: number, reason: string, proposal_digest: string, headers?: Record<string, string>) =>
  post(`${BASE}/rungs/${rung}/approve`, { reason, proposal_digest }, headers);
const proposalAt = async (rung: number) => rungOf(await get(BASE), rung).proposal;

beforeAll(async () => {
  service = await TestService.startWithoutKey({ MVS_OPERATOR_KEYS: OPERATORS });
  service.operatorKey = 'anna-key';
  service.apiKey = await service.createKey('lab-a');
  for (let stone = 0; stone < CLAIMS; stone++) expect((await service.verify(claimOf(stone))).status).toBe(200);
});
afterAll(() => service.stop());

describe('GET /api/v1/calibration/{population}/scores', () => {
  it('200: histograms of all counted claims and all pairs, with what decides and what they give', async () => {
    const answer = await get(`${BASE}/scores`);
    expectContract('/api/v1/calibration/{population}/scores', 'get', answer);
    const { body } = answer;
    const shown = await get(BASE);
    const sum = (counts: number[]) => counts.reduce((all, one) => all + one, 0);
    const { claims, pairs, threshold } = rungOf(shown, 0.98).proposal;
    expect([body.claims, body.pairs]).toEqual([claims, pairs]);
    expect([sum(body.genuine), sum(body.wrong)]).toEqual([claims, pairs]);
    expect(body.genuine.length).toBe(body.wrong.length);
    expect(sum(body.labelled_no_match)).toBe(0);
    expect(rungOf(answer, 0.98)).toEqual({
      reject_target: 0.98,
      threshold: rungOf(shown, 0.98).threshold,
      threshold_source: rungOf(shown, 0.98).threshold_source,
      measured: threshold,
    });
    // 2% of the pairs lie above, to within those of the threshold's own bin.
    const bin = Math.floor((threshold - body.from) / body.width);
    expect(sum(body.wrong.slice(bin + 1))).toBeLessThanOrEqual(0.02 * pairs);
    expect(sum(body.wrong.slice(bin))).toBeGreaterThanOrEqual(Math.floor(0.02 * pairs));
  });

  it('404, 400: an unknown population or model, a malformed digest', async () => {
    expect((await get('/api/v1/calibration/nowhere/scores')).status).toBe(404);
    expect((await get(`${BASE}/scores?model=${'0'.repeat(64)}`)).status).toBe(404);
    expect((await get(`${BASE}/scores?model=x`)).status).toBe(400);
  });
});

describe('GET /api/v1/calibration 200', () => {
  it('counts claims, and proposes where there are enough', async () => {
    const shown = await get(BASE);
    expect(shown.status).toBe(200);
    expect(shown.body.rungs.map((one: { reject_target: number }) => one.reject_target)).toEqual([
      0.99, 0.98, 0.97, 0.96, 0.95, 0.94, 0.93, 0.92, 0.91, 0.9,
    ]);
    const held = rungOf(shown, 0.98).claims_held;
    expect(held).toBeGreaterThanOrEqual(75);
    expect(rungOf(shown, 0.98)).toMatchObject({
      state: 'uncalibrated',
      threshold_source: expect.stringMatching(/^shipped-default/),
      approved_by: null,
      claims_needed: 75,
      proposal: {
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        roughs: held,
        claims: held,
        threshold: expect.any(Number),
        interval: [expect.any(Number), expect.any(Number)],
        wrong_per_1000: expect.any(Number),
        expected_genuine_accept: null,
        expected_genuine_accept_reason: 'too few claims',
      },
    });
    const { wrong_per_1000 } = rungOf(shown, 0.98).proposal;
    expect(wrong_per_1000).toBeLessThanOrEqual(20);
    expect(wrong_per_1000).toBeGreaterThan(19);
    expect(rungOf(shown, 0.97)).toMatchObject({ claims_needed: 150, proposal: null });
    expect(rungOf(shown, 0.91)).toMatchObject({ claims_needed: null, proposal: null });
    const { body } = await get('/api/v1/calibration');
    expect(body.items).toEqual([shown.body]);
    expect(body.next_cursor).toBeNull();
  });

  it('does not count replays, repeats, other rungs and keys on the same sets, test keys, refused and off-manifold input', async () => {
    const before = rungOf(await get(BASE), 0.98);
    const replay = { 'x-svc-replay': '1', ...anna };
    expect((await service.verify(claimOf(200), replay)).status).toBe(200);
    expect((await service.verify(claimOf(3))).status).toBe(200);
    expect((await service.verify({ ...claimOf(4), reject_target: 0.95 })).status).toBe(200);
    const test = await service.createKey('trial', { population: 'lab-a', kind: 'test' });
    expect((await service.verify(claimOf(201), { 'x-api-key': test })).status).toBe(200);
    const second = await service.createKey('second machine', { population: 'lab-a' });
    expect((await service.verify(claimOf(5), { 'x-api-key': second })).status).toBe(200);
    const planted = (change: (value: number, i: number) => number) => {
      const claim = claimOf(202);
      return {
        ...claim,
        polish: { ...claim.polish, spectra: claim.polish.spectra.map((values) => values.map(change)) },
      };
    };
    expect((await service.verify(planted(() => 0.5))).status).toBe(400);
    const off = await service.verify(planted((value, i) => value + 0.003 * Math.sin((i * i) / 900)));
    expect(off).toMatchObject({ status: 200, body: { polish_detail_residual: expect.any(Number) } });
    expect(off.body.warnings.join()).toMatch(/off-manifold/i);
    const after = rungOf(await get(BASE), 0.98);
    expect([after.claims_held, after.proposal.digest]).toEqual([before.claims_held, before.proposal.digest]);
    // The vectors of 201 were banked by the test key; a production claim on them counts.
    expect((await service.verify(claimOf(201))).status).toBe(200);
    expect(rungOf(await get(BASE), 0.98).claims_held).toBe(before.claims_held + 1);
  });
});

describe('approve, in the order of its checks', () => {
  const path = (rung: string | number, population = 'lab-a') =>
    `/api/v1/calibration/${population}/rungs/${rung}/approve`;
  const digest = 'ab'.repeat(32);

  it('401 before anything else', async () => {
    for (const headers of [{}, { 'x-svc-admin': 'nobody' }])
      expect((await post(path(0.5, 'nowhere'), '{', headers as never)).status).toBe(401);
  });
  it('404 for an unknown population or rung, whatever the body', async () => {
    expect((await post(path(0.98, 'nowhere'), {})).status).toBe(404);
    for (const rung of ['0.5', '1', '98', 'x', '0.985']) expect((await post(path(rung), {})).status).toBe(404);
    for (const gone of ['/api/v1/calibration/nowhere', '/api/v1/calibration/nowhere/history'])
      expect((await get(gone)).status).toBe(404);
  });
  it.each([
    ['no reason', { proposal_digest: digest }],
    ['a blank reason', { reason: '  ', proposal_digest: digest }],
    ['a reason of 2,001 characters', { reason: 'x'.repeat(2001), proposal_digest: digest }],
    ['no digest', { reason: 'because' }],
    ['a digest that is none', { reason: 'because', proposal_digest: 'ab' }],
    ['no object', []],
  ])('422 for %s, even at 0.91', async (_, body) => {
    expect((await post(path('0.91'), body)).status).toBe(422);
    expect((await post(path('0.98'), body)).status).toBe(422);
  });
  it.each(['a\0b', '\ud800'])('422 for the reason %j, which is no text', async (reason) => {
    expect((await post(path('0.98'), { reason, proposal_digest: digest })).status).toBe(422);
  });
  it('takes null for left out', async () => {
    const of = '/api/v1/calibration/lab-a/rungs/0.99';
    expect((await post(`${of}/withdraw`, { reason: 'because', model: null })).status).toBe(409);
    expect((await post(`${of}/dry-run`, { model: null, threshold: null })).status).toBe(200);
    expect((await post(`${of}/approve`, { reason: null, proposal_digest: digest })).status).toBe(422);
  });
  it('409 at 0.91 and 0.90, without enough claims, and for an unknown proposal', async () => {
    for (const rung of ['0.91', '0.90', '0.9', '0.97', '0.98'])
      expect((await post(path(rung), { reason: 'because', proposal_digest: digest })).status).toBe(409);
  });
});

describe('an approval', () => {
  it('decides from the next answer on, at that rung only, until it is withdrawn', async () => {
    const before = await service.verify(claimOf(7));
    const proposal = await proposalAt(0.98);
    // Newer claims do not spoil what the operator saw.
    await service.verify(claimOf(300));
    const answer = await approve(0.98, 'eighty claims', proposal.digest);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        population: 'lab-a',
        reject_target: 0.98,
        state: 'calibrated',
        threshold: proposal.threshold,
        approved_by: 'anna',
        reason: 'eighty claims',
        evidence: { digest: proposal.digest, claims: proposal.claims },
      },
    });
    const { body } = await service.verify(claimOf(7));
    const date = answer.body.approved_at.slice(0, 10);
    expect(body.threshold_source).toBe(
      `population-calibrated: ${proposal.claims} claims, ${proposal.roughs} roughs, approved ${date}`,
    );
    expect(body).toMatchObject({ threshold: proposal.threshold, expected_genuine_accept: null });
    expect(body.p_match_5050).toBe(before.body.p_match_5050);
    expect(body.claim_id).not.toBe(before.body.claim_id);
    const carriedOver = (warnings: string[]) => warnings.filter((one) => /uncalibrated|unvalidated/i.test(one)).length;
    expect([carriedOver(before.body.warnings), carriedOver(body.warnings)]).toEqual([2, 0]);

    const other = await service.verify({ ...claimOf(7), reject_target: 0.97 });
    expect(other.body.threshold_source).toMatch(/^shipped-default/);
    expect(carriedOver(other.body.warnings)).toBe(2);

    // The same proposal a second time, and one of before the approval at another rung: both are spoiled.
    const again = await approve(0.98, 'again', proposal.digest, ben);
    expect(again.status).toBe(409);

    const history = await get(`${BASE}/history`);
    expect(history.body.items).toMatchObject([{ event: 'RungApproved', operator: 'anna', reason: 'eighty claims' }]);
    const past = await get(`${BASE}/history?as_of=2001-01-01T00:00:00Z`);
    expect(past.body.items).toEqual([]);
    expect(rungOf(past, 0.98)).toMatchObject({ state: 'uncalibrated' });
    expect(rungOf(await get(`${BASE}?as_of=${new Date(Date.now() + 1000).toISOString()}`), 0.98)).toMatchObject({
      state: 'calibrated',
      threshold: proposal.threshold,
    });
    expect((await get(`${BASE}/history?as_of=yesterday`)).status).toBe(400);

    expect((await post(`${BASE}/rungs/0.98/withdraw`, {})).status).toBe(422);
    expect((await post(`${BASE}/rungs/0.97/withdraw`, { reason: 'why not' })).status).toBe(409);
    const withdrawn = await post(`${BASE}/rungs/0.98/withdraw`, { reason: 'new instrument' }, ben);
    expect(withdrawn).toMatchObject({ status: 200, body: { state: 'uncalibrated', approved_by: null } });
    const after = await service.verify(claimOf(7));
    expect(after.body).toMatchObject({ threshold: before.body.threshold });
    expect(after.body.claim_id).not.toBe(body.claim_id);
    expect((await get(`${BASE}/history`)).body.items).toMatchObject([{}, { event: 'RungWithdrawn', operator: 'ben' }]);
  });

  it('is won by one of two operators', async () => {
    const { digest } = await proposalAt(0.98);
    const other = await proposalAt(0.99);
    const answers = await Promise.all([
      approve(0.98, 'mine', digest, anna),
      approve(0.99, 'no, mine', other.digest, ben),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('goes into an audit bundle, with the root digest that the history shows and the key that the service shows', async () => {
    const url = `${service.address}${BASE}/audit.zip`;
    expect((await fetch(url)).status).toBe(401);
    expect((await get('/api/v1/calibration/nowhere/audit.zip')).status).toBe(404);
    const answer = await fetch(url, { headers: anna });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip']);
    const { chain_root } = (await get(`${BASE}/history`)).body;
    expect(answer.headers.get('content-disposition')).toMatch(
      new RegExp(`^attachment; filename="audit-lab-a-\\d{4}-\\d\\d-\\d\\d-[0-9]+-${chain_root.slice(0, 12)}\\.zip"$`),
    );
    const folder = mkdtempSync(join(tmpdir(), 'mvs-bundle-'));
    try {
      const file = join(folder, 'lab-a.zip');
      writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
      const { audit_root: root, chain_root: continues } = (await get(`${BASE}/history`)).body;
      const [{ public_key: key }] = (await get('/api/v1')).body.audit_keys;
      const found = await verifyBundle(file, { root, key, continues });
      expect(found).toMatchObject({ code: 0, says: 'OK\n', signed_by: key });
      expect(found.remarks).toMatch(
        /\nevents: [1-9]\d* sealed, 0 taken by an operator as they stood, 0 without a seal\n/,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is there after a restart, and so is what an operator saw before, though newer claims came', async () => {
    const before = await get(BASE);
    await restart();
    expect((await get(BASE)).body).toEqual(before.body);
    const open = before.body.rungs.find(
      (one: { state: string; proposal: unknown }) => one.proposal && one.state === 'uncalibrated',
    );
    await restart();
    expect((await service.verify(claimOf(301))).status).toBe(200);
    const { digest, claims } = open.proposal;
    const approved = await approve(open.reject_target, 'seen', digest);
    expect(approved).toMatchObject({ status: 200, body: { evidence: { digest, claims }, claims_held: claims + 1 } });
  });
});

describe('dry run 200', () => {
  it('lists which claims would change, with their labels', async () => {
    const ids = await Promise.all([8, 9].map(async (stone) => (await service.verify(claimOf(stone))).body));
    const [low, high] = ids.map((one) => one.fused_score).sort();
    await service.json(
      'POST',
      '/api/v1/expected',
      ids.map(({ claim_id }) => ({ claim_id, expected: 'match' })),
      { 'x-api-key': service.apiKey },
    );
    const all = await post(`${BASE}/rungs/0.95/dry-run`, { threshold: 1 });
    expect(all.status).toBe(200);
    const { to_match, to_no_match, threshold, claims } = all.body;
    expect(to_match.total).toBe(0);
    expect(to_no_match.labelled_match).toBe([low, high].filter((score) => score > threshold).length);
    expect(to_no_match.total).toBeLessThanOrEqual(claims);
    for (const claim of to_no_match.claims)
      expect([claim.fused_score > threshold, claim.before, claim.after]).toEqual([true, 'MATCH', 'NO_MATCH']);
    const own = await post(`${BASE}/rungs/0.98/dry-run`, {});
    expect(own).toMatchObject({ status: 200, body: { tried_threshold: (await proposalAt(0.98)).threshold } });
    expect((await post(`${BASE}/rungs/0.92/dry-run`, {})).status).toBe(409);
    expect((await post(`${BASE}/rungs/0.98/dry-run`, { threshold: 'high' })).status).toBe(422);
  });
});

describe('drift', () => {
  it('alarms where what was approved no longer fits the claims', async () => {
    const shown = await get(BASE);
    for (const { drift, state } of shown.body.rungs) {
      const since = state === 'calibrated' ? { claims_since: expect.any(Number), interval_now: expect.any(Array) } : {};
      expect(drift).toMatchObject({ alarm: false, status: 'gathering', baseline: 'approved', measures: [], ...since });
    }
    const { shipped_wrong_per_1000: _, proposal_digest: __, ...proposal } = await proposalAt(0.99);
    const at = '2026-11-01T00:00:00.000Z';
    const of = { population: 'lab-a', reject_target: 0.99, operator: 'anna', reason: 'another instrument', at };
    const chain = chainRoot('lab-a', await service.service.log.readStream('calibration-lab%2Da'));
    const tried = { ...proposal, threshold: proposal.interval[1] + 0.01 };
    const data = { ...of, proposal: tried, requested_by: null, chain };
    await service.service.log.append(
      'calibration-lab%2Da',
      [{ id: newEventId(), type: 'RungApproved', version: 2, data }],
      'stream_exists',
    );
    expect(rungOf(await get(BASE), 0.99).drift).toMatchObject({ alarm: true, threshold_outside_interval: true });
    expect((await post(`${BASE}/rungs/0.99/withdraw`, { reason: 'drift' })).body.drift).toBeNull();
  });
});

describe('an approval under a model that is not installed', () => {
  it('is named by the population and by the health’s detail, and the shipped default decides', async () => {
    const past = new TestLog();
    const model = 'f'.repeat(64);
    for (let n = 0; n < CLAIMS; n++) {
      const stone = { stone: `${n}` };
      past.claim({ key: keyOf('moved'), rough: stone, polish: stone, model });
    }
    const decided = { population: 'moved', reject_target: 0.98, operator: 'anna', reason: 'r', at: past.now() };
    const proposal = proposalOf({ model, claims: CLAIMS });
    const data = { ...decided, proposal, requested_by: null, chain: chainRoot('moved', []) };
    past.append('calibration-moved', { type: 'RungApproved', version: 2, data });
    for (const { stream, revision: _, position: __, ...event } of past.events)
      await service.service.log.append(stream, [{ ...event, id: newEventId() }], 'any');
    const shown = await get('/api/v1/calibration/moved');
    expect(shown.body).toMatchObject({ models_not_installed: ['f'.repeat(64)], detail: expect.any(String) });
    expect(rungOf(shown, 0.98)).toMatchObject({ state: 'uncalibrated' });
    const { body } = await get('/api/v1/calibration');
    expect(body.items.map((one: { models_not_installed?: string[] }) => one.models_not_installed)).toContainEqual([
      'f'.repeat(64),
    ]);
    const detail = await service.call('GET', '/health/detail', { headers: anna });
    expect(detail).toMatchObject({
      status: 200,
      body: { parts: { calibration: { models_not_installed: [{ population: 'moved', model: 'f'.repeat(64) }] } } },
    });
  });
});

describe('under the four-eyes rule', () => {
  it('the request of an operator who is none any more lapses', async () => {
    const restartWith = (MVS_OPERATOR_KEYS: string) => restart({ MVS_FOUR_EYES: 'yes', MVS_OPERATOR_KEYS });
    await restartWith(OPERATORS);
    const { digest } = await proposalAt(0.99);
    const approveBy = (headers: Record<string, string>) => approve(0.99, 'seen', digest, headers);
    expect((await approveBy(anna)).body.awaiting_second_operator).toMatchObject({ requested_by: 'anna' });
    for (const annas of ['', `anna:${sha256('anna-key')}:audit,`]) {
      await restartWith(`${annas}ben:${sha256('ben-key')}`);
      expect(rungOf(await get(BASE, ben), 0.99).awaiting_second_operator).toBeNull();
    }
    expect((await approveBy(ben)).body).toMatchObject({
      state: 'uncalibrated',
      awaiting_second_operator: { requested_by: 'ben' },
    });
    await restartWith(OPERATORS);
    expect((await approveBy(anna)).body).toMatchObject({ approved_by: 'anna', requested_by: 'ben' });
  });

  it('an approval needs a second named operator', async () => {
    const { digest } = await proposalAt(0.98);
    const approveBy = (headers: Record<string, string>) => approve(0.98, 'seen', digest, headers);
    const before = rungOf(await get(BASE), 0.98).approved_at;
    const first = await approveBy(anna);
    expect(first).toMatchObject({ status: 202, body: { awaiting_second_operator: { requested_by: 'anna', digest } } });
    expect(first.body.approved_at).toBe(before);
    expect((await approveBy(anna)).status).toBe(409);
    expect(await approveBy(ben)).toMatchObject({
      status: 200,
      body: { state: 'calibrated', approved_by: 'ben', requested_by: 'anna', awaiting_second_operator: null },
    });
  });
});
