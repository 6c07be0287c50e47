import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import Database from 'libsql';
import { newEventId } from '#kit/log/event-id';
import type { EventStore } from '#kit/log/port';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { quantile, upperMedian } from '#science/numerics/quantile';

const ROUNDS = 9;
const SECONDS = 0.7;
const IN_FLIGHT = 64;
/** A scan set's two vectors in base64, with what stands around them. */
const data = { vectors: { a: 'A'.repeat(1368), b: 'B'.repeat(1368) }, note: 'as large as a banked scan set' };
const metadata = { correlationId: '0190f5a0-0000-7000-8000-000000000000' };

interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
  /** Of the time, what the main thread was busy. */
  mainThread: number;
}

/** The event log beside bare SQLite (same library, settings and bytes, one prepared insert and two indexes). */
export async function run(): Promise<void> {
  const directory = mkdtempSync(join(process.env.MVS_BENCH_DIR ?? tmpdir(), 'mvs-bench-'));
  try {
    const raw = rawSqlite(join(directory, 'raw.db'));
    const store = await openSqliteEventStore({ directory: join(directory, 'log') });
    const results: Record<string, Measured[]> = {};
    const keep = (name: string, measured: Measured) => {
      results[name] ??= [];
      results[name].push(measured);
    };
    for (let round = 0; round < ROUNDS; round++) {
      keep('raw SQLite, 1 a commit', await measure(1, async () => raw(1)));
      keep('event store, 1 in flight', await measure(1, () => append(store)));
      keep(`raw SQLite, ${IN_FLIGHT} a commit`, await measure(1, async () => raw(IN_FLIGHT), IN_FLIGHT));
      keep(`event store, ${IN_FLIGHT} in flight`, await measure(IN_FLIGHT, () => append(store)));
    }
    console.log(
      `Node ${process.versions.node}, events of ${JSON.stringify(data).length} bytes, medians of ${ROUNDS}\n`,
    );
    console.log('| | appends/s | p50 ms | p99 ms | main thread busy |\n|---|---:|---:|---:|---:|');
    for (const [name, rounds] of Object.entries(results)) {
      const of = (pick: (one: Measured) => number) => upperMedian(rounds.map(pick));
      const busy = `${(100 * of((one) => one.mainThread)).toFixed(0)}%`;
      const [p50, p99] = [of((one) => one.p50).toFixed(2), of((one) => one.p99).toFixed(2)];
      console.log(`| ${name} | ${of((one) => one.perSecond).toFixed(0)} | ${p50} | ${p99} | ${busy} |`);
    }
    const ratio = (name: string, to: string) =>
      upperMedian(results[name].map(({ perSecond }, round) => perSecond / results[to][round].perSecond)).toFixed(2);
    const one = ratio('event store, 1 in flight', 'raw SQLite, 1 a commit');
    const many = ratio(`event store, ${IN_FLIGHT} in flight`, `raw SQLite, ${IN_FLIGHT} a commit`);
    console.log(
      `\nof raw SQLite, median of the rounds' ratios: ${one} one at a time, ${many} with ${IN_FLIGHT} in flight`,
    );
    await measureReading(store);
    await store.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
  console.log();
}

let streams = 0;
const append = (store: EventStore) =>
  store.append(
    `bench-${process.pid}-${streams++}`,
    [{ id: newEventId(), type: 'Measured', version: 1, data, metadata }],
    'no_stream',
  );

function rawSqlite(file: string): (count: number) => void {
  const db = new Database(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000');
  db.exec(`CREATE TABLE e (position INTEGER PRIMARY KEY AUTOINCREMENT, stream TEXT, revision INTEGER, id TEXT, type TEXT,
    metadata TEXT, data TEXT, UNIQUE (stream, revision)); CREATE INDEX i ON e (id)`);
  const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')];
  const insert = db.prepare('INSERT INTO e (stream, revision, id, type, metadata, data) VALUES (?, 0, ?, ?, ?, ?)');
  return (count) => {
    begin.run();
    for (let i = 0; i < count; i++) {
      insert.run(`bench-${streams++}`, newEventId(), 'Measured', JSON.stringify(metadata), JSON.stringify(data));
    }
    commit.run();
  };
}

/** Keeps `inFlight` calls of `work` under way; each stands for `unit` appends. */
async function measure(inFlight: number, work: () => Promise<unknown>, unit = 1): Promise<Measured> {
  const times: number[] = [];
  const busy = performance.eventLoopUtilization();
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (performance.now() - begin < SECONDS * 1000) {
        const start = performance.now();
        await work();
        times.push(performance.now() - start);
      }
    }),
  );
  return summary(times, begin, busy, unit);
}

type Utilization = ReturnType<typeof performance.eventLoopUtilization>;

function summary(times: number[], begin: number, busy: Utilization, unit: number): Measured {
  const seconds = (performance.now() - begin) / 1000;
  const mainThread = performance.eventLoopUtilization(busy).utilization;
  times.sort((a, b) => a - b);
  return {
    perSecond: (times.length * unit) / seconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    mainThread,
  };
}

async function measureReading(store: EventStore): Promise<void> {
  let count = 0;
  let begin = performance.now();
  for await (const _ of store.readAll()) count++;
  console.log(`read all: ${((count / (performance.now() - begin)) * 1000).toFixed(0)} events/s over ${count} events`);

  begin = performance.now();
  const READS = 5000;
  for (let i = 0; i < READS; i++) await store.readStream(`bench-${process.pid}-${(i * 7919) % streams}`);
  console.log(`read a short stream: ${(((performance.now() - begin) / READS) * 1000).toFixed(0)} us`);

  const times: number[] = [];
  let start = 0;
  let heard = () => {};
  const subscription = store.subscribe({ after: await store.head() }, { onEvent: () => heard() });
  for (let i = 0; i < 500; i++) {
    const arrived = new Promise<void>((resolve) => {
      heard = resolve;
    });
    start = performance.now();
    await append(store);
    await arrived;
    times.push(performance.now() - start);
  }
  await subscription.close();
  console.log(`append to subscriber: ${upperMedian(times).toFixed(2)} ms`);
}
