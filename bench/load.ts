/** Loading services by volley.ts: the service, its Python peer, or whatever answers verify-match. */
import { type ChildProcess, execFile, fork, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Vitals } from './serving.js';
import type { Volley } from './volley.js';

const PEER = resolve(process.env.MVS_PEER_DIR ?? '../shared/peer');
const GENERATOR = fileURLToPath(new URL('./volley.js', import.meta.url));
const PYTHON = '/usr/bin/python3';
const PEER_PORT = 8977;

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

export interface Load extends Omit<Volley, 'problems'> {
  /** Processor time a claim, in all and by part. */
  cpuMs: number;
  partMs: Record<string, number>;
  loopP99?: number;
}

/** Says what the figures were measured on. */
export function tellMachine(): void {
  console.log(
    `Node ${process.versions.node}, ${cpus().length} x ${cpus()[0].model}, load ${loadavg()[0].toFixed(1)} before, claims of 6 + 1 scans`,
  );
}

/** Starts what is to be loaded, the Python peer last where it is there, and stops all of it in the end. */
export async function withTargets(
  starts: ((directory: string) => Promise<Target>)[],
  work: (targets: Target[]) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(process.env.MVS_BENCH_DIR ?? tmpdir(), 'mvs-load-'));
  const targets: Target[] = [];
  try {
    tellMachine();
    for (const start of starts) targets.push(await start(directory));
    const peer = await startPeer(directory);
    if (typeof peer === 'string') console.log(`left out: the comparison with the peer, as ${peer}`);
    else targets.push(peer);
    await work(targets);
  } finally {
    for (const target of targets) await target.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Medians of rounds in turns, a table, and each target's ratio to the last one's. */
export async function compare(
  targets: Target[],
  loads: { clients: number; requests: number }[],
  rounds: number,
): Promise<void> {
  for (const target of targets) await load(target, 32, 600);
  for (const { clients, requests } of loads) {
    const results = new Map<Target, Load[]>(targets.map((target) => [target, []]));
    for (let round = 0; round < rounds; round++) {
      for (const target of targets) results.get(target)!.push(await load(target, clients, requests));
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

/** Claims sent so far: no two of a run are the same. */
let sent = 0;

/** Loads all addresses at once. With several, p50 is their mean and p99 the worst. */
export async function load(target: Target, clients: number, requests: number): Promise<Load> {
  await target.vitals?.();
  const before = cpuMs(target.parts());
  const share = (of: number) => Math.max(1, Math.round(of / target.bases.length));
  const measured = await Promise.all(
    target.bases.map(async (base) => {
      const parameters = [base, target.key, share(clients), share(requests), sent];
      sent += share(requests);
      const { stdout } = await promisify(execFile)(process.execPath, [GENERATOR, ...parameters.map(String)]);
      const volley = JSON.parse(stdout) as Volley;
      if (volley.errors > 0) console.log(`lost by ${target.name}: ${JSON.stringify(volley.problems)}`);
      return volley;
    }),
  );
  const after = cpuMs(target.parts());
  const partMs = Object.fromEntries(
    Object.entries(after).map(([part, spent]) => [part, (spent - before[part]) / requests]),
  );
  const sum = (pick: (one: Volley) => number) => measured.reduce((total, one) => total + pick(one), 0);
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

/** Or why it cannot be had. */
async function startPeer(directory: string): Promise<Target | string> {
  const program = join(PEER, 'serve.py');
  if (!existsSync(program)) return `${program} is not there (MVS_PEER_DIR names its folder)`;
  if (spawnSync(PYTHON, ['-c', 'import fastapi, uvicorn, numpy, uvloop, httptools']).status !== 0)
    return `${PYTHON} has no FastAPI, uvicorn, numpy, uvloop and httptools`;
  const child = spawn(PYTHON, [program], {
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
  return 'it did not answer within 30 s';
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
