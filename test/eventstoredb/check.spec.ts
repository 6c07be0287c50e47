/** The check by a running service through an EventStoreDB, whatever server the other suites are given: another writer writes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import Database from 'libsql';
import { serverPass } from '#audit/log-passes';
import { streams } from '#domain/streams';
import { LogCheck } from '#kit/log/check';
import type { LogCheckState, LogDamage } from '#kit/log/damage';
import { newEventId } from '#kit/log/event-id';
import { openEventStoreDB } from '#kit/log/eventstoredb/store';
import type { SealedStore, Unsealed } from '#kit/log/seal';
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
  unsealed: Unsealed[];
}

const look = () => {
  const { connectionString } = double;
  const [damage, unsealed]: [LogDamage[], Unsealed[]] = [[], []];
  let ended: (looked: Looked) => void;
  const end = new Promise<Looked>((resolve) => {
    ended = resolve;
  });
  const check = new LogCheck({
    passes: [serverPass({ connectionString, secrets: [LOG_SECRET] })],
    onDamage: (one) => void damage.push(one),
    onUnsealed: (one) => void unsealed.push(one),
    onEnd: (state) => ended({ state, damage, unsealed }),
  });
  check.start();
  return { check, end };
};

it('names rows without a seal, streams that were deleted, cut or tombstoned, gaps, and decisions that no longer hold', async () => {
  await store.append('edge', [refusals(0), refusals(1), refusals(2), refusals(3)], 'no_stream');
  const keys = [newEventId(), newEventId(), newEventId()];
  const [gone, hard, cut] = keys.map((key) => streams.key(key));
  for (const key of keys) await store.append(streams.key(key), [revoked(key), revoked(key)], 'no_stream');
  const db = new Database(join(directory, 'double.db'), { timeout: 5 } as Database.Options);
  const hand = handIn(db);
  const data = {
    ...{ position: String(await store.head()), unsealed_to: '0', secrets: [], events: 9, sha256: '0'.repeat(64) },
    ...{ operator: 'ada', reason: 'seen', at: '2026-01-01T00:00:00.000Z' },
  };
  await store.append('log', [{ id: newEventId(), type: 'LogSealed', version: 1, data }], 'no_stream');
  await store.append('edge', [refusals(4), refusals(5)], 'any');
  const client = EventStoreDBClient.connectionString(double.connectionString);
  await client.deleteStream(gone);
  await client.tombstoneStream(hard);
  await client.setStreamMetadata(cut, { maxCount: 1 });
  await client.appendToStream('edge', jsonEvent({ type: 'RefusalsCounted', data: refusals(9).data as never }));
  await client.dispose();
  hand.remove('edge', 2);
  db.close();

  const { state, damage, unsealed } = await look().end;
  expect(unsealed.map(({ stream, problem }) => [stream, problem])).toEqual([
    ...[gone, hard, cut].map((stream) => [stream, `another hand deleted stream ${stream} or cut it`]),
    ['edge', 'has no seal: the service did not write it'],
  ]);
  const gap = { stream: 'edge', revision: 3, type: 'RefusalsCounted', problem: 'has revision 3 where 2 comes next' };
  const log = {
    stream: 'log',
    revision: null,
    type: 'LogSealed',
    problem: expect.stringContaining('is not what ada sealed'),
  };
  expect(state.status).toBe('damaged');
  expect(damage).toMatchObject([gap, log]);
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
  expect(state).toEqual({ status: 'sound', checked: head, head, damaged: 0, damage: [] });
  expect(ended.check.state.status).toBe('running');
});
