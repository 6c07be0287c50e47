/** Revocations in the midst of claims, labels and replays. */
import { setTimeout as sleep } from 'node:timers/promises';
import { streams } from '#domain/streams';
import { sha256 } from '#kit/log/secrets';
import { claimOf, type TestService } from '../../../apps/server/test/fixture.js';
import { credentialId } from '../decide.js';

export const CLAIMS = 100;
export const UNBOUNDED = { MVS_MAX_RATE: '100000', MVS_MAX_BURST: '100000' };

const prepared = Array.from({ length: 8 }, (_, stone) => claimOf(stone + 1, { roughScans: 1 }));
const idOf = (name: string) => credentialId((text) => sha256(text).toString('hex'), name);

/** Claims, labels and replays of one key at once, dealt to the replicas, and its revocation by the first in the midst of them. */
async function revokeAmidst(replicas: readonly TestService[], round: number, after: number) {
  const [first] = replicas;
  const name = `revoked amidst ${round}`;
  const key = await first.createKey(name);
  const headers = { 'x-api-key': key };
  const { claim_id } = (await first.verify(prepared[0], headers)).body as { claim_id: string };
  // Each has the key in hand, as one that works has.
  for (const replica of replicas) expect((await replica.verify(prepared[0], headers)).status).toBe(200);
  let revoked = false;
  const late: string[] = [];
  let answered = 0;
  // A refused call whose body is still under way may be cut off: that is no answer either.
  const seen = async (what: string, call: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await call.catch(() => ({ status: 0, body: undefined }));
    if (status === 200 && revoked) late.push(what);
    if (status === 200) answered++;
    else if (status !== 0) expect([what, body]).toMatchObject([what, { code: 'credential_api_key' }]);
  };
  const label = (i: number) => [{ claim_id, expected: i % 2 ? 'match' : 'no_match' }];
  const calls = Array.from({ length: CLAIMS }, async (_, i) => {
    const service = replicas[i % replicas.length];
    const claim = { ...prepared[i % prepared.length], reject_target: 0.9 + (i % 10) / 100 };
    if (i % 10 >= 8 && (i >> 1) % 2) {
      const replay = { ...headers, 'x-svc-replay': '1', ...service.operator };
      return seen('replay', service.verify(claim, replay));
    }
    if (i % 10 >= 8) return seen('label', service.json('POST', '/api/v1/expected', label(i), headers));
    return seen('claim', service.verify(claim, headers));
  });
  await sleep(after);
  const answer = await first.call('DELETE', `/api/v1/keys/${key.slice(0, 25)}`, { headers: first.operator });
  revoked = true;
  expect(answer.status).toBe(200);
  await Promise.all(calls);
  return { id: idOf(name), late, answered };
}

/** What rests on a key and was stored after its revocation. */
async function storedAfter({ service: { store } }: TestService, id: string): Promise<string[]> {
  const [end] = (await store.readStream(streams.key(id))).filter(({ type }) => type === 'KeyRevoked');
  const verdicts = ['ClaimScored', 'ClaimReplayed', 'ClaimRepeated', 'ClaimLabelled', 'LabelAmended'];
  const after: string[] = [];
  for await (const { type, stream } of store.readAll({ after: end.position, types: verdicts }))
    if (stream.includes(id)) after.push(type);
  return after;
}

/** The revocations come at moments that are evenly spread over the time that the calls take. */
export async function revokeOften(replicas: readonly TestService[], rounds: number): Promise<void> {
  let cut = 0;
  for (let round = 0; round < rounds; round++) {
    const { id, late, answered } = await revokeAmidst(replicas, round, 5 + (200 / rounds) * round);
    expect(late).toEqual([]);
    if (answered < CLAIMS) cut++;
    expect(await storedAfter(replicas[0], id)).toEqual([]);
  }
  // Else nothing was under way when they were revoked.
  expect(cut).toBeGreaterThan(0);
}
