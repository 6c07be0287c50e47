/**
 * A cell of the production profile by role: service times measured here, the simulation of bench/cells compared with the real
 * profile, then sizes for loads that no one machine gives. `--picture` draws waiting times against load.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { INK } from '#pictures';
import { drawChart, NAMED_AT_END, roomFor } from '#pictures/chart';
import { redisIsHere } from '../test/redis.js';
import { type Cell, type Failure, type Simulated, simulate, type Times } from './cells/simulation.js';
import { type Load, load, type Target, withTargets } from './load.js';
import { type Profile, startProfile } from './production.js';

const SEED = Number(process.env.MVS_BENCH_SEED ?? 1);
const REQUESTS = Number(process.env.MVS_BENCH_CLAIMS ?? 400);
/**
 * Clients at which the simulation is compared with the profile, each time by the service times of a round before: a claim costs
 * less where many come at once. Plans are made by those of the last.
 */
const HELD_AT = [2, 8, 32];
const PICTURE = 'reports/scaling.svg';
/** The profile that is loaded. */
const PROFILE: Profile = {
  name: '2 for claims, 1 for operators, 2 workers',
  roles: ['claims', 'claims', 'operators'],
  workers: 2,
};
const LOADED: Cell = { claims: 2, threads: 2, operators: 1, workers: 2, logSlots: 1, clients: 2, cores: 2 };
const RATES = [100, 1000, 10_000];
/** No part of a plan works more than this share of its time. */
const MOST_BUSY = 0.6;
/** Of one real node of EventStoreDB with 64 appends in flight, the slowest of three runs (reports/performance.md); a claim's calls. */
const APPENDS_PER_SECOND = 3800;
const CALLS = 8;
const TRIP_MS = 2;

export async function run(): Promise<void> {
  if (!redisIsHere) {
    console.log('not measured: redis-server is not installed');
    return;
  }
  let times: Times | undefined;
  await withTargets(
    [() => startProfile(PROFILE)],
    async ([profile]) => {
      times = await measuredTimes(profile);
    },
    false,
  );
  if (times) plan(times);
}

/** Processor time of a process's main thread, and of all its threads, milliseconds. */
function threadsOf(pid: number): { main: number; all: number } {
  const spent = (file: string) => {
    const fields = readFileSync(file, 'utf8')
      .replace(/^.*[)] /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  };
  return { main: spent(`/proc/${pid}/task/${pid}/stat`), all: spent(`/proc/${pid}/stat`) };
}

/** Milliseconds in which the machine's cores did nothing. */
const idle = () => Number(readFileSync('/proc/stat', 'utf8').split(/\s+/)[4]) * 10;

interface Measured extends Load {
  /** Of the main threads of the replicas for claims, a claim. */
  mainMs: number;
  /** Cores that others left to the profile. */
  cores: number;
}

async function measured(profile: Target, clients: number): Promise<Measured> {
  const edges = Object.entries(profile.parts()).flatMap(([part, pids]) => (part.includes('(claims)') ? pids : []));
  const main = () => edges.reduce((sum, pid) => sum + threadsOf(pid).main, 0);
  const [mainBefore, idleBefore, began] = [main(), idle(), performance.now()];
  const found = await load(profile, clients, REQUESTS);
  const ms = performance.now() - began;
  const ours = (found.cpuMs + found.clientMs) * REQUESTS;
  return { ...found, mainMs: (main() - mainBefore) / REQUESTS, cores: (ours + idle() - idleBefore) / ms };
}

function timesOf({ clientMs, mainMs, partMs }: Measured): Times {
  const spent = (what: string) =>
    Object.entries(partMs).reduce((sum, [part, ms]) => sum + (part.includes(what) ? ms : 0), 0);
  return {
    client: clientMs,
    edge: mainMs,
    reading: spent('(claims)') - mainMs,
    redis: spent('Redis'),
    worker: spent('workers'),
    log: spent('double'),
    folding: spent('(operators)'),
    trip: 0,
  };
}

