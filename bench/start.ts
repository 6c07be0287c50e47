/**
 * Time that a replica needs until its views hold the log, from nothing and from a copy of another one's views (`mvs
 * views copy`). `MVS_BENCH_CLAIMS` sets the log's size; EventStoreDB is the protocol double.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROJECTIONS } from '#catalogue/projections';
import { rebuildViews } from '#catalogue/rebuild';
import { upcast } from '#catalogue/upcast';
import { newEventId } from '#kit/log/event-id';
import { toMetadata } from '#kit/log/eventstoredb/events';
import { openEventStoreDB } from '#kit/log/eventstoredb/store';
import type { EventReader } from '#kit/log/port';
import { LogSeals, metadataText } from '#kit/log/seal';
import { openSqliteEventReader, openSqliteEventStore } from '#kit/log/sqlite/store';
import { copyView } from '#kit/views/files';
import { LOG_SECRET, startDouble } from '../test/eventstoredb/double.js';
import { openDoubleLog } from '../test/eventstoredb/log.js';
import { NODE_FLAGS } from '../test/node-flags.js';
import { generateStreams, type StreamEvent } from '../test/streams.js';
import { encodedVectors } from './encoded.js';
import type { Vitals } from './serving.js';

/** 100,000 events. */
const CLAIMS = Number(process.env.MVS_BENCH_CLAIMS ?? 24_000);
const ROUNDS = Number(process.env.MVS_BENCH_ROUNDS ?? 3);
const OPERATOR = 'the operator of the bench';
const TOGETHER = 400;

interface Log {
  name: string;
  /** Besides the data directory. */
  environment: Record<string, string>;
  /** The data directory, where a replica has to find the log itself. */
  data?: string;
  reader: EventReader;
  close(): Promise<void>;
}

