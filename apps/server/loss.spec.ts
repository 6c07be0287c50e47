/** Logs that a killed service left, with events gone from them. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import pino from 'pino';
import { newEventId } from '#kit/log/event-id';
import { HighWaterMark, markFile } from '#kit/log/high-water-mark';
import { LogLoss, type RecordedEvent } from '#kit/log/port';
import { openSqliteEventReader, openSqliteEventStore } from '#kit/log/sqlite/store';
import { program } from '../../test/programs.js';
import { until } from '../../test/until.js';
import { watchLoss } from './loss.js';
import { claimOf } from './test/fixture.js';
import { ServingProcess } from './test/process.js';

const CLAIMS = 8;
const EXIT_LOSS = 5;
/** A data folder as a kill left it, its last event a KeyRevoked; the key; the last event's place. */
const left = mkdtempSync(join(tmpdir(), 'mvs-killed-'));
let revoked: string;
let end: number;
let serving: ServingProcess;

beforeAll(async () => {
  serving = await ServingProcess.start();
  revoked = await serving.createKey('lab-b');
  await Promise.all(Array.from({ length: CLAIMS }, (_, n) => serving.verify(claimOf(n))));
  const prefix = /^mvs_[a-z]+_[0-9a-f]{16}/.exec(revoked)![0];
  const { status } = await serving.call('DELETE', `/api/v1/keys/${prefix}`, { headers: serving.operator });
  expect(status).toBe(200);
  end = await head();
  await until(async () => marked() === end);
  await serving.end('SIGKILL');
  cpSync(serving.data, left, { recursive: true });
  await serving.remove();
});
afterEach(() => serving.remove());
afterAll(() => rmSync(left, { recursive: true }));

/** A service that is not started on a copy of that folder. */
function prepare(): void {
  serving = ServingProcess.prepare();
  cpSync(left, serving.data, { recursive: true });
}

const log = () => join(serving.data, 'events.db');
const marked = () => Number(JSON.parse(readFileSync(markFile(serving.data), 'utf8')).position);
const head = async () => {
  const { body } = await serving.call('GET', '/health/detail', { headers: serving.operator });
  return Number(body.parts.event_log.position);
};
const inLog = (sql: string) => {
  const db = new Database(log());
  db.exec(sql);
  db.close();
};
const events = async (after = 0): Promise<RecordedEvent[]> => {
  const reader = openSqliteEventReader({ directory: serving.data });
  const found: RecordedEvent[] = [];
  for await (const event of reader.readAll({ after: BigInt(after) })) found.push(event);
  await reader.close();
  return found;
};

const verified = (): [number | null, string] => {
  const args = [program('mvs'), 'events', 'verify', '--data', serving.data];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return [status, stdout];
};

/** A start that comes to nothing: its exit code and what it says last. */
async function refused(args: string[] = []): Promise<[code: number | null, said: string]> {
  const said = await serving.open({ args }).then(
    () => 'it serves',
    (error: Error) => error.message,
  );
  return [serving.code, said];
}
const accept = () => serving.open({ args: ['--accept-loss', 'tried out'] });
const loss = (...words: (string | number)[]) => [EXIT_LOSS, expect.stringMatching(new RegExp(words.join('')))];

