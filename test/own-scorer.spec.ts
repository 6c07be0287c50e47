/**
 * docs/operate/calibration.md, "Approving a scorer", with the shipped model on stones whose physics it does not know: over HTTP, from a
 * laboratory's hundred claims to the withdrawal and return of a scorer of its own.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import type { ClaimResult } from '#claims/events';
import { readConfiguration } from '#config/environment';
import type { Service } from '../apps/server/service.js';
import { Client, type JsonClaim, type JsonSide } from '../apps/server/test/client.js';
import { PATIENT } from '../apps/server/test/fixture.js';
import { simulateSecondFamily } from '../lab/second-family/simulate.js';
import { startBundled } from './programs.js';
import { until } from './until.js';

const STONES = 100;
const SEED = 77;
const LABORATORY = '/api/v1/calibration/far-away';
const SCORER = `${LABORATORY}/scorer`;

const directory = mkdtempSync(join(tmpdir(), 'mvs-own-scorer-'));
const client = new Client();
let service: Service;
let trial: Record<string, string>;
// biome-ignore lint/suspicious/noExplicitAny: answers are what the test examines
type Body = any;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const [anna, ben] = ['anna', 'ben'].map((name) => ({ 'x-svc-admin': `${name}-key` }));
const get = async (path: string) => (await client.call('GET', path, { headers: anna })).body;
const post = async (path: string, body: object, as = anna, status = 200) => {
  const answer = await client.json('POST', path, body, as);
  expect(answer).toMatchObject({ status });
  return answer.body;
};

const sideOf = (scans: { wavenumbers: Float64Array; absorbance: Float64Array }[], stone_id: string): JsonSide => ({
  wavenumbers: [...scans[0].wavenumbers],
  spectra: scans.map(({ absorbance }) => [...absorbance].map((value) => Math.round(value * 1e6) / 1e6)),
  stone_id,
});
const stones = Array.from({ length: STONES }, (_, stone) => {
  const { id, rough, polish } = simulateSecondFamily('second-air', SEED, stone);
  return { rough: sideOf(rough, id), polish: sideOf(polish, id) };
});
const genuine = (stone: number): JsonClaim => stones[stone];
/** Sent by a key for trials, whose claims teach nothing. */
const wrong = (stone: number): JsonClaim => ({
  rough: stones[stone].rough,
  polish: stones[(stone + 37) % STONES].polish,
});

async function answers(claimOf: (stone: number) => JsonClaim, headers = {}): Promise<ClaimResult[]> {
  const all: ClaimResult[] = [];
  for (let stone = 0; stone < STONES; stone++) {
    const { status, body } = await client.verify(claimOf(stone), headers);
    expect([status, body.mode]).toEqual([200, 'verify-match']);
    all.push(body);
  }
  return all;
}
const matches = (all: readonly ClaimResult[]) => all.filter(({ verdict }) => verdict === 'MATCH').length;
const uncalibrated = ({ warnings }: ClaimResult) => warnings.find((one) => one.startsWith('Uncalibrated population'));
/** The record at a path once it proposes something. */
async function proposedAt(path: string, of: (record: Body) => Body = (record) => record) {
  let record = of(await get(path));
  await until(async () => {
    record = of(await get(path));
    return record.proposal !== null;
  }, 200);
  return record;
}
const rung98 = ({ rungs }: Body) => rungs.find((one: Body) => one.reject_target === 0.98);
/** Approved by the one and the other operator. */
async function approve(path: string, { digest }: { digest: string }) {
  const approval = { reason: 'as proposed', proposal_digest: digest };
  const asked = await post(`${path}/approve`, approval, anna, 202);
  expect(asked.awaiting_second_operator).toMatchObject({ requested_by: 'anna' });
  return post(`${path}/approve`, approval, ben);
}

beforeAll(async () => {
  service = await startBundled({
    configuration: readConfiguration({
      ...{ PORT: '0', MVS_DATA_DIR: directory, MVS_THREADS: '2', ...PATIENT },
      ...{ MVS_FOUR_EYES: 'yes', MVS_OPERATOR_KEYS: `anna:${sha256('anna-key')},ben:${sha256('ben-key')}` },
    }),
    logger: pino({ level: 'silent' }),
    version: 'test',
    engine: 'simd',
  });
  client.address = service.address;
  client.operatorKey = 'anna-key';
  client.apiKey = await client.createKey('bench', { population: 'far-away' });
  trial = { 'x-api-key': await client.createKey('trial', { population: 'far-away', kind: 'test' }) };
});
afterAll(async () => {
  await service?.close();
  rmSync(directory, { recursive: true });
});

