/** A disk that takes no more, and one that takes nothing. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { invariantsOf } from '#audit/valid-decisions';
import { openSqliteEventReader } from '#kit/log/sqlite/store';
import { until } from '../../test/until.js';
import type { Answered } from './test/client.js';
import { claimOf, formOf } from './test/fixture.js';
import { canLimit, ServingProcess } from './test/process.js';

// A limit on the size of files stands in for the disk's: writes beyond it fail the same way.
const canMount = spawnSync('unshare', ['-m', 'true']).status === 0;
const SPACE = 700_000;

let serving: ServingProcess;
afterEach(() => serving?.remove());

const limitFiles = (bytes: number | 'unlimited') => {
  const { status } = spawnSync('prlimit', ['--pid', String(serving.pid), `--fsize=${bytes}:unlimited`]);
  expect(status).toBe(0);
};

/** A disk that had room is believed for a while. */
const readiness = async (status: number) => {
  for (;;) {
    const answer = await serving.call('GET', '/health/ready');
    if (answer.status === status) return answer;
    await setTimeout(200);
  }
};

const keyed = () => ({ 'x-api-key': serving.apiKey });

function expectUnavailable({ status, body, headers }: Answered): void {
  expect([status, body]).toMatchObject([
    503,
    { detail: expect.stringMatching(/event log cannot be used now|view .* cannot be written now/) },
  ]);
  expect(JSON.stringify(body)).not.toContain(serving.data);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
}

/** All that was answered is stored with its verdict, and nothing is half there. */
async function expectWhole(answered: Answered[]): Promise<void> {
  expect(await serving.end('SIGTERM')).toBe(0);
  const reader = openSqliteEventReader({ directory: serving.data });
  const invariants = await invariantsOf(reader);
  const results = new Map<unknown, unknown>();
  const submitted = new Set<unknown>();
  for await (const event of reader.readAll()) {
    expect(invariants.check(event)).toEqual([]);
    if (event.type === 'ClaimSubmitted') submitted.add(event.data.claim_id);
    if (event.type === 'ClaimScored') results.set(event.data.claim_id, event.data.result);
  }
  await reader.close();
  for (const { body } of answered) expect(body).toMatchObject(results.get(body.claim_id) as object);
  // Every claim refused meanwhile has been finished by its retry.
  expect([...submitted].filter((id) => !results.has(id))).toEqual([]);
}

(canLimit ? describe : describe.skip)('a full disk', () => {
  it('503 with a clear detail on every endpoint that writes; serves again once there is space', async () => {
    const wrap = ['prlimit', `--fsize=${SPACE}:unlimited`, 'sh', '-c', 'trap "" XFSZ; exec "$@"', 'sh'];
    serving = await ServingProcess.start({ wrap });
    const answered: Answered[] = [];
    let stone = 0;
    for (; ; stone++) {
      const answer = await serving.verify(stone % 2 ? claimOf(stone) : formOf(claimOf(stone)));
      if (answer.status !== 200) {
        expectUnavailable(answer);
        break;
      }
      answered.push(answer);
    }
    expect(answered.length).toBeGreaterThan(2);
    // The log may still have room for an event that is smaller than those of a claim: take it.
    limitFiles(0);
    expectUnavailable(await serving.verify(claimOf(stone)));
    expectUnavailable(await serving.json('POST', '/api/v1/keys', { name: 'lab-b' }, serving.operator));
    const label = [{ claim_id: answered[0].body.claim_id, expected: 'match' }];
    expectUnavailable(await serving.json('POST', '/api/v1/expected', label, keyed()));
    const key = serving.apiKey.slice(0, -44);
    expectUnavailable(await serving.call('DELETE', `/api/v1/keys/${key}`, { headers: serving.operator }));
    expect((await serving.call('GET', '/health/live')).status).toBe(200);
    const full = await readiness(503);
    expect(full.body).toMatchObject({ status: 'unavailable', parts: { disk: { status: 'unavailable' } } });
    expect(JSON.stringify(full.body)).not.toContain(serving.data);
    expect((await serving.verify('{', keyed())).status).toBe(400);

    limitFiles('unlimited');
    await readiness(200);
    const retried = await serving.verify(claimOf(stone));
    expect(retried.status).toBe(200);
    for (let i = 1; i < 4; i++) answered.push(await serving.verify(claimOf(stone + i)));
    expect(await serving.verify(claimOf(0))).toMatchObject({ status: 200, body: answered[0].body });
    expect((await serving.json('POST', '/api/v1/expected', label, keyed())).body.counts.accepted).toBe(1);
    // Views look again once a second.
    const list = () => serving.call('GET', '/api/v1/claims', { headers: serving.operator });
    await until(async () => (await list()).status === 200, 200);
    const ledger = await list();
    expect(ledger.body.items.length).toBe(answered.length + 1);
    await expectWhole([...answered, retried]);
  });
});

(canMount ? describe : describe.skip)('a read-only data directory', () => {
  it('is said in one sentence at start, and nothing of what it holds is touched', async () => {
    serving = ServingProcess.prepare();
    mkdirSync(serving.data);
    await serving.open();
    serving.apiKey = await serving.createKey('lab-a');
    const answer = await serving.verify(claimOf(1));
    await serving.end('SIGTERM');
    const mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';
    const refused = await serving.open({ wrap: ['unshare', '-m', 'sh', '-c', mount, serving.data] }).catch((e) => e);
    expect(refused.message).toMatch(/^the data directory .*cannot be (written|used): [^\n]+$/i);
    await serving.open();
    expect((await serving.verify(claimOf(1))).body).toEqual(answer.body);
    await expectWhole([answer]);
  });
});
