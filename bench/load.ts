/** Loading services by volley.ts: the service, its Python peer, or whatever answers verify-match. */

import { type ChildProcess, execFile, fork, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { upperMedian } from '#science/numerics/quantile';
import { NODE_FLAGS } from '../test/node-flags.js';
import { freePort } from '../test/ports.js';
import type { Vitals } from './serving.js';
import type { Volley } from './volley.js';

/** The project's own peer, or another one that takes the same variables and claims. */
const PEER = resolve(process.env.MVS_PEER_DIR ?? fileURLToPath(new URL('../../bench/peer', import.meta.url)));
const GENERATOR = fileURLToPath(new URL('./volley.js', import.meta.url));
const PYTHON = '/usr/bin/python3';

export interface Target {
  name: string;
  /** Addresses that share the clients evenly. */
  bases: string[];
  key: string;
  /** Key of an operator. */
  operator: string;
  /** Processes whose time is counted, with their children, by what they do. */
  parts(): Record<string, number[]>;
  /** A part that is shown and not counted: the event log's own processes, where it has them. */
  apart?: string;
  vitals?: () => Promise<Vitals>;
  stop(): Promise<void>;
}

interface Load extends Omit<Volley, 'problems' | 'cpu_ms'> {
  /** Processor time a claim of the load generators. */
  clientMs: number;
  /** Processor time a claim, in all without the part that stands apart, and by part. */
  cpuMs: number;
  partMs: Record<string, number>;
  loopP99?: number;
}

/** Says what the figures were measured on. */
export function printMachine(): void {
  console.log(
    `Node ${process.versions.node}, ${cpus().length} x ${cpus()[0].model}, load ${loadavg()[0].toFixed(1)} before, claims of 6 + 1 scans`,
  );
}

/** Starts what is to be loaded, the Python peer last where it is asked for and there, and stops all of it in the end. */
export async function withTargets(
  starts: ((directory: string) => Promise<Target>)[],
  work: (targets: Target[]) => Promise<void>,
  withPeer = true,
): Promise<void> {
  const directory = mkdtempSync(join(process.env.MVS_BENCH_DIR ?? tmpdir(), 'mvs-load-'));
  const targets: Target[] = [];
  try {
    printMachine();
    for (const start of starts) targets.push(await start(directory));
    const peer = withPeer ? await startPeer(directory) : undefined;
    if (typeof peer === 'string') console.log(`left out: the comparison with the peer, as ${peer}`);
    else if (peer) targets.push(peer);
    await work(targets);
  } finally {
    for (const target of targets) await target.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Medians of rounds in turns, a table, and each target's ratio to the last one's: median of the rounds, and their range.
 * @param stored claims that each target's key holds before: enough that compilation is over
 */
export async function compare(
  targets: Target[],
  loads: { clients: number; requests: number }[],
  rounds: number,
  stored = 1_000,
): Promise<void> {
  for (const target of targets) await load(target, 32, stored);
  for (const { clients, requests } of loads) {
    const results = new Map<Target, Load[]>(targets.map((target) => [target, []]));
    for (let round = 0; round < rounds; round++) {
      for (const target of targets) results.get(target)!.push(await load(target, clients, requests));
    }
    console.log(
      `\n${clients} client${clients > 1 ? 's' : ''}, ${requests} claims a round, medians of ${rounds} rounds\n`,
    );
    console.log('| | claims/s | p50 ms | p99 ms | CPU ms per claim | loop delay p99 ms | lost |');
    console.log('|---|---:|---:|---:|---:|---:|---:|');
    const apart: string[] = [];
    for (const target of targets) {
      const measured = results.get(target)!;
      const of = (pick: (one: Load) => number) => upperMedian(measured.map(pick));
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
        apart.push(`CPU ms per claim of ${target.name}: ${each.join(', ')}`);
      }
    }
    for (const line of apart) console.log(`\n${line}`);
    const last = targets[targets.length - 1];
    console.log();
    for (const target of targets.slice(0, -1)) {
      const ratio = (pick: (one: Load) => number) => {
        const each = results.get(target)!.map((one, round) => pick(one) / pick(results.get(last)![round]));
        return `${upperMedian(each).toFixed(2)} (${Math.min(...each).toFixed(2)}-${Math.max(...each).toFixed(2)})`;
      };
      console.log(
        `${target.name} of ${last.name}: CPU ${ratio((one) => one.cpuMs)}, claims/s ${ratio((one) => one.claims_per_s)}, p50 ${ratio((one) => one.p50)}, p99 ${ratio((one) => one.p99)}`,
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
    clientMs: sum(({ cpu_ms }) => cpu_ms) / requests,
    cpuMs: Object.entries(partMs).reduce((total, [part, spent]) => (part === target.apart ? total : total + spent), 0),
    partMs,
    loopP99: (await target.vitals?.())?.loopP99,
  };
}

/**
 * @param build folder of another build of the project, whose service it is then
 * @param args `--unchecked`: a service that does not check its log
 */
export async function startService(directory: string, build?: string, args: string[] = []): Promise<Target> {
  const name = build ? `service of ${build}` : 'service';
  const data = join(directory, name.replaceAll('/', '-'));
  const serving = build ? join(build, 'dist/bench/serving.js') : new URL('./serving.js', import.meta.url);
  const child = fork(serving, args, {
    execArgv: [...process.execArgv, ...NODE_FLAGS],
    env: {
      ...process.env,
      // Another build may not know it.
      MVS_BENCH_BESIDE: undefined,
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
    const vitals = answer<Vitals>(child);
    child.send('vitals');
    return vitals;
  };
  return {
    name,
    bases: [base],
    key,
    operator,
    parts: () => ({ service: [child.pid!] }),
    vitals,
    stop: () => end(child),
  };
}

/** By default a test key of a name that no other key has: profiles may share a log. @throws Error where it is not created */
export async function createKey(
  base: string,
  operator: string,
  of: { name?: string; kind?: 'test' | 'production'; population?: string } = {},
): Promise<string> {
  const created = await fetch(`${base}/api/v1/keys`, {
    method: 'POST',
    headers: { 'x-svc-admin': operator, 'content-type': 'application/json' },
    body: JSON.stringify({ name: `bench-${randomUUID()}`, kind: 'test', ...of }),
  });
  if (created.status !== 201) throw new Error(`no key for the bench: ${created.status} ${await created.text()}`);
  return ((await created.json()) as { key: string }).key;
}

/** Or why it cannot be had. */
async function startPeer(directory: string): Promise<Target | string> {
  const program = join(PEER, 'serve.py');
  if (!existsSync(program)) return `${program} is not there (MVS_PEER_DIR names its folder)`;
  if (spawnSync(PYTHON, ['-c', 'import fastapi, uvicorn, numpy, uvloop, httptools, ujson']).status !== 0)
    return `${PYTHON} has not all of FastAPI, uvicorn, numpy, uvloop, httptools and ujson (${program} names their packages)`;
  const port = await freePort();
  const child = spawn(PYTHON, [program], {
    stdio: 'ignore',
    env: {
      ...process.env,
      PYTHONDONTWRITEBYTECODE: '1',
      PEER_DB: join(directory, 'peer.db'),
      PEER_API_KEY: 'peer-key',
      PORT: String(port),
    },
  });
  const base = `http://127.0.0.1:${port}`;
  for (let i = 0; i < 1200; i++) {
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
  return 'it did not answer within two minutes';
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

/** Milliseconds of processor time of processes and their children, where the system reports it as Linux does; else not numbers. */
function cpuMs(parts: Record<string, number[]>): Record<string, number> {
  const all = processes();
  const spent = (pids: number[]) =>
    all.filter(({ pid, parent }) => pids.includes(pid) || pids.includes(parent)).reduce((sum, { ms }) => sum + ms, 0);
  return Object.fromEntries(
    Object.entries(parts).map(([part, pids]) => [part, all.length > 0 ? spent(pids) : Number.NaN]),
  );
}

/** Processes of a system that reports them as Linux does; none elsewhere. */
function processes(): { pid: number; parent: number; ms: number }[] {
  if (!existsSync('/proc/self/stat')) return [];
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^[0-9]+$/.test(entry)) return [];
    try {
      const fields = readFileSync(`/proc/${entry}/stat`, 'utf8')
        .replace(/^.*[)] /s, '')
        .split(' ');
      const ms = (Number(fields[11]) + Number(fields[12])) * 10;
      return [{ pid: Number(entry), parent: Number(fields[1]), ms }];
    } catch {
      // It ended meanwhile.
      return [];
    }
  });
}
