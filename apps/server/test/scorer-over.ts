/** A population's own scorer, from its claims to its withdrawal. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyBundle } from '#audit/unpack';
import { invariantsOf } from '#audit/valid-decisions';
import { type Double, LOG_SECRET, startDouble } from '../../../test/eventstoredb/double.js';
import { openDoubleLog } from '../../../test/eventstoredb/log.js';
import { until } from '../../../test/until.js';
import {
  claimOf,
  firstEncoderOf,
  projectionModel,
  TestService,
  writeModelFolder,
  writeScorerLadders,
} from './fixture.js';

type Answer = Awaited<ReturnType<TestService['verify']>>['body'];

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const anna = { 'x-svc-admin': 'anna-key' };
const ben = { 'x-svc-admin': 'ben-key' };
const CLAIMS = 45;
const BASE = '/api/v1/calibration/lab-a';
const SCORER = `${BASE}/scorer`;

/** The suite over one log. */
export const scorerOver = (log: 'SQLite' | 'EventStoreDB') =>
  describe(`a scorer over ${log}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'mvs-scorer-'));
    // Most of the time goes into fits, of which an encoder more takes twice as many.
    const model = log === 'SQLite' ? firstEncoderOf(projectionModel()) : projectionModel();
    let service: TestService;
    let double: Double | undefined;
    /** Of one claim, before the scorer and under it. */
    let raw: Answer;
    let scored: Answer;
    /** As it was approved. */
    let scorer: string;
    let withdrawnAt: Date;
    const at99 = { ...claimOf(100), reject_target: 0.99 };
    const get = (path: string) => service.call('GET', path, { headers: anna });
    const post = (path: string, body: object, headers: Record<string, string> = anna) =>
      service.json('POST', path, body, headers);
    const uncalibrated = (warnings: string[]) => warnings.find((one) => one.startsWith('Uncalibrated population'));
    const proposed = async () => {
      let record = await get(SCORER);
      await until(async () => {
        record = await get(SCORER);
        return record.body.proposal !== null;
      });
      return record.body;
    };

    beforeAll(async () => {
      writeModelFolder(folder, model);
      writeScorerLadders(folder, model);
      if (log === 'EventStoreDB') double = await startDouble(openDoubleLog(join(folder, 'double.db')));
      const environment = {
        MVS_OPERATOR_KEYS: `anna:${sha256('anna-key')},ben:${sha256('ben-key')}`,
        MVS_FOUR_EYES: 'yes',
        ...(double && { EVENTSTORE_URL: double.connectionString, MVS_LOG_SECRET: LOG_SECRET }),
      };
      service = await TestService.startWithoutKey(environment, undefined, [folder]);
      service.operatorKey = 'anna-key';
      service.apiKey = await service.createKey('lab-a');
    });
    afterAll(async () => {
      await service.stop();
      await double?.close();
      rmSync(folder, { recursive: true });
    });

    it('is proposed, tried, approved by two, and answers', async () => {
      expect((await service.verify(claimOf(0))).status).toBe(200);
      expect((await get(SCORER)).body).toMatchObject({
        scorer: 'raw',
        in_force: null,
        claims_held: 1,
        groups_needed: 10,
        proposal: null,
        no_proposal: '1 claims are held, a scorer needs 10 groups of distinct stones',
        approvals: [],
      });
      const digest = 'ab'.repeat(32);
      expect((await post(`${SCORER}/approve`, { reason: 'x', proposal_digest: digest })).status).toBe(409);
      expect((await post(`${SCORER}/dry-run`, {})).status).toBe(409);
      expect((await post(`${SCORER}/withdraw`, { reason: 'x' })).status).toBe(409);

      for (let stone = 1; stone < CLAIMS; stone++) expect((await service.verify(claimOf(stone))).status).toBe(200);

      // The warning gains its figure once it is recorded.
      await until(async () => {
        await service.service.watch!.check();
        return (await service.service.store.readStream('figure-lab%2Da')).length > 0;
      });
      raw = (await service.verify(claimOf(100))).body;
      expect(uncalibrated(raw.warnings)).toMatch(
        /^Uncalibrated population: .* 0\.98.*: here it accepts about \d+ of 1,000 wrong claims, measured on 30 stones$/,
      );
      expect(raw).toMatchObject({ scorer: 'raw', member_scores: raw.member_cosines });

      const { proposal } = await proposed();
      scorer = proposal.scorer;
      expect(proposal).toMatchObject({ groups: expect.any(Number), claims: expect.any(Number), model: model.digest });
      expect(proposal.rungs.map((one: { reject_target: number }) => one.reject_target)).toContain(0.98);
      const tried = await post(`${SCORER}/dry-run`, { reject_target: 0.99 });
      expect(tried).toMatchObject({ status: 200, body: { scorer: proposal.scorer, proposal_digest: proposal.digest } });
      expect((await post(`${SCORER}/dry-run`, { reject_target: 0.5 })).status).toBe(422);

      const approval = { reason: 'forty claims', proposal_digest: proposal.digest };
      const asked = await post(`${SCORER}/approve`, approval);
      expect(asked).toMatchObject({
        status: 202,
        body: { scorer: 'raw', awaiting_second_operator: { digest: proposal.digest, requested_by: 'anna' } },
      });
      expect((await service.verify(claimOf(101))).body.scorer).toBe('raw');
      expect((await post(`${SCORER}/approve`, approval)).status).toBe(409);
      // A process that dies here leaves parts and a request behind: raw scores decide, and the second operator goes on.
      await service.service.close();
      await service.open();
      service.operatorKey = 'anna-key';
      const parts = await service.service.store.readStream(`scorer-lab%2Da-${proposal.scorer}`);
      expect(parts.length).toBeGreaterThan(0);
      expect((await service.verify(claimOf(101))).body.scorer).toBe('raw');
      expect((await get(SCORER)).body.awaiting_second_operator).toMatchObject({ requested_by: 'anna' });
      const approved = await post(`${SCORER}/approve`, approval, ben);
      expect(await service.service.store.readStream(`scorer-lab%2Da-${proposal.scorer}`)).toEqual(parts);
      expect(approved).toMatchObject({
        status: 200,
        body: {
          scorer: 'population',
          in_force: { scorer: proposal.scorer, approved_by: 'ben', requested_by: 'anna', reason: 'forty claims' },
          approvals: [{ scorer: proposal.scorer, in_force: true, ended: null }],
          groups_needed: 100,
          proposal: null,
        },
      });

      scored = (await service.verify(claimOf(100))).body;
      expect(scored).toMatchObject({ scorer: 'population', member_cosines: raw.member_cosines });
      expect(scored.threshold_source).toMatch(/^shipped-default/);
      expect(scored.claim_id).not.toBe(raw.claim_id);
      expect(scored.fused_score).not.toBe(raw.fused_score);
      expect(scored.threshold).not.toBe(raw.threshold);
      expect(uncalibrated(scored.warnings)).not.toMatch(/here it accepts/);
      expect((await service.verify(claimOf(100))).body).toEqual(scored);
      const replayed = await service.verify(claimOf(100), { 'x-svc-replay': '1', ...anna });
      expect(replayed.body).toMatchObject({ scorer: 'population', fused_score: scored.fused_score });
    });

    it('is loaded as it is stored by a replica that did not fit it', async () => {
      await service.service.close();
      await service.open();
      service.operatorKey = 'anna-key';
      expect((await service.verify(claimOf(100))).body).toEqual(scored);
      const fresh = (await service.verify(claimOf(100), { 'x-svc-replay': '1', ...anna })).body;
      expect(fresh.fused_score).toBe(scored.fused_score);
    });

    it('has rungs of its own, which newer claims never move', async () => {
      const ladder = async () => (await get(BASE)).body;
      const rung99 = async () =>
        (await ladder()).rungs.find((one: { reject_target: number }) => one.reject_target === 0.99);
      await until(async () => (await rung99()).proposal !== null);
      const { proposal: threshold } = await rung99();
      expect((await ladder()).scorer).toBe(scorer);
      expect(threshold.method).toBe('mapped-cross-pairs/1');
      expect((await post(`${BASE}/rungs/0.99/dry-run`, {})).status).toBe(200);
      expect((await post(`${BASE}/rungs/0.99/dry-run`, { threshold: -1.5 })).status).toBe(200);
      const ofRung = { reason: 'in its scores', proposal_digest: threshold.digest };
      await post(`${BASE}/rungs/0.99/approve`, ofRung);
      expect(await post(`${BASE}/rungs/0.99/approve`, ofRung, ben)).toMatchObject({
        status: 200,
        body: { state: 'calibrated', threshold: threshold.threshold, scorer },
      });
      const calibrated = (await service.verify(at99)).body;
      expect(calibrated).toMatchObject({ scorer: 'population', threshold: threshold.threshold });
      expect(calibrated.threshold_source).toMatch(/^population-calibrated/);
    });

    it('is withdrawn: raw scores decide as before', async () => {
      withdrawnAt = new Date();
      expect(await post(`${SCORER}/withdraw`, { reason: 'just to see' }, ben)).toMatchObject({
        status: 200,
        body: {
          scorer: 'raw',
          in_force: null,
          approvals: [{ in_force: false, ended: { how: 'withdrawn', by: 'ben' } }],
        },
      });
      expect((await service.verify(claimOf(100))).body).toEqual(raw);
    });

    // Takes longest, and is the same over either log: the later suite has it.
    if (log === 'EventStoreDB')
      it('leaves no rung in force, is restored, and stays what it was', async () => {
        const lapsed = (await service.verify(at99)).body;
        expect(lapsed).toMatchObject({ scorer: 'raw', threshold_source: expect.stringMatching(/^shipped-default/) });

        const again = (await proposed()).proposal;
        const restored = { reason: 'as it was better', proposal_digest: again.digest };
        await post(`${SCORER}/approve`, restored);
        await post(`${SCORER}/approve`, restored, ben);
        expect((await service.verify(claimOf(100))).body.scorer).toBe('population');

        const past = await get(`${BASE}/history?as_of=${withdrawnAt.toISOString()}`);
        expect(past.body).toMatchObject({ scorer });
        expect(past.body.items.map((one: { event: string }) => one.event)).toEqual([
          'ScorerRequested',
          'ScorerApproved',
          'ApprovalRequested',
          'RungApproved',
        ]);
        const { scorer: inForce, audit_root: root, chain_root: continues } = (await get(`${BASE}/history`)).body;
        expect(inForce).toBe(again.scorer);
        const bundle = await fetch(`${service.address}${BASE}/audit.zip`, { headers: anna });
        const folder = mkdtempSync(join(tmpdir(), 'mvs-bundle-'));
        try {
          const file = join(folder, 'scored.zip');
          writeFileSync(file, Buffer.from(await bundle.arrayBuffer()));
          expect(await verifyBundle(file, { root, continues })).toMatchObject({ code: 0, says: 'OK\n' });
        } finally {
          rmSync(folder, { recursive: true });
        }
      });

    it('leaves a log without contradictions', async () => {
      const invariants = await invariantsOf(service.service.log);
      for await (const event of service.service.log.readAll()) {
        expect(invariants.check(event)).toEqual([]);
      }
    });
  });
