/**
 * The service under load, in turns with its peer (a FastAPI service in ../shared/peer that does less: no events, views,
 * queue or files) where Python and the peer are there. `--long` measures instead the service's memory and the cost of a
 * claim at 1,000 to 100,000 stored ones.
 */
import { type ChildProcess, execFile, fork, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { POPULATIONS, simulateStone } from '#simulator';
import type { Vitals } from './serving.js';

const PEER = resolve(process.env.MVS_PEER_DIR ?? '../shared/peer');
const PYTHON = '/usr/bin/python3';
const PEER_PORT = 8977;
const ROUNDS = 3;
const LOADS = [
  { clients: 1, requests: 300 },
  { clients: 32, requests: 2000 },
];
const STONES = 6;
const ROUGH_SCANS = 6;

export interface Target {
  name: string;
  base: string;
  key: string;
  pid: number;
  vitals?: () => Promise<Vitals>;
  stop(): Promise<void>;
}

interface Load {
  p50: number;
  p99: number;
  claims_per_s: number;
  errors: number;
  cpuMs: number;
  loopP99?: number;
}

export async function run(): Promise<void> {
  if (!existsSync(join(PEER, 'load.mjs'))) {
    console.log(
      `not measured: the load generator ${join(PEER, 'load.mjs')} is not there (MVS_PEER_DIR names its folder)`,
    );
    return;
  }
  const directory = mkdtempSync(join(process.env.MVS_BENCH_DIR ?? tmpdir(), 'mvs-service-'));
  const targets: Target[] = [];
  try {
    const claims = writeClaims(join(directory, 'claims'));
    targets.push(await startService(directory));
    const peer = await startPeer(directory);
    if (peer) targets.push(peer);
    else console.log('The Python peer is not there: the service alone.');
    console.log(
      `Node ${process.versions.node}, ${cpus().length} x ${cpus()[0].model}, claims of ${ROUGH_SCANS} + 1 scans`,
    );
    if (process.argv.includes('--long')) await endure(targets[0], claims);
    else await compare(targets, claims);
  } finally {
    for (const target of targets) await target.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function compare(targets: Target[], claims: string): Promise<void> {
  for (const target of targets) await load(target, claims, 32, 600);
  for (const { clients, requests } of LOADS) {
    const results = new Map<Target, Load[]>(targets.map((target) => [target, []]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const target of targets) results.get(target)!.push(await load(target, claims, clients, requests));
    }
    console.log(
      `\n${clients} client${clients > 1 ? 's' : ''}, ${requests} claims a round, medians of ${ROUNDS} rounds\n`,
    );
    console.log('| | claims/s | p50 ms | p99 ms | CPU ms a claim | loop delay p99 ms | lost |');
    console.log('|---|---:|---:|---:|---:|---:|---:|');
    const medians = targets.map((target) => {
      const rounds = results.get(target)!;
      const of = (pick: (one: Load) => number) => median(rounds.map(pick));
      const row = {
        rate: of((one) => one.claims_per_s),
        p50: of((one) => one.p50),
        p99: of((one) => one.p99),
        cpu: of((one) => one.cpuMs),
      };
      const delay = target.vitals ? of((one) => one.loopP99 ?? 0).toFixed(1) : '';
      const lost = rounds.reduce((sum, { errors }) => sum + errors, 0);
      console.log(
        `| ${target.name} | ${row.rate.toFixed(0)} | ${row.p50.toFixed(2)} | ${row.p99.toFixed(2)} | ${row.cpu.toFixed(2)} | ${delay} | ${lost} |`,
      );
      return row;
    });
    if (medians.length === 2) {
      const [ours, theirs] = medians;
      const ratio = (pick: (row: typeof ours) => number) => (pick(ours) / pick(theirs)).toFixed(2);
      console.log(
        `\nof the peer's: claims/s ${ratio(({ rate }) => rate)}, p50 ${ratio(({ p50 }) => p50)}, p99 ${ratio(({ p99 }) => p99)}, CPU ${ratio(({ cpu }) => cpu)}`,
      );
    }
  }
}

/** Memory and cost as the log grows. */
async function endure(service: Target, claims: string): Promise<void> {
  let stored = 0;
  console.log('\n| claims stored | RSS MiB | CPU ms a claim | claims/s |\n|---:|---:|---:|---:|');
  for (const goal of [1_000, 5_000, 50_000, 100_000]) {
    if (goal - 1000 > stored) await load(service, claims, 32, goal - 1000 - stored);
    const { cpuMs, claims_per_s } = await load(service, claims, 32, 1000);
    stored = Math.max(goal, stored + 1000);
    const { rssMiB } = await service.vitals!();
    console.log(`| ${stored} | ${rssMiB.toFixed(0)} | ${cpuMs.toFixed(2)} | ${claims_per_s.toFixed(0)} |`);
  }
}

async function load(target: Target, claims: string, clients: number, requests: number): Promise<Load> {
  await target.vitals?.();
  const before = cpuMs(target.pid);
  const script = join(PEER, 'load.mjs');
  const parameters = [target.base, target.key, String(clients), String(requests), `dir=${claims}`, 'warmup=0'];
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...parameters]);
  const measured = JSON.parse(stdout) as Load;
  const spent = (cpuMs(target.pid) - before) / requests;
  return { ...measured, cpuMs: spent, loopP99: (await target.vitals?.())?.loopP99 };
}

/** Scans as two-column files, which is how the load generator takes them. */
function writeClaims(folder: string): string {
  mkdirSync(folder);
  for (let stone = 0; stone < STONES; stone++) {
    const { rough, polish } = simulateStone(POPULATIONS.calibration, 5, stone, { roughScans: ROUGH_SCANS });
    for (const [side, scans] of Object.entries({ rough, polish })) {
      scans.forEach(({ wavenumbers, absorbance }, i) => {
        const lines = [...wavenumbers].map((x, j) => `${x.toFixed(4)},${absorbance[j].toFixed(6)}`);
        writeFileSync(join(folder, `${String(stone).padStart(5, '0')}_${side}_${i}.csv`), lines.join('\n'));
      });
    }
  }
  return folder;
}

export async function startService(directory: string): Promise<Target> {
  const data = join(directory, 'service');
  const child = fork(new URL('./serving.js', import.meta.url), {
    env: {
      ...process.env,
      PORT: '0',
      MVS_DATA_DIR: data,
      // The peer writes no access log either.
      MVS_LOG_LEVEL: 'warn',
      MVS_MAX_RATE: '1000000',
      MVS_MAX_BURST: '1000000',
    },
  });
  const base = await answer<string>(child);
  const operator = /MVS_OPERATOR_KEY='?([^'\n]+)/.exec(readFileSync(join(data, 'operator.env'), 'utf8'))![1];
  const created = await fetch(`${base}/api/v1/keys`, {
    method: 'POST',
    headers: { 'x-svc-admin': operator, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', kind: 'test' }),
  });
  const { key } = (await created.json()) as { key: string };
  const vitals = () => {
    const told = answer<Vitals>(child);
    child.send('vitals');
    return told;
  };
  return { name: 'service', base, key, pid: child.pid!, vitals, stop: () => end(child) };
}

