/** A revocation ends every claim, label and replay whose answer comes after its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { streams } from '#domain/streams';
import { sha256 } from '#kit/log/secrets';
import { claimOf, TestService } from '../../apps/server/test/fixture.js';
import { credentialId } from './decide.js';

const ROUNDS = 20;
const CLAIMS = 100;

let service: TestService;
let prepared: ReturnType<typeof claimOf>[];
beforeAll(async () => {
  service = await TestService.start({ MVS_MAX_RATE: '100000', MVS_MAX_BURST: '100000' });
  prepared = Array.from({ length: 8 }, (_, stone) => claimOf(stone + 1, { roughScans: 1 }));
});
afterAll(() => service.stop());

/** Claims, labels and replays of one key at once, and its revocation in the midst of them. */
async function revokeAmidst(round: number) {
  const name = `revoked amidst ${round}`;
  const key = await service.createKey(name);
  const headers = { 'x-api-key': key };
  const { claim_id } = (await service.verify(prepared[0], headers)).body as { claim_id: string };
  let revoked = false;
  const late: string[] = [];
  let answered = 0;
  // A refused call whose body is still under way may be cut off: that is no answer either.
  const seen = async (what: string, call: Promise<{ status: number }>) => {
    const { status } = await call.catch(() => ({ status: 0 }));
    if (status === 200 && revoked) late.push(what);
    if (status === 200) answered++;
    else expect([0, 401]).toContain(status);
  };
  const label = (i: number) => [{ claim_id, expected: i % 2 ? 'match' : 'no_match' }];
  const calls = Array.from({ length: CLAIMS }, async (_, i) => {
    const claim = { ...prepared[i % prepared.length], reject_target: 0.9 + (i % 10) / 100 };
    if (i % 10 === 8) {
      const replay = { ...headers, 'x-svc-replay': '1', ...service.operator };
      return seen('replay', service.verify(claim, replay));
    }
    if (i % 10 === 9) return seen('label', service.json('POST', '/api/v1/expected', label(i), headers));
    return seen('claim', service.verify(claim, headers));
  });
  await sleep(5 + 10 * round);
  const answer = await service.call('DELETE', `/api/v1/keys/${key.slice(0, 25)}`, { headers: service.operator });
  revoked = true;
  expect(answer.status).toBe(200);
  await Promise.all(calls);
  return { id: credentialId((text) => sha256(text).toString('hex'), name), late, answered };
}

it(`stands before every answer of its key that comes later, ${ROUNDS} times with ${CLAIMS} calls in flight`, async () => {
  let cut = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { id, late, answered } = await revokeAmidst(round);
    expect(late).toEqual([]);
    if (answered < CLAIMS) cut++;
    const { store } = service.service;
    const [end] = (await store.readStream(streams.key(id))).filter(({ type }) => type === 'KeyRevoked');
    const verdicts = ['ClaimScored', 'ClaimReplayed', 'ClaimRepeated', 'ClaimLabelled', 'LabelAmended'];
    const after: string[] = [];
    for await (const { type, stream } of store.readAll({ after: end.position, types: verdicts }))
      if (stream.includes(id)) after.push(type);
    expect(after).toEqual([]);
  }
  // Else nothing was under way when they were revoked.
  expect(cut).toBeGreaterThan(0);
});
