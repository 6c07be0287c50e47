import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { secretId } from '../seal.js';
import { describeEventStore } from '../test/conformance.js';
import { event } from '../test/support.js';
import { LogReader } from './reader.js';
import { openSqliteEventStore } from './store.js';
import { handIn } from './test/hand.js';

describeEventStore('SQLite', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-log-'));
  let current = await openSqliteEventStore({ directory });
  const db = new Database(join(directory, 'events.db'), { timeout: 5 } as Database.Options);
  return {
    store: current,
    hand: handIn(db),
    reopen: async () => {
      await current.close();
      current = await openSqliteEventStore({ directory });
      return current;
    },
    dispose: async () => {
      db.close();
      await current.close();
      rmSync(directory, { recursive: true });
    },
  };
});

it('looks once for a stream that is not there, and finds what is appended to it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-log-'));
  const store = await openSqliteEventStore({ directory });
  const looked = jest.spyOn(LogReader.prototype, 'stream');
  try {
    for (let n = 0; n < 3; n++) expect(await store.readStream('late')).toEqual([]);
    expect(looked).toHaveBeenCalledTimes(1);
    await store.append('late', [event()], 'no_stream');
    expect(await store.readStream('late')).toHaveLength(1);
    expect(await store.readStream('late', { from: 1n })).toEqual([]);
    await store.append('late', [event()], 0n);
    expect(await store.readStream('late', { from: 1n })).toHaveLength(1);
  } finally {
    looked.mockRestore();
    await store.close();
    rmSync(directory, { recursive: true });
  }
});

it('takes the secrets that are given, and none that somebody lays beside the log', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-log-'));
  const given = 'g'.repeat(32);
  writeFileSync(join(directory, 'log.secret'), 'o'.repeat(32));
  const store = await openSqliteEventStore({ directory, secrets: [given] });
  try {
    await store.append('given', [event()], 'no_stream');
    expect(store.seals.ids).toEqual([secretId(given)]);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true });
  }
});
