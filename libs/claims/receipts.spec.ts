import { createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compactVerify, createLocalJWKSet, SignJWT } from 'jose';
import { InvalidReceipt, type ReceiptKeys, verifyReceipt } from '#client';
import { secretId } from '#kit/log/seal';
import { claimOf, TestService } from '../../apps/server/test/fixture.js';
import { type Double, startDouble } from '../../test/eventstoredb/double.js';
import { openDoubleLog } from '../../test/eventstoredb/log.js';
import { storedClaim } from './queries-claim.js';
import { Receipts } from './receipts.js';

const STONES = 10;
const SECRETS = ['first-secret-of-32-characters-xx', 'second-secret-of-32-characters-x'];

let service: TestService;
let receipts: string[];
let keys: ReceiptKeys;
beforeAll(async () => {
  service = await TestService.start({ MVS_LOG_SECRET: SECRETS[0] });
  const claims = Array.from({ length: STONES }, (_, i) => claimOf(i));
  receipts = [];
  for (const { rough } of claims)
    for (const { polish } of claims) receipts.push((await service.verify({ rough, polish })).body.receipt);
  keys = (await service.call('GET', '/api/v1')).body.receipt_keys;
});
afterAll(() => service.stop());

/** With what Node has, as another program would. */
function verifiedByHand(receipt: string): boolean {
  const [head, body, signature] = receipt.split('.');
  const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString());
  const jwk = keys.keys.find((key) => key.kid === kid)!;
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
  return verify(null, Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'));
}

const kidOf = (receipt: string) => JSON.parse(Buffer.from(receipt.split('.')[0], 'base64url').toString()).kid;
const partsOf = (receipt: string) => receipt.split('.').map((part) => Buffer.from(part, 'base64url'));
const joined = (parts: Buffer[]) => parts.map((part) => part.toString('base64url')).join('.');

/** Each receipt with another bit of it changed. */
function withOneBitChanged(receipt: string, at: number): string {
  const parts = partsOf(receipt);
  const part = parts[at % 3];
  part[(7 * at) % part.length] ^= 1 << (at % 8);
  return joined(parts);
}

it('verifies 100 of 100 by hand, by a JOSE library and by the client, and none with one bit changed', async () => {
  const set = createLocalJWKSet({ keys: keys.keys });
  expect(receipts).toHaveLength(STONES * STONES);
  for (const [i, receipt] of receipts.entries()) {
    expect(verifiedByHand(receipt)).toBe(true);
    const { payload } = await compactVerify(receipt, set, { algorithms: ['EdDSA'] });
    expect(await verifyReceipt(receipt, keys)).toEqual(JSON.parse(Buffer.from(payload).toString()));
    const changed = withOneBitChanged(receipt, i);
    await expect(compactVerify(changed, set, { algorithms: ['EdDSA'] })).rejects.toThrow();
    await expect(verifyReceipt(changed, keys)).rejects.toThrow(InvalidReceipt);
  }
});

it('says what the answer says, and is the same for a repeat and a later read', async () => {
  const claim = { ...claimOf(1), reject_target: 0.96 };
  const first = (await service.verify(claim)).body;
  const again = (await service.verify({ ...claim, rough: { ...claim.rough, stone_id: 'another' } })).body;
  expect(again.receipt).toBe(first.receipt);
  expect(again.stone_ids).toEqual({ rough: ['another'], polish: [claim.polish.stone_id] });
  const headers = { 'x-api-key': service.apiKey };
  const read = await service.call('GET', `/api/v1/verify-match/${first.claim_id}`, { headers });
  expect(read.body.answer.receipt).toBe(first.receipt);
  const [kept] = (await service.call('GET', '/api/v1/claims?limit=1', { headers: service.operator })).body.items;
  const { claim_id, verdict, fused_score, threshold, threshold_source, reject_target } = first;
  expect(await verifyReceipt(first.receipt, keys)).toEqual({
    ...{ claim_id, verdict, fused_score, threshold, threshold_source, reject_target },
    key: service.apiKey.slice(0, 'mvs_live_'.length + 16),
    model: kept.model,
    ladder_revision: expect.any(String),
    rough: { digest: expect.stringMatching(/^[0-9a-f]{16}$/), stone_ids: [claim.rough.stone_id] },
    polish: { digest: expect.stringMatching(/^[0-9a-f]{16}$/), stone_ids: [claim.polish.stone_id] },
    at: expect.stringMatching(/^\d{4}-.*Z$/),
  });
});

it('is on no replay', async () => {
  const { status, body } = await service.verify(claimOf(2), { 'x-svc-replay': '1', ...service.operator });
  expect([status, body.receipt]).toEqual([200, undefined]);
});