async function measuredTimes(profile: Target): Promise<Times> {
  await load(profile, 8, 200);
  const rounds: { clients: number; times: Times; real: Measured }[] = [];
  for (const clients of HELD_AT) {
    const times = timesOf(await measured(profile, clients));
    rounds.push({ clients, times, real: await measured(profile, clients) });
  }
  const names = Object.keys(rounds[0].times).filter((name) => name !== 'trip') as (keyof Times)[];
  console.log(`\nprocessor time a claim, ms, ${REQUESTS} claims a round\n`);
  console.log(`| clients | ${names.join(' | ')} |\n|---:|${names.map(() => '---:|').join('')}`);
  for (const { clients, times } of rounds)
    console.log(`| ${clients} | ${names.map((name) => times[name].toFixed(2)).join(' | ')} |`);
  console.log(
    '\n| clients | cores | claims/s real | simulated | p50 ms real | simulated |\n|---:|---:|---:|---:|---:|---:|',
  );
  const off = (simulated: number, real: number) => `${((100 * simulated) / real - 100).toFixed(0)}%`;
  for (const { clients, times, real } of rounds) {
    const { cores, claims_per_s, p50 } = real;
    // Less than a whole core is a slower one.
    const cell = { ...LOADED, cores: Math.max(1, Math.round(cores)) };
    const slowed = Object.fromEntries(
      Object.entries(times).map(([part, ms]) => [part, (ms * cell.cores) / cores]),
    ) as unknown as Times;
    const found = simulate(cell, slowed, { clients, requests: 20_000, seed: SEED });
    const [rate, median] = [found.claimsPerSecond, found.p50];
    console.log(
      `| ${clients} | ${cores.toFixed(2)} | ${claims_per_s.toFixed(0)} | ${rate.toFixed(0)} (${off(rate, claims_per_s)}) | ${p50.toFixed(1)} | ${median.toFixed(1)} (${off(median, p50)}) |`,
    );
  }
  return rounds[rounds.length - 1].times;
}

/** A cell for so many claims a second, with no part busier than a plan allows. */
function cellFor(rate: number, times: Times): Cell {
  const servers = (ms: number) => Math.ceil((rate * ms) / 1000 / MOST_BUSY);
  const claims = Math.max(2, servers(times.edge));
  const threads = Math.max(2, Math.ceil(servers(times.reading) / claims));
  return { claims, threads, operators: 2, workers: Math.max(2, servers(times.worker)), logSlots: 1 };
}

const busiest = ({ busy }: Simulated) =>
  Object.entries(busy).reduce((most, one) => (one[1] > most[1] ? one : most)) as [keyof Times, number];

function plan(here: Times): void {
  const times = { ...here, client: 0, log: (1000 * CALLS) / APPENDS_PER_SECOND, trip: TRIP_MS };
  /** Claims per second of one log and one replica that folds all of it. */
  const most = (1000 * MOST_BUSY) / Math.max(times.log, times.folding, times.redis);
  console.log(`\none cell takes ${most.toFixed(0)} claims/s with no part over ${100 * MOST_BUSY}% busy\n`);
  console.log(
    '| claims/s | cells | each: claims/s | for claims | threads of each | workers | for operators | p50 ms | p99 ms | busiest |',
  );
  console.log('|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|');
  for (const rate of RATES) {
    const cells = Math.ceil(rate / most);
    const share = rate / cells;
    const cell = cellFor(share, times);
    const found = simulate(cell, times, { rate: share, requests: 20_000, seed: SEED });
    const [part, busy] = busiest(found);
    console.log(
      `| ${rate} | ${cells} | ${share.toFixed(0)} | ${cell.claims} | ${cell.threads} | ${cell.workers} | ${cell.operators} | ${found.p50.toFixed(1)} | ${found.p99.toFixed(1)} | ${part} ${(100 * busy).toFixed(0)}% |`,
    );
  }
  failures(most, times);
  if (process.argv.includes('--picture')) writeFileSync(PICTURE, picture(most, times));
}

