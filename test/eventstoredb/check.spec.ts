/** The check by a running service through an EventStoreDB, whatever server the other suites are given: another writer writes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import Database from 'libsql';
import { logPass } from '#audit/log-passes';
import { streams } from '#domain/streams';
import { LogCheck } from '#kit/log/check';
import type { LogCheckState, LogDamage } from '#kit/log/damage';
import { newEventId } from '#kit/log/event-id';
import { type EventStoreDBOptions, openEventStoreDB } from '#kit/log/eventstoredb/store';
import type { DamagedRow, SealedStore } from '#kit/log/seal';
import { type Double, LOG_SECRET, startDouble } from './double.js';
import { handIn } from './hand.js';
import { openDoubleLog } from './log.js';

let directory: string;
let double: Double;
let store: SealedStore;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mvs-look-'));
  double = await startDouble(openDoubleLog(join(directory, 'double.db')));
  store = openEventStoreDB({ secrets: [LOG_SECRET], connectionString: double.connectionString });
});
afterEach(async () => {
  await store.close();
  await double.close();
  rmSync(directory, { recursive: true });
});

const refusals = (count: number) => ({
  ...{ id: newEventId(), type: 'RefusalsCounted', version: 1 },
  data: {
    status: 401,
    reason: 'unknown_key',
    count,
    from: '2026-01-01T00:00:00.000Z',
    until: '2026-01-01T00:01:00.000Z',
  },
});
const revoked = (key_id: string) => ({
  ...{ id: newEventId(), type: 'KeyRevoked', version: 1 },
  data: { key_id, operator: 'ada', at: '2026-01-01T00:00:00.000Z' },
});

interface Looked {
  state: LogCheckState;
  damage: LogDamage[];
  rows: DamagedRow[];
}

const look = () => {
  const { connectionString } = double;
  const [damage, rows]: [LogDamage[], DamagedRow[]] = [[], []];
  let ended: (looked: Looked) => void;
  const end = new Promise<Looked>((resolve) => {
    ended = resolve;
  });
  const check = new LogCheck({
    pass: logPass({ directory, connectionString, secrets: [LOG_SECRET] }),
    onDamage: (one) => void damage.push(one),
    onDamagedRow: (one) => void rows.push(one),
    onEnd: (state) => ended({ state, damage, rows }),
  });
  check.start();
  return { check, end };
};

it('names rows without a seal, streams that were deleted, cut or tombstoned, and gaps', async () => {
  await store.append('edge', [refusals(0), refusals(1), refusals(2), refusals(3)], 'no_stream');
  const keys = [newEventId(), newEventId(), newEventId()];
  const [gone, hard, cut] = keys.map((key) => streams.key(key));
  for (const key of keys) await store.append(streams.key(key), [revoked(key), revoked(key)], 'no_stream');
  const db = new Database(join(directory, 'double.db'), { timeout: 5 } as Database.Options);
  const hand = handIn(db);
  await store.append('edge', [refusals(4), refusals(5)], 'any');
  const client = EventStoreDBClient.connectionString(double.connectionString);
  await client.deleteStream(gone);
  await client.tombstoneStream(hard);
  await client.setStreamMetadata(cut, { maxCount: 1 });
  await client.appendToStream('edge', jsonEvent({ type: 'RefusalsCounted', data: refusals(9).data as never }));
  await client.dispose();
  hand.remove('edge', 2);
  db.close();

  const { state, damage, rows } = await look().end;
  expect(rows.map(({ stream, problem }) => [stream, problem])).toEqual([
    ...[gone, hard, cut].map((stream) => [stream, `another hand deleted stream ${stream} or cut it`]),
    ['edge', 'has no seal: the service did not write it'],
  ]);
  const gap = { stream: 'edge', revision: 3, type: 'RefusalsCounted', problem: 'has revision 3 where 2 comes next' };
  expect(state.status).toBe('damaged');
  expect(damage).toMatchObject([gap]);
});

it('finds a log sound that the service alone wrote, to its end, though the server is away when it begins, and can be ended then', async () => {
  for (let n = 0; n < 600; n += 100)
    await store.append(
      'edge',
      Array.from({ length: 100 }, (_, i) => refusals(n + i)),
      'any',
    );
  const head = String(await store.head());
  await double.relay.close();
  const [lasting, ended] = [look(), look()];
  await ended.check.close();
  await double.relay.reopen();
  const { state } = await lasting.end;
  expect(state).toMatchObject({ status: 'sound', checked: head, head, resumed_at: null, damaged: 0, damage: [] });
  expect(ended.check.state.status).toBe('running');
});

it('begins no log of a former release, until an operator has taken it as it stands', async () => {
  const client = EventStoreDBClient.connectionString(double.connectionString);
  const former = (type: string, data: object) =>
    jsonEvent({ type, data: data as never, metadata: { schemaVersion: 1, recordedAt: '2026-01-01T00:00:00.000Z' } });
  await client.appendToStream(
    'edge',
    [1, 2].map((n) => former('RefusalsCounted', refusals(n).data)),
  );
  const opened = (more: Partial<EventStoreDBOptions> = {}) =>
    openEventStoreDB({ secrets: [LOG_SECRET], connectionString: double.connectionString, ...more });
  await expect(store.readStream('edge')).rejects.toThrow(
    /was written by a release without today's seals: .*mvs events seal/,
  );
  await expect(store.append('edge', [refusals(3)], 'any')).rejects.toMatchObject({ name: 'LogUnsealed' });
  const decided = { secrets: [], events: 0, operator: 'ada', reason: 'upgraded', at: '2026-01-02T00:00:00.000Z' };
  const taking = opened({ take: (head) => ({ position: String(head), ...decided }) });
  expect(await taking.readStream('edge')).toHaveLength(2);
  await taking.close();
  await store.append('edge', [refusals(3)], 1n);
  await client.appendToStream('edge', former('RefusalsCounted', refusals(4).data));
  await client.dispose();
  const reader = opened({ strict: true, readOnly: true });
  await expect(reader.readStream('edge')).rejects.toMatchObject({
    revision: 3n,
    reason: expect.stringMatching(/no seal/),
  });
  expect(await reader.readStream('edge', { limit: 3 })).toHaveLength(3);
  expect(reader.seals.isTaken((await reader.readStream('edge', { limit: 2 }))[1].position)).toBe(true);
  await reader.close();
  const other = openEventStoreDB({ secrets: ['o'.repeat(32)], connectionString: double.connectionString });
  await expect(other.readStream('edge')).rejects.toMatchObject({ name: 'LogSecretMissing' });
  await other.close();
});

it('takes no row of another log, though its secret is the same', async () => {
  const staging = await startDouble(openDoubleLog(join(directory, 'staging.db')));
  const there = openEventStoreDB({ secrets: [LOG_SECRET], connectionString: staging.connectionString });
  await there.append('key-1', [revoked('1')], 'no_stream');
  await store.append('edge', [refusals(1)], 'no_stream');
  const files = ['staging.db', 'double.db'].map(
    (name) => new Database(join(directory, name), { timeout: 5 } as Database.Options),
  );
  handIn(files[1]).write(handIn(files[0]).read('key-1', 0));
  for (const file of files) file.close();
  await expect(store.readStream('key-1')).rejects.toMatchObject({
    reason: expect.stringMatching(/from another place or log/),
  });
  await there.close();
  await staging.close();
});