describe('a killed service', () => {
  it('serves again where nothing is gone, and not with a copy of the log from before', async () => {
    prepare();
    expect(statSync(markFile(serving.data)).mode & 0o777).toBe(0o600);
    await serving.open();
    serving.apiKey = await serving.createKey('lab-c');
    expect((await serving.verify(claimOf(1))).status).toBe(200);
    const newest = await head();
    expect(await serving.end('SIGTERM')).toBe(0);
    expect(marked()).toBeGreaterThanOrEqual(newest);
    expect((await refused(['--accept-loss', 'nothing']))[1]).toMatch(/^--accept-loss: the log lacks nothing/);
    for (const name of readdirSync(left).filter((one) => one.startsWith('events.db')))
      cpSync(join(left, name), join(serving.data, name));
    expect(await refused()).toEqual(loss('lacks \\d+ events that were acknowledged: .* the log ends at ', end));
  });

  it('does not serve a log without a KeyRevoked, until that is accepted, and gives its place to nothing', async () => {
    prepare();
    inLog("DELETE FROM events WHERE type = 'KeyRevoked'");
    expect(await refused()).toEqual(loss('lacks 1 event that .* position ', end, ' .*-', '-accept-loss "REASON"'));
    await accept();
    expect((await serving.verify(claimOf(1), { 'x-api-key': revoked })).status).toBe(200);
    const [first, ...others] = await events(end - 1);
    const newest = { position: String(end), stream: expect.stringMatching(/^key-/), revision: 1 };
    const data = { missing: 1, newest: expect.objectContaining(newest), reason: 'tried out' };
    expect(first).toMatchObject({ type: 'LossAccepted', stream: 'log', data });
    expect(first.position).toBeGreaterThan(end);
    expect(others.length).toBeGreaterThan(0);
    await serving.end('SIGTERM');
    await serving.open();
  });

  it('does not serve a log with holes, nor with another one than those that were accepted', async () => {
    prepare();
    inLog('DELETE FROM events WHERE position IN (5, 6, 9)');
    expect(await refused()).toEqual(loss('lacks 3 events .* no event stands at 5 to 6, 9\\. '));
    await accept();
    const [{ data }] = (await events()).filter(({ type }) => type === 'LossAccepted');
    const holes = [{ from: '5', to: '6' }, { from: '9', to: '9' }]; // biome-ignore format: short
    expect(data).toMatchObject({ missing: 3, newest: null, holes });
    await serving.end('SIGTERM');
    inLog('DELETE FROM events WHERE position = 12');
    expect(await refused()).toEqual(loss('lacks 1 event .* stands at 12\\. '));
  });

  it('of a long log, looks at its end first, and serves no more what lacks an earlier event', async () => {
    prepare();
    inLog('DELETE FROM events WHERE position IN (5, 6, 9)');
    const { data: directory } = serving;
    const store = await openSqliteEventStore({ directory });
    const watch = async (lookedAtFirst: bigint, acceptLoss?: string) => {
      const mark = new HighWaterMark(directory, () => {});
      const parts = { logger: pino({ level: 'silent' }), now: () => new Date(), newId: newEventId };
      const found: Error[] = [];
      const held = { store, seals: store.seals, mark, directory, sqlite: true, acceptLoss, lookedAtFirst, ...parts };
      const end = await watchLoss(held, (error) => found.push(error));
      return { found, end };
    };
    try {
      await expect(watch(BigInt(end))).rejects.toThrow(LogLoss);
      const { found, end: endWatch } = await watch(BigInt(end - 10));
      await until(() => found.length > 0);
      await endWatch();
      expect(found).toEqual([expect.any(LogLoss)]);
      expect(found[0].message).toMatch(/lacks 3 events .* no event stands at 5 to 6, 9\. /);
      await (await watch(3n, 'tried out')).end();
      const [accepted] = (await store.readStream('log')).filter(({ type }) => type === 'LossAccepted');
      expect(accepted.data).toMatchObject({ missing: 3, reason: 'tried out' });
    } finally {
      await store.close();
    }
  });

  it('does not serve a log whose end was cut', async () => {
    prepare();
    const cut = end - 10;
    inLog(`DELETE FROM events WHERE position > ${cut}; UPDATE sqlite_sequence SET seq = ${cut}`);
    expect(await refused()).toEqual(loss('lacks 10 events .* ends at ', cut, '; .* at ', cut + 1, ' to ', end, '\\. '));
    await accept();
    const [first] = await events(cut);
    expect(first).toMatchObject({ type: 'LossAccepted', data: { missing: 10, holes: [{ from: String(cut + 1) }] } });
  });

  it('does not serve a log without a KeyRevoked whose place later rows were moved into', async () => {
    prepare();
    await serving.open();
    serving.apiKey = await serving.createKey('lab-c');
    expect((await serving.verify(claimOf(1))).status).toBe(200);
    const newest = await head();
    expect(await serving.end('SIGTERM')).toBe(0);
    inLog(`
      DELETE FROM events WHERE type = 'KeyRevoked';
      UPDATE events SET position = -position WHERE position > ${end};
      UPDATE events SET position = -position - 1 WHERE position < 0;
      UPDATE sqlite_sequence SET seq = seq - 1`);
    expect(newest).toBeGreaterThan(end + 1);
    const [code, out] = verified();
    expect([code, out]).toEqual([1, expect.stringMatching(`event ${end}: it does not follow the event before it`)]);
    expect(await refused()).toEqual(loss('lacks 1 event .* no event stands at ', end, '\\. '));
  });

  it('does not serve a log of whose rows every seal was taken, though its secret is there', async () => {
    prepare();
    inLog("UPDATE events SET seal = ''");
    expect((await refused())[1]).toMatch(/no row of the event log .* has a seal that fits/);
    expect(verified()[0]).not.toBe(0);
  });

  it.each([
    ['truncated', () => truncateSync(`${log()}-wal`, statSync(`${log()}-wal`).size - 100_000)],
    ['gone', () => rmSync(`${log()}-wal`)],
  ])('does not serve a log whose write-ahead log is %s, until that is accepted', async (_, hurt) => {
    prepare();
    hurt();
    expect(await refused()).toEqual(loss('lacks \\d+ events that were acknowledged: .* position ', end));
    await accept();
    expect((await serving.call('GET', '/health/ready')).status).toBe(200);
  });
});
