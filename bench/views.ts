/** How fast all views are made from a log, and with how much memory. `MVS_BENCH_CLAIMS` sets the larger log's size. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { upcast } from '#domain';
import { type EventStore, openSqliteEventReader, openSqliteEventStore } from '#event-store';
import { PROJECTIONS, type Projection, rebuildViews } from '#views';
import { generateStreams } from '../test/streams.js';

const CLAIMS = Number(process.env.MVS_BENCH_CLAIMS ?? 30_000);
const TOGETHER = 400;
const MiB = 1024 * 1024;

export async function run(): Promise<void> {
  const directory = mkdtempSync(join(process.env.MVS_BENCH_DIR ?? tmpdir(), 'mvs-bench-'));
  try {
    console.log('| log | views | events/s | CPU us/event | resident MiB, median and highest | files MiB |');
    console.log('|---|---|---:|---:|---:|---:|');
    for (const claims of [Math.round(CLAIMS / 10), CLAIMS]) {
      const log = join(directory, String(claims));
      mkdirSync(log);
      await write(log, claims);
      for (const projection of PROJECTIONS) await measure(directory, log, [projection]);
      await measure(directory, log, PROJECTIONS);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
  console.log();
}

async function write(directory: string, claims: number): Promise<void> {
  const store: EventStore = await openSqliteEventStore({ directory });
  let appends: Promise<unknown>[] = [];
  for (const { stream, revision, ...event } of generateStreams(claims)) {
    appends.push(store.append(stream, [event], revision === 0 ? 'no_stream' : BigInt(revision - 1)));
    if (appends.length < TOGETHER) continue;
    await Promise.all(appends);
    appends = [];
  }
  await Promise.all(appends);
  await store.close();
}

async function measure(directory: string, log: string, projections: readonly Projection[]): Promise<void> {
  const reader = openSqliteEventReader({ directory: log, upcast });
  const into = join(directory, 'views');
  const resident: number[] = [];
  const [begin, cpu] = [performance.now(), process.cpuUsage()];
  const { events } = await rebuildViews({
    reader,
    projections,
    directory: into,
    onProgress: () => void resident.push(process.memoryUsage.rss() / MiB),
  });
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  await reader.close();
  resident.sort((a, b) => a - b);
  const files = sizeOf(into).toFixed(0);
  rmSync(into, { recursive: true });
  const names = projections.length === 1 ? projections[0].name : 'all';
  const memory = `${resident[resident.length >> 1].toFixed(0)}, ${resident[resident.length - 1].toFixed(0)}`;
  const cost = (user + system) / events;
  const rate = events / seconds;
  console.log(`| ${events} events | ${names} | ${rate.toFixed(0)} | ${cost.toFixed(1)} | ${memory} | ${files} |`);
}

const sizeOf = (directory: string): number =>
  readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0) / MiB;
