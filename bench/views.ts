/** Speed and memory of making views from a log of encoded scans. `MVS_BENCH_CLAIMS` sets the larger log's size. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { PROJECTIONS } from '#catalogue/projections';
import { rebuildViews } from '#catalogue/rebuild';
import { upcast } from '#catalogue/upcast';
import { openSqliteEventReader } from '#kit/log/sqlite/store';
import { encodedVectors } from './encoded.js';
import { writeStreams } from './written.js';

const CLAIMS = Number(process.env.MVS_BENCH_CLAIMS ?? 300_000);
const ROUNDS = Number(process.env.MVS_BENCH_ROUNDS ?? 3);
const MiB = 1024 * 1024;
const ALL = PROJECTIONS.map(({ name }) => name);

export async function run(): Promise<void> {
  const directory = mkdtempSync(join(process.env.MVS_BENCH_DIR ?? tmpdir(), 'mvs-bench-'));
  try {
    console.log(`Node ${process.versions.node}, best of ${ROUNDS} rounds, each in a process of its own\n`);
    console.log('| events | views | events/s | events/s of CPU | resident MiB, median and highest | files MiB |');
    console.log('|---:|---|---:|---:|---:|---:|');
    for (const claims of [Math.round(CLAIMS / 10), CLAIMS]) {
      const log = join(directory, String(claims));
      await writeStreams(log, claims, await encodedVectors());
      for (const names of [[], ...ALL.map((name) => [name]), ALL]) {
        report(directory, log, names);
      }
      report(directory, log, ALL, 2);
      rmSync(log, { recursive: true });
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
  console.log();
}

interface Measured {
  events: number;
  seconds: number;
  cpuSeconds: number;
  resident: number[];
  files: number;
}

function report(directory: string, log: string, names: string[], threads = 1): void {
  // A file of its own: threads would take over the options of `node -e`.
  const asked = JSON.stringify([join(directory, 'views'), log, names, threads]);
  const rounds = Array.from({ length: ROUNDS }, () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [import.meta.filename, asked], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Measured;
  });
  const best = (pick: (one: Measured) => number) => Math.round(Math.max(...rounds.map(pick)));
  const [{ events, files }] = rounds;
  const what =
    names.length === 0
      ? 'none: reading alone'
      : names.length === 1
        ? names[0]
        : threads > 1
          ? 'all, on two threads'
          : 'all';
  const rate = best(({ seconds }) => events / seconds);
  const cpu = best(({ cpuSeconds }) => events / cpuSeconds);
  const resident = rounds.flatMap((one) => one.resident).sort((a, b) => a - b);
  const memory = `${resident[resident.length >> 1]}, ${resident[resident.length - 1]}`;
  console.log(`| ${events} | ${what} | ${rate} | ${cpu} | ${memory} | ${files} |`);
}

/** One rebuild, run in a process of its own. */
export async function measure(into: string, log: string, names: string[], threads: number): Promise<Measured> {
  const reader = openSqliteEventReader({ directory: log, upcast });
  const resident: number[] = [];
  const [begin, cpu] = [performance.now(), process.cpuUsage()];
  const { events } = await rebuildViews({
    reader,
    ...(threads > 1 && { log }),
    projections: PROJECTIONS.filter(({ name }) => names.includes(name)),
    directory: into,
    onProgress: () => void resident.push(Math.round(process.memoryUsage.rss() / MiB)),
  });
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  await reader.close();
  const bytes = readdirSync(into).reduce((sum, name) => sum + statSync(join(into, name)).size, 0);
  rmSync(into, { recursive: true });
  return { events, seconds, cpuSeconds: (user + system) / 1e6, resident, files: Math.round(bytes / MiB) };
}

if (process.argv[1] === import.meta.filename)
  console.log(JSON.stringify(await measure(...(JSON.parse(process.argv[2]) as Parameters<typeof measure>))));
