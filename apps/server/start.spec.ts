/** Start and end of the program, as a newcomer or an init system sees them. */
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { openSqliteEventReader } from '#kit/log/sqlite/store';
import type { Answered } from './test/client.js';
import { claimOf } from './test/fixture.js';
import { ServingProcess } from './test/process.js';

let serving: ServingProcess;
afterEach(() => serving?.remove());

/** What a start that is refused says, but for its log's lines: a new folder's first one says that a secret was made. */
const refusal = (environment: Record<string, string>) =>
  serving.open({ environment }).then(
    () => 'started',
    (error: Error) => error.message.replace(/^\{.*\}\n/gm, ''),
  );

describe('a start', () => {
  it('that cannot be is said in one sentence', async () => {
    serving = ServingProcess.prepare();
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    try {
      const sentence = `Port ${port} on 127.0.0.1 is taken: set PORT to another one.`;
      expect(await refusal({ PORT: String(port) })).toBe(sentence);
    } finally {
      taken.close();
    }
    const nowhere = await refusal({ MVS_DATA_DIR: '/proc/x/y' });
    expect(nowhere).toMatch(/^The data directory cannot be used: [^\n]*$/);
    expect(await refusal({ MVS_FOUR_EYE: 'yes' })).toBe('MVS_FOUR_EYE is no setting: did you mean MVS_FOUR_EYES?');
  });

  it('reuses what the one before left: secrets, keys, claims; the file of secrets is its owner’s alone', async () => {
    serving = await ServingProcess.start();
    const secret = serving.operatorKey;
    const answered = await serving.verify(claimOf(1));
    expect(statSync(join(serving.data, 'operator.env')).mode & 0o777).toBe(0o600);
    expect(await serving.end('SIGINT')).toBe(0);
    await serving.open();
    expect(serving.operatorKey).toBe(secret);
    expect(await serving.verify(claimOf(1))).toMatchObject({ status: 200, body: answered.body });
    expect(serving.lines.join()).not.toContain(secret);
  });
});

describe('a data folder that others may read', () => {
  /** Files and folders below it that others may read. */
  const readable = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => statSync(join(folder, name)).mode & 0o077,
    );

  it('holds nothing that they may read, from the first moment on and where a release before left it so', async () => {
    serving = ServingProcess.prepare();
    mkdirSync(serving.data, { mode: 0o755 });
    await serving.open();
    serving.apiKey = await serving.createKey('lab-a');
    expect((await serving.verify(claimOf(1))).status).toBe(200);
    const made = readdirSync(serving.data, { recursive: true, encoding: 'utf8' });
    expect(made).toEqual(expect.arrayContaining(['events.db', 'events.db-wal', 'events.db-shm']));
    expect(made.filter((name) => name.endsWith('.db-wal')).length).toBeGreaterThan(5);
    expect(readable(serving.data)).toEqual([]);
    await serving.end('SIGKILL');
    for (const name of made) if (/[.]db/.test(name)) chmodSync(join(serving.data, name), 0o644);
    await serving.open();
    expect(readable(serving.data)).toEqual([]);
  });
});

describe('SIGINT under load', () => {
  it('ends by itself, whatever is connected; every claim was answered whole or not at all', async () => {
    serving = await ServingProcess.start();
    const hanging = request(`${serving.address}/api/v1/verify-match`, {
      method: 'POST',
      headers: { 'x-api-key': serving.apiKey, 'content-type': 'application/json', 'content-length': 1000 },
    }).on('error', () => {});
    hanging.write('{');
    const first = serving.verify(claimOf(0));
    const sent = Array.from({ length: 20 }, (_, i) =>
      serving.verify(claimOf(i % 6, { seed: 6 })).catch(() => undefined),
    );
    await first;
    expect(await serving.end('SIGINT')).not.toBeNull();
    const answered = (await Promise.all(sent)).filter((answer): answer is Answered => answer?.status === 200);
    const reader = openSqliteEventReader({ directory: serving.data });
    const stored = new Map<unknown, unknown>();
    for await (const { data } of reader.readAll({ types: ['ClaimScored'] })) stored.set(data.claim_id, data.result);
    await reader.close();
    for (const { body } of answered) expect(body).toMatchObject(stored.get(body.claim_id) as object);
  });
});
