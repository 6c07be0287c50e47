/** A workspace's own lot scorer, from its history to its withdrawal. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { filesOfZip } from '#audit/test/forge';
import { credentialId } from '#keys/decide';
import { type MadeLot, madeLot } from '#science/lots/test/made-lots';
import { expectContract } from '../../apps/server/test/contract.js';
import { PATIENT, TestService } from '../../apps/server/test/fixture.js';
import { holdLot } from '../../apps/server/test/held-lots.js';
import { plainLot, Trader } from '../../apps/server/test/lots.js';
import { lotFiles } from '../../lab/lots/lot-files.js';
import { until } from '../../test/until.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const anna = { 'x-svc-admin': 'anna-key' };
const ben = { 'x-svc-admin': 'ben-key' };
const WORKSPACES = '/api/lotscan/workspaces';
const SCORER = `${WORKSPACES}/{token_prefix}/scorer`;

let service: TestService;
let trader: Trader;
let path: string;
/** A lot of the same trader, sent as scans; a fifth of it came back exchanged. */
const order = { family: 'second', seed: 9, parcel: 0, stones: 10, session: 'shaken', scans: 3, twins: false } as const;
const sent = lotFiles({ ...order, substitution: 0.2 });
const { return: truth } = JSON.parse(
  new TextDecoder().decode(sent.files.find(({ name }) => name === 'truth.json')!.data),
);
const filesOf = (visit: string) =>
  sent.files
    .filter(({ name }) => name.startsWith(`${visit}/`))
    .map(({ name, data }) => ({ name: name.slice(visit.length + 1), data: Uint8Array.from(data) }));

const workspaceOf = (name: string) => ({ id: credentialId(sha256, name), name });
const pathOf = (name: string) => `${WORKSPACES}/mvs_lots_${credentialId(sha256, name)}/scorer`;
const get = (at = path) => service.call('GET', at, { headers: anna });
const post = (what: string, body: object, headers = anna, at = path) =>
  service.json('POST', `${at}/${what}`, body, headers);
const proposed = async (at = path) => {
  let record = await get(at);
  await until(async () => {
    record = await get(at);
    return record.body.proposal !== null;
  });
  expectContract(SCORER, 'get', record);
  return record.body;
};

beforeAll(async () => {
  const operators = `anna:${sha256('anna-key')},ben:${sha256('ben-key')}`;
  service = await TestService.startWithoutKey({ ...PATIENT, MVS_OPERATOR_KEYS: operators, MVS_FOUR_EYES: 'yes' });
  service.operatorKey = 'anna-key';
  trader = await Trader.in(service, 'trader');
  path = pathOf('trader');
});
afterAll(() => service.stop());

describe('before there is anything to fit', () => {
  it('says why there is no proposal, and refuses what names one', async () => {
    const record = await get();
    expectContract(SCORER, 'get', record);
    expect(record.body).toMatchObject({ scorer: 'shipped', in_force: null, proposal: null, lots: 0, lots_needed: 5 });
    const body = { reason: 'to try', proposal_digest: 'a'.repeat(64) };
    expect((await post('approve', body)).status).toBe(409);
    expect((await get(`${path}/audit.zip`)).status).toBe(409);
    expect((await post('withdraw', { reason: 'to try' })).body.detail).toContain('the shipped scorer decides already');
    expect((await post('approve', { reason: 'x' })).status).toBe(422);
    expect((await get(`${WORKSPACES}/mvs_lots_${'0'.repeat(16)}/scorer`)).status).toBe(404);
    expect((await service.call('GET', path, { headers: trader.headers })).status).toBe(401);
  });

  it('says at home that today’s scorer is better', async () => {
    const home = await Trader.in(service, 'at home');
    const { enrol } = await plainLot();
    expect((await home.enrol(enrol, { name: 'spring', session_type: 'shaken' })).body.fit.usual).toBe(true);
    const { body } = await get(pathOf('at home'));
    expect(body.no_proposal).toBe('none of the lots is unusual, and the shipped scorer suits usual lots better');
  });
});