const FAILURES: [string, Omit<Failure, 'from'>][] = [
  ['nothing', { part: 'edge', for: 0 }],
  ['one replica for claims stands still for 10 s', { part: 'edge', servers: 1, for: 10_000 }],
  ['half of the workers are away for 10 s', { part: 'worker', servers: 0, for: 10_000 }],
  ['Redis is away for 3 s', { part: 'redis', for: 3000 }],
  ['the log elects a leader for 2 s', { part: 'log', for: 2000 }],
  ['the log is away for 20 s', { part: 'log', for: 20_000 }],
  ['both replicas for operators are away for 60 s', { part: 'folding', for: 60_000 }],
];

/** A full cell with one failure in the tenth second of some eighty. */
function failures(rate: number, times: Times): void {
  const cell = cellFor(rate, times);
  console.log(`\na full cell (${rate.toFixed(0)} claims/s), whose clients wait\n`);
  console.log('| failure | p50 ms | p99 ms | longest s | over 30 s | claims not folded at the end |');
  console.log('|---|---:|---:|---:|---:|---:|');
  for (const [name, failure] of FAILURES) {
    const servers = failure.servers === 0 ? Math.ceil(cell.workers / 2) : failure.servers;
    const load = { rate, requests: Math.round(80 * rate), seed: SEED };
    const found = simulate(cell, times, load, { ...failure, ...(servers && { servers }), from: 10_000 });
    console.log(
      `| ${name} | ${found.p50.toFixed(1)} | ${found.p99.toFixed(0)} | ${(found.longest / 1000).toFixed(1)} | ${found.late} | ${found.unfolded} |`,
    );
  }
}

/** Waiting times of a full cell's parts as more and more claims come. */
function picture(most: number, times: Times): string {
  const cell = cellFor(most, times);
  const points = Array.from({ length: 16 }, (_, i) => {
    const rate = (most / MOST_BUSY) * (0.06 * (i + 1));
    const { p50, p99 } = simulate(cell, times, { rate, requests: 20_000, seed: SEED });
    return { rate, p50, p99 };
  });
  return drawWaiting(most, points);
}

/** @param most claims per second that the cell takes @param points waiting times in milliseconds at a rate of claims per second */
export function drawWaiting(most: number, points: { rate: number; p50: number; p99: number }[]): string {
  const line = (name: string, of: 'p50' | 'p99') => ({
    ...{ type: 'line' as const, name, showSymbol: false, lineStyle: { width: 1.5 }, ...NAMED_AT_END },
    data: points.map((point) => [Math.round(point.rate), Number(point[of].toFixed(1))]),
  });
  const series = [line('half wait less (p50)', 'p50'), line('99 of 100 wait less (p99)', 'p99')];
  const full = {
    ...{ symbol: 'none', silent: true, data: [{ xAxis: Math.round(most) }] },
    label: { formatter: `a cell takes ${most.toFixed(0)} claims per second`, color: INK.text },
    lineStyle: { color: INK.text },
  };
  const axis = (name: string, nameGap: number) => ({ name, nameLocation: 'middle' as const, nameGap });
  return drawChart({
    ...{ width: 900, height: 420, title: 'Waiting for a verdict in one cell, by its load (simulated)' },
    source: 'npm run bench cells -- --picture',
    option: {
      grid: { left: 70, right: Math.ceil(roomFor(series.map(({ name }) => name))), top: 60, bottom: 76 },
      xAxis: { type: 'value', ...axis('claims per second', 32), max: points[points.length - 1].rate },
      yAxis: { type: 'log', ...axis('ms', 48) },
      series: [{ ...series[0], markLine: full }, series[1]],
    },
  });
}
