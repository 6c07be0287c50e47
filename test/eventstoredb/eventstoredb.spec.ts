import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { describeEventStore } from '#kit/log/conformance';
import { openEventStoreDB } from '#kit/log/eventstoredb/store';
import type { AppendWay } from '#kit/log/eventstoredb/streams';
import { startCluster } from './cluster.js';
import { LOG_SECRET, startDouble } from './double.js';
import { handIn } from './hand.js';
import { type DoubleLog, openDoubleLog } from './log.js';
import { noFaults } from './served.js';

interface Server {
  connectionString: string;
  close(): Promise<void>;
}

function describeServer(
  name: string,
  appendBy: AppendWay,
  start: (log: DoubleLog) => Promise<Server>,
  hasHand = false,
): void {
  describeEventStore(name, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'mvs-double-'));
    const file = join(directory, 'double.db');
    const server = await start(openDoubleLog(file));
    const { connectionString } = server;
    // Client and double share this process and a busy machine; other suites hold the adapter to its real promise.
    const patient = { awayWithinMs: 60_000, answerWithinMs: 60_000 };
    const open = () => openEventStoreDB({ secrets: [LOG_SECRET], connectionString, appendBy, ...patient });
    let store = open();
    return {
      store,
      ...(hasHand && { hand: handIn(new Database(file, { timeout: 5 } as Database.Options)) }),
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
if (real) {
  for (const way of ['batch', 'client'] as const)
    describeServer(`EventStoreDB, by ${way}`, way, async () => ({ connectionString: real, close: async () => {} }));
} else {
  const faults = { ...noFaults(), outOfTurn: true };
  describeServer('EventStoreDB (protocol double)', 'batch', (log) => startDouble(log, { faults }), true);
  describeServer('EventStoreDB (protocol double), by client', 'client', (log) => startDouble(log, { faults }));
  describeServer('EventStoreDB (a cluster of the double)', 'batch', (log) => startCluster(log));
}