async function startPeer(directory: string): Promise<Target | undefined> {
  if (!existsSync(PYTHON)) return undefined;
  if (spawnSync(PYTHON, ['-c', 'import fastapi, uvicorn, numpy, uvloop, httptools']).status !== 0) return undefined;
  const child = spawn(PYTHON, [join(PEER, 'serve.py')], {
    stdio: 'ignore',
    env: { ...process.env, PEER_DB: join(directory, 'peer.db'), PEER_API_KEY: 'peer-key', PORT: String(PEER_PORT) },
  });
  const base = `http://127.0.0.1:${PEER_PORT}`;
  for (let i = 0; i < 300; i++) {
    const there = await fetch(`${base}/api/v1`, { headers: { 'x-api-key': 'peer-key' } }).catch(() => undefined);
    if (there) return { name: 'peer', base, key: 'peer-key', pid: child.pid!, stop: () => end(child) };
    await new Promise((wake) => setTimeout(wake, 100));
  }
  await end(child);
  return undefined;
}

const answer = <T>(child: ChildProcess): Promise<T> =>
  new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`the process ended with ${code}`));
    child.once('exit', ended).once('message', (message) => {
      child.off('exit', ended);
      resolve(message as T);
    });
  });

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

/** Processor time of a process and its children, where the system tells it as Linux does; else not a number. */
function cpuMs(pid: number): number {
  if (!existsSync('/proc/self/stat')) return Number.NaN;
  let ticks = 0;
  for (const entry of readdirSync('/proc')) {
    if (!/^[0-9]+$/.test(entry)) continue;
    try {
      const fields = readFileSync(`/proc/${entry}/stat`, 'utf8')
        .replace(/^.*[)] /s, '')
        .split(' ');
      if (Number(entry) === pid || Number(fields[1]) === pid) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It ended meanwhile.
    }
  }
  return ticks * 10;
}

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1];
