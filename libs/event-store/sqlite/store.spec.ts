import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeEventStore } from '../conformance.js';
import { openSqliteEventStore } from './store.js';

describeEventStore('SQLite', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-log-'));
  let current = await openSqliteEventStore({ directory });
  return {
    store: current,
    reopen: async () => {
      await current.close();
      current = await openSqliteEventStore({ directory });
      return current;
    },
    dispose: async () => {
      await current.close();
      rmSync(directory, { recursive: true });
    },
  };
});