it('confirms claims of a laboratory that the shipped model does not know', async () => {
  const raw = await answers(genuine);
  await until(async () => {
    await service.watch!.check();
    return (await service.store.readStream('figure-far%2Daway')).length > 0;
  }, 500);
  const rawWrong = await answers(wrong, trial);
  const [, figure] = /: here it accepts about (\d+) of 1,000 wrong claims, measured on \d+ stones$/.exec(
    uncalibrated(rawWrong[0]) ?? '',
  ) as RegExpExecArray;
  // The figure agrees with the answers, as far as a hundred wrong claims show it.
  expect(Math.abs(Number(figure) - 10 * matches(rawWrong))).toBeLessThan(100);
  expect(raw[0]).toMatchObject({ scorer: 'raw', threshold_source: expect.stringMatching(/^shipped-default/) });

  const { proposal } = await proposedAt(SCORER);
  const promised = rung98(proposal);
  expect(promised.confirmed_mapped).toBeGreaterThan(promised.confirmed_raw + 0.1);
  expect(promised.wrong_mapped).toBeLessThan(0.04);
  expect(proposal.figures).toMatchObject({ curve: 'own', laboratories: [{ key: 'bench' }] });
  // Sides whose detail is far from the model's stones are answered, and teach nothing.
  expect(proposal.claims).toBeGreaterThan(0.85 * STONES);
  const tried = await post(`${SCORER}/dry-run`, { reject_target: 0.98 });
  expect(tried).toMatchObject({ scorer: proposal.scorer, claims: proposal.claims });
  const verdictsOf = ({ claims }: Body, after: readonly ClaimResult[]) =>
    claims.map((one: Body) => after[raw.findIndex(({ claim_id }) => claim_id === one.claim_id)].verdict);

  expect(await approve(SCORER, proposal)).toMatchObject({ scorer: 'population', in_force: { approved_by: 'ben' } });
  const carried = await answers(genuine);
  expect(carried[0]).toMatchObject({ scorer: 'population', threshold: tried.tried_threshold });
  expect(uncalibrated(carried[0])).toBeDefined();
  expect(tried.to_match.total + tried.to_no_match.total).toBeGreaterThan(5);
  expect(new Set(verdictsOf(tried.to_match, carried))).toEqual(new Set(['MATCH']));
  for (const verdict of verdictsOf(tried.to_no_match, carried)) expect(verdict).toBe('NO_MATCH');

  const { proposal: threshold } = await proposedAt(LABORATORY, rung98);
  expect(await approve(`${LABORATORY}/rungs/0.98`, threshold)).toMatchObject({ state: 'calibrated' });
  const own = await answers(genuine);
  const ownWrong = await answers(wrong, trial);
  expect(own[0]).toMatchObject({ scorer: 'population', threshold: threshold.threshold });
  expect(uncalibrated(own[0])).toBeUndefined();
  // Of 100 each: few wrong ones pass by either threshold.
  expect(matches(rawWrong)).toBeLessThan(10);
  expect(matches(ownWrong)).toBeLessThan(8);
  expect(matches(own)).toBeGreaterThan(0.75 * STONES);
  const changed = own.findIndex(({ verdict }, i) => verdict !== raw[i].verdict);

  const before = new Date();
  expect(await post(`${SCORER}/withdraw`, { reason: 'to compare' }, ben)).toMatchObject({ scorer: 'raw' });
  const answer = async (headers = {}) => (await client.verify(genuine(changed), headers)).body;
  expect(await answer()).toEqual(raw[changed]);
  expect(await approve(SCORER, (await proposedAt(SCORER)).proposal)).toMatchObject({
    scorer: 'population',
    in_force: { scorer: proposal.scorer },
  });
  expect(await answer()).toEqual(own[changed]);
  const { fused_score, verdict, threshold: bar } = own[changed];
  const again = await answer({ 'x-svc-replay': '1', ...anna });
  expect(again).toMatchObject({ scorer: 'population', fused_score, verdict, threshold: bar });
  const past = await get(`${LABORATORY}/history?as_of=${before.toISOString()}`);
  expect(past.scorer).toBe(proposal.scorer);
  expect(rung98(past)).toMatchObject({ state: 'calibrated', threshold: threshold.threshold });
});
