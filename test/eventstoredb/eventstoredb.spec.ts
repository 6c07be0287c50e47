import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeEventStore } from '#kit/log/conformance';
import { openEventStoreDB } from '#kit/log/eventstoredb/store';
import { startCluster } from './cluster.js';
import { startDouble } from './double.js';
import { type DoubleLog, openDoubleLog } from './log.js';
import { noFaults } from './served.js';

interface Server {
  connectionString: string;
  close(): Promise<void>;
}

function describeServer(name: string, start: (log: DoubleLog) => Promise<Server>): void {
  describeEventStore(name, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'mvs-double-'));
    const server = await start(openDoubleLog(join(directory, 'double.db')));
    const { connectionString } = server;
    // Client and double share this process and a busy machine; other suites hold the adapter to its real promise.
    const open = () => openEventStoreDB({ connectionString, answerWithinMs: 60_000 });
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
        await server.close();
        rmSync(directory, { recursive: true });
      },
    };
  });
}

const real = process.env.MVS_TEST_EVENTSTORE_URL;
if (real) describeServer('EventStoreDB', async () => ({ connectionString: real, close: async () => {} }));
else {
  const faults = { ...noFaults(), outOfTurn: true };
  describeServer('EventStoreDB (protocol double)', (log) => startDouble(log, { faults }));
  describeServer('EventStoreDB (a cluster of the double)', (log) => startCluster(log));
}
