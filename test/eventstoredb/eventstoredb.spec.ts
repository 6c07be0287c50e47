import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEventStoreDB } from '#event-store';
import { describeEventStore } from '../../libs/event-store/conformance.js';
import { startDouble } from './double.js';
import { openDoubleLog } from './log.js';

const real = process.env.MVS_TEST_EVENTSTORE_URL;

describeEventStore(real ? 'EventStoreDB' : 'EventStoreDB (protocol double)', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-double-'));
  const double = real ? undefined : await startDouble(openDoubleLog(join(directory, 'double.db')));
  const connectionString = real ?? double?.connectionString ?? '';
  // Client and double share this process and a busy machine; faults.spec.ts holds the adapter to its real promise.
  const open = () => openEventStoreDB({ connectionString, answerWithinMs: 15_000 });
  let store = open();
  return {
    store,
    reopen: async () => {
      await store.close();
      store = open();
      return store;
    },
    dispose: async () => {
      await store.close();
      await double?.close();
      rmSync(directory, { recursive: true });
    },
  };
});
