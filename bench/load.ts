/** Loading services with the peer's own load generator: the service, its Python peer, or whatever answers verify-match. */
import { type ChildProcess, execFile, fork, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { POPULATIONS, simulateStone } from '#simulator';
import type { Vitals } from './serving.js';

const PEER = resolve(process.env.MVS_PEER_DIR ?? '../shared/peer');
const GENERATOR = join(PEER, 'load.mjs');
const PYTHON = '/usr/bin/python3';
const PEER_PORT = 8977;
const STONES = 6;
const ROUGH_SCANS = 6;

export interface Target {
  name: string;
  /** Addresses that share the clients evenly. */
  bases: string[];
  key: string;
  /** Key of an operator. */
  operator: string;
  /** Processes whose time is counted, with their children, by what they do. */
  parts(): Record<string, number[]>;
  vitals?: () => Promise<Vitals>;
  stop(): Promise<void>;
}

export interface Load {
  p50: number;
  p99: number;
  claims_per_s: number;
  errors: number;
  /** Processor time a claim, in all and by part. */
  cpuMs: number;
  partMs: Record<string, number>;
  loopP99?: number;
}

/** Says why nothing can be measured where the load generator is missing. */
export function generatorIsHere(): boolean {
  if (existsSync(GENERATOR)) return true;
  console.log(`not measured: the load generator ${GENERATOR} is not there (MVS_PEER_DIR names its folder)`);
  return false;
}

/** Says what the figures were measured on. */
export function tellMachine(): void {
  console.log(
    `Node ${process.versions.node}, ${cpus().length} x ${cpus()[0].model}, load ${loadavg()[0].toFixed(1)} before, claims of ${ROUGH_SCANS} + 1 scans`,
  );
}

/** Starts what is to be loaded, the Python peer last where it is there, and stops all of it in the end. */
export async function withTargets(
  starts: ((directory: string) => Promise<Target>)[],
  work: (targets: Target[], claims: string) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(process.env.MVS_BENCH_DIR ?? tmpdir(), 'mvs-load-'));
  const targets: Target[] = [];
  try {
    const claims = writeClaims(join(directory, 'claims'));
    tellMachine();
    for (const start of starts) targets.push(await start(directory));
    const peer = await startPeer(directory);
    if (peer) targets.push(peer);
    else console.log('The Python peer is not there.');
    await work(targets, claims);
  } finally {
    for (const target of targets) await target.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Medians of rounds in turns, a table, and each target's ratio to the last one's. */
export async function compare(
  targets: Target[],
  claims: string,
  loads: { clients: number; requests: number }[],
  rounds: number,
): Promise<void> {
  for (const target of targets) await load(target, claims, 32, 600);
  for (const { clients, requests } of loads) {
    const results = new Map<Target, Load[]>(targets.map((target) => [target, []]));
    for (let round = 0; round < rounds; round++) {
      for (const target of targets) results.get(target)!.push(await load(target, claims, clients, requests));
    }
    console.log(
      `\n${clients} client${clients > 1 ? 's' : ''}, ${requests} claims a round, medians of ${rounds} rounds\n`,
    );
    console.log('| | claims/s | p50 ms | p99 ms | CPU ms a claim | loop delay p99 ms | lost |');
    console.log('|---|---:|---:|---:|---:|---:|---:|');
    const apart: string[] = [];
    const medians = targets.map((target) => {
      const measured = results.get(target)!;
      const of = (pick: (one: Load) => number) => median(measured.map(pick));
      const row = {
        name: target.name,
        rate: of((one) => one.claims_per_s),
        p50: of((one) => one.p50),
        p99: of((one) => one.p99),
        cpu: of((one) => one.cpuMs),
      };
      const delay = target.vitals ? of((one) => one.loopP99 ?? 0).toFixed(1) : '';
      const lost = measured.reduce((sum, { errors }) => sum + errors, 0);
      console.log(
        `| ${row.name} | ${row.rate.toFixed(0)} | ${row.p50.toFixed(2)} | ${row.p99.toFixed(2)} | ${row.cpu.toFixed(2)} | ${delay} | ${lost} |`,
      );
      const parts = Object.keys(measured[0].partMs);
      if (parts.length > 1) {
        const each = parts.map((part) => `${part} ${of(({ partMs }) => partMs[part]).toFixed(2)}`);
        apart.push(`CPU ms a claim of ${target.name}: ${each.join(', ')}`);
      }
      return row;
    });
    for (const line of apart) console.log(`\n${line}`);
    const last = medians.pop()!;
    console.log();
    for (const row of medians) {
      const ratio = (pick: (one: typeof row) => number) => (pick(row) / pick(last)).toFixed(2);
      console.log(
        `${row.name} of ${last.name}: claims/s ${ratio(({ rate }) => rate)}, p50 ${ratio(({ p50 }) => p50)}, p99 ${ratio(({ p99 }) => p99)}, CPU ${ratio(({ cpu }) => cpu)}`,
      );
    }
  }
}

/** Loads all addresses at once. With several, p50 is their mean and p99 the worst. */
export async function load(target: Target, claims: string, clients: number, requests: number): Promise<Load> {
  await target.vitals?.();
  const before = cpuMs(target.parts());
  const share = (of: number) => String(Math.max(1, Math.round(of / target.bases.length)));
  const measured = await Promise.all(
    target.bases.map(async (base) => {
      const parameters = [base, target.key, share(clients), share(requests), `dir=${claims}`, 'warmup=0'];
      const { stdout } = await promisify(execFile)(process.execPath, [GENERATOR, ...parameters]);
      return JSON.parse(stdout) as Load;
    }),
  );
  const after = cpuMs(target.parts());
  const partMs = Object.fromEntries(
    Object.entries(after).map(([part, spent]) => [part, (spent - before[part]) / requests]),
  );
  const sum = (pick: (one: Load) => number) => measured.reduce((total, one) => total + pick(one), 0);
  return {
    p50: sum(({ p50 }) => p50) / measured.length,
    p99: Math.max(...measured.map(({ p99 }) => p99)),
    claims_per_s: sum((one) => one.claims_per_s),
    errors: sum(({ errors }) => errors),
    cpuMs: Object.values(partMs).reduce((total, spent) => total + spent, 0),
    partMs,
    loopP99: (await target.vitals?.())?.loopP99,
  };
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
  const key = await createKey(base, operator);
  const vitals = () => {
    const told = answer<Vitals>(child);
    child.send('vitals');
    return told;
  };
  return {
    name: 'service',
    bases: [base],
    key,
    operator,
    parts: () => ({ service: [child.pid!] }),
    vitals,
    stop: () => end(child),
  };
}

export async function createKey(base: string, operator: string, name = 'bench'): Promise<string> {
  const created = await fetch(`${base}/api/v1/keys`, {
    method: 'POST',
    headers: { 'x-svc-admin': operator, 'content-type': 'application/json' },
    body: JSON.stringify({ name, kind: 'test' }),
  });
  return ((await created.json()) as { key: string }).key;
}

/** Nothing where Python or the peer is not there. */
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
    if (there)
      return {
        name: 'peer',
        bases: [base],
        key: 'peer-key',
        operator: '',
        parts: () => ({ peer: [child.pid!] }),
        stop: () => end(child),
      };
    await new Promise((wake) => setTimeout(wake, 100));
  }
  await end(child);
  return undefined;
}

export const answer = <T>(child: ChildProcess): Promise<T> =>
  new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`the process ended with ${code}`));
    child.once('exit', ended).once('message', (message) => {
      child.off('exit', ended);
      resolve(message as T);
    });
  });

export function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

/** Milliseconds of processor time of processes and their children, where the system tells as Linux does; else not numbers. */
function cpuMs(parts: Record<string, number[]>): Record<string, number> {
  const spent = Object.fromEntries(
    Object.keys(parts).map((part) => [part, existsSync('/proc/self/stat') ? 0 : Number.NaN]),
  );
  if (!existsSync('/proc/self/stat')) return spent;
  for (const entry of readdirSync('/proc')) {
    if (!/^[0-9]+$/.test(entry)) continue;
    try {
      const fields = readFileSync(`/proc/${entry}/stat`, 'utf8')
        .replace(/^.*[)] /s, '')
        .split(' ');
      for (const [part, pids] of Object.entries(parts)) {
        if (pids.includes(Number(entry)) || pids.includes(Number(fields[1])))
          spent[part] += (Number(fields[11]) + Number(fields[12])) * 10;
      }
    } catch {
      // It ended meanwhile.
    }
  }
  return spent;
}

export const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1];
