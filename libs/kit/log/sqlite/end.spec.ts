import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import Database from 'libsql';
import { collect, event } from '../conformance/support.js';
import { newEventId } from '../event-id.js';
import type { RecordedEvent } from '../port.js';
import { checkSteps } from './check.js';
import { holesOf } from './holes.js';
import { checksum } from './row.js';
import { openSqliteEventReader, openSqliteEventStore } from './store.js';

/** Where another writer puts a row: so many places behind the log's last row, or anywhere. */
const place = fc.oneof(
  fc.record({ behind: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ at: fc.oneof(fc.bigInt(1n, 40n), fc.bigInt(41n, 2n ** 63n - 1n), fc.constant(2n ** 63n - 1n)) }),
);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ append: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ forge: place }) },
  { weight: 1, arbitrary: fc.constant('reopen' as const) },
  { weight: 1, arbitrary: fc.constant('take away' as const) },
);

it('is where the service wrote last, wherever another hand puts rows: no place stays empty, and nobody misses an event', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
      const directory = mkdtempSync(join(tmpdir(), 'mvs-end-'));
      let store = await openSqliteEventStore({ directory });
      const db = new Database(join(directory, 'events.db'), { timeout: 5 } as Database.Options);
      const insert = db.prepare(
        `INSERT OR IGNORE INTO events (position, stream, revision, id, type, version, recorded_at, metadata, data, checksum)
         VALUES (CAST(? AS INTEGER), 'edge', ?, ?, 'Forged', 1, 0, NULL, '{}', ?)`,
      );
      const highest = db.prepare('SELECT coalesce(max(position), 0) FROM events WHERE position < 1000000').raw();
      const other = openSqliteEventReader({ directory });
      const heard: string[] = [];
      const listen = () => store.subscribe({}, { onEvent: ({ id }) => void heard.push(id) });
      const following = other.subscribe({}, { onEvent: () => {} });
      let subscription = listen();
      // A log whose rows have no seal at all is one of before.
      const first = event();
      await store.append('edge-own', [first], 'any');
      const appended = [first.id];
      let forged = 0;
      // Each its own: SQLite counts the place of a row that it ignores as given.
      let revision = 0;
      try {
        for (const one of steps) {
          if (one === 'reopen') {
            await subscription.close();
            await store.close();
            store = await openSqliteEventStore({ directory });
            heard.length = 0;
            subscription = listen();
          } else if (one === 'take away') {
            // Nothing of the service's own stands there, and it has appended since: a row behind the end may go.
            const next = event();
            const { position } = await store.append('edge-own', [next], 'any');
            appended.push(next.id);
            forged -= db.prepare("DELETE FROM events WHERE type = 'Forged' AND position > ?").run(position).changes;
          } else if ('append' in one) {
            const events = Array.from({ length: one.append }, () => event());
            const { position } = await store.append('edge-own', events, 'any');
            appended.push(...events.map(({ id }) => id));
            expect(await store.head()).toBe(position);
            expect(await other.head()).toBe(position);
          } else {
            const at = 'at' in one.forge ? one.forge.at : (highest.get() as [number])[0] + one.forge.behind;
            const row = { stream: 'edge', revision: revision++, id: newEventId(), type: 'Forged', version: 1 };
            const sum = checksum({ ...row, recordedAt: 0, metadata: null, data: '{}' });
            forged += insert.run(String(at), row.revision, row.id, sum).changes;
          }
        }
        const ids = (events: readonly RecordedEvent[]) => events.map(({ id }) => id);
        for (const log of [store, other]) {
          expect(ids(await collect(log.readAll()))).toEqual(appended);
          expect(ids(await log.readLast(3))).toEqual(appended.slice(-3));
        }
        for (let waits = 0; heard.length < appended.length && waits < 1000; waits++)
          await new Promise((done) => setTimeout(done, 5));
        expect(heard).toEqual(appended);
        expect(holesOf(directory, [], store.seals)).toMatchObject({ missing: 0 });
        const found = [...checkSteps({ directory })];
        expect(found.flatMap(({ damage }) => damage)).toEqual([]);
        expect(found.flatMap(({ unsealed }) => unsealed)).toHaveLength(forged);
      } finally {
        await Promise.all([subscription.close(), following.close()]);
        await Promise.all([store.close(), other.close()]);
        db.close();
        rmSync(directory, { recursive: true });
      }
    }),
    {
      numRuns: 15,
      // Two places that are one number of JavaScript.
      examples: [[[{ forge: { at: 2n ** 63n - 1n } }, { forge: { at: 2n ** 63n - 2n } }, { append: 1 }]]],
    },
  );
}, 120_000);
