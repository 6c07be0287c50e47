import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { openEventStoreDB } from '#kit/log/eventstoredb/store';
import type { EventStore } from '#kit/log/port';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { exportLog, importLog } from '#kit/log/transfer';
import { LOG_SECRET, startDouble } from './double.js';
import { openDoubleLog } from './log.js';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..', '..');
const golden = join(root, relative(join(root, 'dist'), here), '..', 'golden');

const exported = async (store: EventStore) => {
  const lines: string[] = [];
  for await (const line of exportLog(store)) lines.push(line);
  return lines;
};
async function* given(lines: string[]) {
  yield* lines;
}

/** Needs a server without events of its own, so the double whatever server the other suites are given. */
it('moves a log from SQLite to EventStoreDB and back: streams, revisions, ids, times and order are kept', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-move-'));
  const [here, back] = await Promise.all(
    ['here', 'back'].map((name) => openSqliteEventStore({ directory: join(directory, name) })),
  );
  for (const file of readdirSync(golden).filter((name) => name.endsWith('.ndjson'))) {
    for (const line of readFileSync(join(golden, file), 'utf8').trimEnd().split('\n')) {
      const { stream, revision, ...event } = JSON.parse(line);
      await here.append(stream, [event], revision === 0 ? 'no_stream' : BigInt(revision - 1));
    }
  }
  const lines = await exported(here);
  const double = await startDouble(openDoubleLog(join(directory, 'double.db')));
  const there = openEventStoreDB({ secrets: [LOG_SECRET], connectionString: double.connectionString });
  try {
    await sleep(5);
    // Stopped in between, and gone on with.
    await importLog(given(lines.slice(0, 8)), there, { together: 1 });
    expect(await importLog(given(lines), there, { together: 1 })).toEqual({ present: 7, written: lines.length - 9 });
    expect(await exported(there)).toEqual(lines);
    await importLog(given(await exported(there)), back, { together: 256 });
    expect(await exported(back)).toEqual(lines);
  } finally {
    await there.close();
    await double.close();
    await here.close();
    await back.close();
    rmSync(directory, { recursive: true });
  }
});