export async function run(): Promise<void> {
  const directory = mkdtempSync(join(process.env.MVS_BENCH_DIR ?? tmpdir(), 'mvs-bench-'));
  try {
    console.log('| log | events | views from | copy MiB | copied in s | caught up after s | CPU s |');
    console.log('|---|---:|---|---:|---:|---:|---:|');
    for (const open of [sqlite, double]) {
      const log = await open(join(directory, open.name));
      try {
        await measure(log, join(directory, `${open.name}-views`));
      } finally {
        await log.close();
      }
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
  console.log();
}

async function measure({ name, environment, data, reader }: Log, made: string): Promise<void> {
  const { events } = await rebuildViews({ reader, projections: PROJECTIONS, directory: made });
  const none = () => ({ copying: [] as number[], seconds: [] as number[], cpu: [] as number[] });
  const rows: Record<string, ReturnType<typeof none>> = { nothing: none(), 'a copy': none() };
  for (let round = 0; round < ROUNDS; round++) {
    for (const from of Object.keys(rows)) {
      const row = rows[from];
      const folder = data ?? `${made}-replica`;
      const views = join(folder, 'views');
      rmSync(views, { recursive: true, force: true });
      if (from === 'a copy') {
        const began = performance.now();
        mkdirSync(views, { recursive: true, mode: 0o700 });
        for (const projection of PROJECTIONS) copyView(made, projection, views);
        row.copying.push((performance.now() - began) / 1000);
      }
      const { seconds, cpuMs } = await start({ ...environment, MVS_DATA_DIR: folder });
      row.seconds.push(seconds);
      row.cpu.push(cpuMs / 1000);
    }
  }
  const bytes = readdirSync(made).reduce((sum, name) => sum + statSync(join(made, name)).size, 0);
  const size = (bytes / 2 ** 20).toFixed(0);
  const shown = (values: number[]) => `${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)}`;
  for (const [from, { copying, seconds, cpu }] of Object.entries(rows)) {
    const copied = copying.length > 0 ? [size, shown(copying)] : ['', ''];
    console.log(`| ${[name, events, from, ...copied, shown(seconds), shown(cpu)].join(' | ')} |`);
  }
}

async function start(environment: Record<string, string>): Promise<{ seconds: number; cpuMs: number }> {
  const began = performance.now();
  const child = fork(new URL('./serving.js', import.meta.url), {
    execArgv: [...process.execArgv, ...NODE_FLAGS],
    env: {
      ...process.env,
      PORT: '0',
      MVS_LOG_LEVEL: 'warn',
      MVS_OPERATOR_KEYS: `olga:${createHash('sha256').update(OPERATOR).digest('hex')}`,
      ...environment,
    },
  });
  const base = await answer<string>(child);
  const headers = { 'x-svc-admin': OPERATOR };
  for (let behind = true; behind; await sleep(50)) {
    const { parts } = (await (await fetch(`${base}/health/detail`, { headers })).json()) as {
      parts: { views: { caughtUp: boolean }[] };
    };
    behind = parts.views.some(({ caughtUp }) => !caughtUp);
  }
  const seconds = (performance.now() - began) / 1000;
  child.send('vitals');
  const { cpuMs } = await answer<Vitals>(child);
  await new Promise((ended) => {
    child.once('exit', ended);
    child.disconnect();
  });
  return { seconds, cpuMs };
}

const answer = <T>(child: ChildProcess) =>
  new Promise<T>((resolve, reject) => {
    child.once('message', resolve as (message: unknown) => void);
    child.once('exit', (code) => reject(new Error(`the service ended (${code})`)));
  });

async function* batches(): AsyncGenerator<StreamEvent[]> {
  let batch: StreamEvent[] = [];
  for (const event of generateStreams(CLAIMS, 1, await encodedVectors())) {
    batch.push(event);
    if (batch.length < TOGETHER) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
async function* withFirst<T>(first: T, others: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* others;
}
const expected = ({ revision }: StreamEvent) => (revision === 0 ? 'no_stream' : BigInt(revision - 1));

async function sqlite(directory: string): Promise<Log> {
  const store = await openSqliteEventStore({ directory });
  for await (const batch of batches()) {
    await Promise.all(batch.map((event) => store.append(event.stream, [bare(event)], expected(event))));
  }
  await store.close();
  const reader = openSqliteEventReader({ directory, upcast });
  return { name: 'SQLite', environment: {}, data: directory, reader, close: () => reader.close() };
}

async function double(directory: string): Promise<Log> {
  const log = openDoubleLog(`${directory}.db`);
  const begun: StreamEvent = {
    ...{ stream: 'log', revision: 0, id: newEventId(), type: 'LogBegun', version: 1, data: { log: NAME } },
    recordedAt: new Date(),
  };
  for await (const batch of withFirst([begun], batches())) {
    for (const event of batch) {
      const json = (value: object) => Buffer.from(JSON.stringify(value));
      const { id, type, data } = event;
      const proposed = { id, type, json: true, data: json(data), metadata: json(sealedMetadata(event)) };
      await log.append(event.stream, [proposed], expected(event));
    }
  }
  const server = await startDouble(log);
  const reader = openEventStoreDB({ secrets: [LOG_SECRET], connectionString: server.connectionString, upcast });
  return {
    name: 'EventStoreDB',
    environment: { EVENTSTORE_URL: server.connectionString, MVS_LOG_SECRET: LOG_SECRET },
    reader,
    close: async () => {
      await reader.close();
      await server.close();
    },
  };
}

const NAME = newEventId();
const seals = new LogSeals([LOG_SECRET]).begin(NAME);
/** As the service writes it. */
function sealedMetadata(event: StreamEvent) {
  const recordedAt = event.recordedAt ?? new Date();
  const data = JSON.stringify(event.data);
  const sealed = { ...event, recordedAt: recordedAt.getTime(), metadata: metadataText(event.metadata), data };
  return toMetadata(bare(event), recordedAt, seals.seal(sealed));
}
const bare = ({ stream: _, revision: __, ...event }: StreamEvent) => event;
