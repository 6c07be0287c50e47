import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { openEventStoreDB } from '#kit/log/eventstoredb/store';
import { describeEventStore } from '#kit/log/test/conformance';
import { LOG_SECRET } from './double.js';
import { handIn } from './hand.js';
import { type DoubleLog, openDoubleLog } from './log.js';

interface Server {
  connectionString: string;
  close(): Promise<void>;
}

/** The checks of every event store, on a server of the test's own. */
export function describeServer(
  name: string,
  start: (log: DoubleLog) => Promise<Server>,
  { hasHand = false } = {},
): void {
  describeEventStore(name, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'mvs-double-'));
    const file = join(directory, 'double.db');
    const server = await start(openDoubleLog(file));
    const { connectionString } = server;
    // Client and double share this process and a busy machine; other suites hold the adapter to its real promise.
    const patient = { awayWithinMs: 60_000, answerWithinMs: 60_000 };
    const open = () => openEventStoreDB({ secrets: [LOG_SECRET], connectionString, ...patient });
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