describe('a receipt that was tampered with is refused', () => {
  const header = (change: object) => {
    const [head, ...rest] = partsOf(receipts[0]);
    return joined([Buffer.from(JSON.stringify({ ...JSON.parse(head.toString()), ...change })), ...rest]);
  };
  const cases: [string, () => string | Promise<string>, RegExp][] = [
    ['a changed header', () => header({ typ: 'JWT' }), /header/],
    ['a member more in its header', () => header({ crit: ['exp'] }), /header/],
    ['alg none', () => `${header({ alg: 'none' }).split('.').slice(0, 2).join('.')}.`, /no compact JWS/],
    ['alg none and the signature kept', () => header({ alg: 'none' }), /header/],
    ['another kid', () => header({ kid: '00000000' }), /key "00000000", which is not among/],
    ['trailing bytes', () => `${receipts[0]}A`, /no compact JWS/],
    ['a line end', () => `${receipts[0]}\n`, /no compact JWS/],
    ['a fourth part', () => `${receipts[0]}.AA`, /no compact JWS/],
    ['unused bits set', () => `${receipts[0].slice(0, -1)}${receipts[0].endsWith('A') ? 'B' : 'h'}`, /no compact JWS/],
    [
      'HS256 with the public key as its secret',
      () =>
        new SignJWT({ verdict: 'MATCH' })
          .setProtectedHeader({ alg: 'HS256', kid: keys.keys[0].kid, typ: 'mvs-receipt+json' })
          .sign(Buffer.from(keys.keys[0].x, 'base64url')),
      /header|no compact JWS/,
    ],
    ['nothing', () => '', /no compact JWS/],
  ];
  it.each(cases)('%s', async (_, make, why) => {
    const receipt = await make();
    await expect(verifyReceipt(receipt, keys)).rejects.toThrow(why);
    await expect(verifyReceipt(receipt, keys)).rejects.toThrow(InvalidReceipt);
  });

  it('and so is one by a key of somebody else', async () => {
    const other = { ...keys.keys[0], x: Buffer.from(keys.keys[0].x, 'base64url').fill(1, 0, 4).toString('base64url') };
    await expect(verifyReceipt(receipts[0], { keys: [other] })).rejects.toThrow(InvalidReceipt);
  });
});

describe.each<[string, (folder: string) => Promise<Double | undefined>]>([
  ['SQLite', async () => undefined],
  ['EventStoreDB', (folder) => startDouble(openDoubleLog(join(folder, 'double.db')))],
])('after the secret of a log on %s is rotated', (_, open) => {
  const folder = mkdtempSync(join(tmpdir(), 'mvs-receipts-'));
  let double: Double | undefined;
  let rotated: TestService;
  let [first, after] = ['', keys];

  beforeAll(async () => {
    double = await open(folder);
    const environment = { MVS_LOG_SECRET: SECRETS[0], ...(double && { EVENTSTORE_URL: double.connectionString }) };
    rotated = await TestService.start(environment);
    first = (await rotated.verify(claimOf(0))).body.receipt;
    await rotated.service.close();
    rotated.environment.MVS_LOG_SECRET = `${SECRETS[1]},${SECRETS[0]}`;
    await rotated.open();
    after = (await rotated.call('GET', '/api/v1')).body.receipt_keys;
  });
  afterAll(async () => {
    await rotated.stop();
    await double?.close();
    rmSync(folder, { recursive: true });
  });

  it('a repeat and a later read give the same receipt, by the key that stays published', async () => {
    expect(after.keys.map(({ kid }) => kid)).toEqual([secretId(SECRETS[1]), secretId(SECRETS[0])]);
    for (const _ of [1, 2]) expect((await rotated.verify(claimOf(0))).body.receipt).toBe(first);
    const { claim_id } = await verifyReceipt(first, after);
    const headers = { 'x-api-key': rotated.apiKey };
    expect((await rotated.call('GET', `/api/v1/verify-match/${claim_id}`, { headers })).body.answer.receipt).toBe(
      first,
    );
  });

  it('the receipt of a new claim is by the new key, at once and when it is repeated', async () => {
    const [made, repeated] = [await rotated.verify(claimOf(1)), await rotated.verify(claimOf(1))];
    expect(kidOf(made.body.receipt)).toBe(secretId(SECRETS[1]));
    expect(repeated.body.receipt).toBe(made.body.receipt);
    await expect(verifyReceipt(made.body.receipt, keys)).rejects.toThrow(/not among those given/);
  });
});

it('is by the newest key where the secret that sealed the verdict is not given', async () => {
  const receipt = receipts[0];
  const { claim_id } = await verifyReceipt(receipt, keys);
  const keyId = service.apiKey.slice('mvs_live_'.length).slice(0, 16);
  const state = await storedClaim(service.service.store, keyId, claim_id);
  expect(await new Receipts({ given: SECRETS }).of(state)).toBe(receipt);
  const other = await new Receipts({ given: SECRETS.slice(1) }).of(state);
  expect(kidOf(other!)).toBe(secretId(SECRETS[1]));
  expect(other!.split('.')[1]).toBe(receipt.split('.')[1]);
  expect(await new Receipts({ given: [] }).of(state)).toBeUndefined();
});