describe('no scorer is made of', () => {
  const copies = (count: number) => Array.from({ length: count }, (_, i) => ({ ...madeLot(0), lot_id: `copy ${i}` }));
  it.each<[string, string, number, () => MadeLot[]]>([
    ['one lot that is checked 40 times', '1 marked lots have a check', 40, () => [madeLot(0)]],
    ['copies of one lot', 'there is 1, and 5 more of stones that stand in another lot', 1, () => copies(6)],
    [
      'returns that are mostly foreign',
      'most of what came back seems to belong to no lot',
      1,
      () => Array.from({ length: 6 }, (_, i) => madeLot(i, { exchanged: i < 2 ? 4 : 20 })),
    ],
  ])('%s: the record says why, and an approval is refused with the reason', async (name, why, checks, lots) => {
    await Trader.in(service, name);
    for (const lot of lots()) await holdLot(service.service.store, workspaceOf(name), lot, checks);
    const at = pathOf(name);
    await until(async () => (await get(at)).body.no_proposal.includes(why));
    const asked = await post('approve', { reason: 'to try', proposal_digest: 'a'.repeat(64) }, anna, at);
    expect([asked.status, asked.body.detail]).toEqual([409, expect.stringContaining(why)]);
  });
});

describe('a trader with lots that the model does not know', () => {
  let lotId: string;
  let before: Awaited<ReturnType<Trader['check']>>['body'];
  let after: typeof before;
  let digest: string;

  beforeAll(async () => {
    for (let parcel = 0; parcel < 9; parcel++)
      await holdLot(service.service.store, workspaceOf('trader'), madeLot(parcel));
    const lot = await trader.enrol(filesOf('enrol'), { name: 'autumn', session_type: 'shaken' });
    lotId = lot.body.lot_id;
    before = (await trader.check(lotId, filesOf('return'), { session_type: 'shaken' })).body;
  });

  it('is told at first that the lot is unlike, and decided by the shipped scorer', () => {
    expect(before).toMatchObject({ scorer: 'shipped', workspace_scorer: null, fit: { usual: false } });
    expect(before.verdict).toContain('Not to be relied on');
  });

  it('gets a proposal with what it rests on and what it would bring', async () => {
    const { proposal, lots, lots_marked, lots_checked } = await proposed();
    expect([lots, lots_marked, lots_checked]).toEqual([10, 10, 10]);
    expect(proposal.rests_on).toHaveLength(10);
    expect(proposal.caught.workspace).toBeGreaterThan(proposal.caught.shipped + 0.1);
    expect(proposal.one_stone_false_accept.workspace).toBeLessThan(proposal.one_stone_false_accept.shipped);
    expect(proposal.changed.length).toBeGreaterThan(0);
  });

  it('needs two operators; a check later does not move what they saw', async () => {
    const { proposal } = await proposed();
    digest = proposal.proposal_digest;
    const asked = await post('approve', { reason: 'half are missed', proposal_digest: digest });
    expectContract(`${SCORER}/approve`, 'post', asked);
    expect([asked.status, asked.body.scorer]).toEqual([202, 'shipped']);
    expect((await post('approve', { reason: 'again', proposal_digest: digest })).body.detail).toContain('second named');
    await holdLot(service.service.store, workspaceOf('trader'), madeLot(9));
    const approved = await post('approve', { reason: 'seen too', proposal_digest: digest }, ben);
    expect([approved.status, approved.body.scorer]).toEqual([200, 'workspace']);
    expect(approved.body.in_force).toMatchObject({ approved_by: 'ben', requested_by: 'anna', lots: 10 });
    const twice = await post('approve', { reason: 'once more', proposal_digest: digest }, ben);
    expect(twice.status).toBe(409);
  });

  it('has the next check decided by it; the old one says what decided it', async () => {
    const checked = await trader.check(lotId, filesOf('return'), { session_type: 'shaken' });
    expectContract('/api/lotscan/lots/{lot_id}/check', 'post', checked);
    after = checked.body;
    expect(after.check_id).not.toBe(before.check_id);
    expect(after).toMatchObject({ scorer: 'workspace', workspace_scorer: { lots: 10 } });
    expect(after.verdict).not.toContain('Not to be relied on');
    expect(after.warnings[0]).toContain('Workspace’s own scorer: it decided');
    expect([after.false_accept.measured, after.stones[0].probability]).toEqual([null, null]);
    // The shipped scorer takes a substitute for M10; the workspace's own decides every stone as it is.
    const wrong = ({ stones }: typeof before) =>
      stones.flatMap(({ stone, member }: { stone: string; member: string | null }) =>
        truth[stone] === (member ?? 'substitute') ? [] : [[stone, member]],
      );
    expect([wrong(before), wrong(after)]).toEqual([[['P04', 'M10']], []]);
    const again = await trader.check(lotId, filesOf('return'), { session_type: 'shaken' });
    expect(again.body).toEqual(after);
    expect((await trader.get(`/lots/${lotId}/checks/${before.check_id}`)).body).toEqual(before);
    for (const [printed, says] of [
      ['report', 'the workspace’s own'],
      ['tray.svg', 'the workspace’s own'],
    ])
      expect((await trader.get(`/lots/${lotId}/checks/${after.check_id}/${printed}`)).body).toContain(says);
  });

  it('rehearses under it, and promises a share again', async () => {
    const { body } = await trader.rehearse(lotId, { draws: 20 });
    expect(body).toMatchObject({ scorer: 'workspace', workspace_scorer: { lots: 10 } });
    expect(body.caught).not.toBeNull();
  });

  it('keeps the scorer when a lot is corrected or retired after the fit', async () => {
    const { in_force } = (await get()).body;
    const [{ lot_id }] = in_force.evidence.rests_on;
    const patch = (body: object) => service.json('PATCH', `/api/lotscan/lots/${lot_id}`, body, trader.headers);
    expect((await patch({ session_type: 'table-up' })).status).toBe(200);
    expect((await service.call('DELETE', `/api/lotscan/lots/${lot_id}`, { headers: trader.headers })).status).toBe(200);
    const { body } = await trader.check(lotId, filesOf('return'), { session_type: 'shaken' });
    expect(body).toEqual(after);
  });

  it('is returned to the shipped scorer, whose check it finds again', async () => {
    const withdrawn = await post('withdraw', { reason: 'another supplier' }, ben);
    expectContract(`${SCORER}/withdraw`, 'post', withdrawn);
    expect(withdrawn.body).toMatchObject({ scorer: 'shipped', in_force: null });
    expect(withdrawn.body.approvals).toMatchObject([{ in_force: false, ended: { how: 'withdrawn', by: 'ben' } }]);
    expect((await trader.check(lotId, filesOf('return'), { session_type: 'shaken' })).body).toEqual(before);
    expect((await post('approve', { reason: 'late', proposal_digest: digest })).status).toBe(409);
  });

  it('has its decisions in a bundle for an auditor', async () => {
    const bundle = await fetch(`${service.address}${path}/audit.zip`, { headers: anna });
    expect([bundle.status, bundle.headers.get('content-type')]).toEqual([200, 'application/zip']);
    const file = join(mkdtempSync(join(tmpdir(), 'mvs-lot-bundle-')), 'bundle.zip');
    writeFileSync(file, Buffer.from(await bundle.arrayBuffer()));
    const files = await filesOfZip(file);
    rmSync(dirname(file), { recursive: true });
    const { workspace, decisions } = JSON.parse(String(files.get('decisions.json')));
    expect(workspace).toEqual(workspaceOf('trader'));
    expect(decisions.map((one: { event: string }) => one.event)).toEqual([
      'LotScorerRequested',
      'LotScorerApproved',
      'LotScorerWithdrawn',
    ]);
  });
});
