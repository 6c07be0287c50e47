import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { describeEventStore } from '#kit/log/conformance';
import type { ForgedRow, OtherHand } from '#kit/log/conformance/forgery';
import { openEventStoreDB } from '#kit/log/eventstoredb/store';
import { startCluster } from './cluster.js';
import { LOG_SECRET, startDouble } from './double.js';
import { type DoubleLog, openDoubleLog } from './log.js';
import { noFaults } from './served.js';

interface Server {
  connectionString: string;
  close(): Promise<void>;
}

/** Writes into the double's file beside it. */
function handIn(db: Database.Database): OtherHand {
  const read = db.prepare('SELECT * FROM events WHERE stream = ? AND rev = ?');
  const insert = db.prepare(
    'INSERT INTO events (stream, rev, id, type, json, data, metadata, created) VALUES (?, ?, ?, ?, 1, ?, ?, ?)',
  );
  const update = db.prepare('UPDATE events SET id = ?, type = ?, data = ?, metadata = ? WHERE stream = ? AND rev = ?');
  const kept = ({ metadata, version, recordedAt }: ForgedRow) => {
    const time = new Date(recordedAt).toISOString();
    return Buffer.from(JSON.stringify({ ...JSON.parse(metadata ?? '{}'), schemaVersion: version, recordedAt: time }));
  };
  return {
    rows: 1,
    read(stream, revision) {
      const row = read.get(stream, revision) as { id: string; type: string; data: Buffer; metadata: Buffer };
      const { schemaVersion, recordedAt, $correlationId, ...rest } = JSON.parse(row.metadata.toString());
      const metadata = JSON.stringify({ ...rest, $correlationId });
      const time = new Date(recordedAt).getTime();
      const { id, type } = row;
      return {
        stream,
        revision,
        id,
        type,
        version: schemaVersion,
        recordedAt: time,
        metadata,
        data: row.data.toString(),
      };
    },
    write(row) {
      const { stream, revision, id, type, data } = row;
      insert.run(stream, revision, id, type, Buffer.from(data), kept(row), Date.now());
    },
    change(row) {
      const { stream, revision, id, type, data } = row;
      update.run(id, type, Buffer.from(data), kept(row), stream, revision);
    },
  };
}

function describeServer(name: string, start: (log: DoubleLog) => Promise<Server>, hasHand = false): void {
  describeEventStore(name, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'mvs-double-'));
    const file = join(directory, 'double.db');
    const server = await start(openDoubleLog(file));
    const { connectionString } = server;
    // Client and double share this process and a busy machine; other suites hold the adapter to its real promise.
    const open = () => openEventStoreDB({ secrets: [LOG_SECRET], connectionString, answerWithinMs: 60_000 });
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
if (real) describeServer('EventStoreDB', async () => ({ connectionString: real, close: async () => {} }));
else {
  const faults = { ...noFaults(), outOfTurn: true };
  describeServer('EventStoreDB (protocol double)', (log) => startDouble(log, { faults }), true);
  describeServer('EventStoreDB (a cluster of the double)', (log) => startCluster(log));
}
