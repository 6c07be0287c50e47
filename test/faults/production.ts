/** The production profile as processes that can be killed: Redis, the event log, api replicas, workers. */

import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Role } from '#config/environment';
import { LOG_SECRET } from '../eventstoredb/double.js';
import { NODE_FLAGS } from '../node-flags.js';
import { freePort } from '../ports.js';
import { program } from '../programs.js';
import { startRedis, type TestRedis } from '../redis.js';
import { eventLog } from './event-log.js';

const OPERATOR = 'the operator of the fault bench';

export interface Program {
  name: string;
  child: ChildProcess;
  start(): ChildProcess;
}

export interface Production {
  directory: string;
  redis: TestRedis;
  eventStoreUrl: string;
  apis: string[];
  /** Those of them that claims are sent to, and those that operators ask. */
  forClaims: string[];
  forOperators: string[];
  roles: readonly Role[];
  programs: Program[];
  /** Processes that ended though nobody killed them. */
  died: string[];
  operator: Record<string, string>;
  /** Faults of the production set-up, by name: each piece killed with SIGKILL and started again, connections cut. */
  faults: ReadonlyMap<string, () => Promise<void>>;
  /** Kills a program for good. */
  kill(name: string): Promise<void>;
  /** Resolves when every replica says that it is ready. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param environment further variables of the api replicas
 * @param nodes of the event log's double, 1 or 3
 * @param roles of the api replicas, one each
 * @param workers how many
 */
export async function startProduction(
  environment: Record<string, string> = {},
  nodes = 1,
  roles: readonly Role[] = ['all', 'all'],
  workers = 2,
): Promise<Production> {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-faults-'));
  // Without compression a dump of Redis holds a value's own bytes.
  const redis = await startRedis('--rdbcompression', 'no');
  const log = await eventLog(directory, nodes);
  const ports = await Promise.all(roles.map(freePort));
  const programs: Program[] = [];
  const died: string[] = [];
  /** One that ends by itself, in whatever way, has died. */
  const watched = (name: string, start: () => ChildProcess) => () =>
    start().once('exit', (code, signal) => {
      if (signal !== 'SIGKILL') died.push(`${name} ended by itself (${signal ?? code})\n${tail(directory)}`);
    });
  const add = (name: string, start: () => ChildProcess) => {
    const run = watched(name, start);
    programs.push({ name, start: run, child: run() });
  };
  const logged = (child: ChildProcess) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text: Buffer) => appendFileSync(join(directory, 'log.txt'), text));
    return child;
  };

  if (log.start) add('store', log.start);
  for (const [i, port] of ports.entries())
    add(`api ${i + 1}`, () =>
      logged(
        spawn(process.execPath, [...NODE_FLAGS, program('server')], {
          env: {
            ...process.env,
            PORT: String(port),
            MVS_DATA_DIR: join(directory, `api-${i + 1}`),
            MVS_THREADS: '1',
            MVS_OPERATOR_KEYS: `olga:${createHash('sha256').update(OPERATOR).digest('hex')}`,
            MVS_REPLAY_TOKEN: 'f'.repeat(64),
            REDIS_URL: redis.url,
            EVENTSTORE_URL: log.url,
            MVS_LOG_SECRET: LOG_SECRET,
            MVS_ROLE: roles[i],
            ...environment,
          },
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      ),
    );
  for (let i = 1; i <= workers; i++)
    add(`worker ${i}`, () =>
      logged(
        spawn(process.execPath, [...NODE_FLAGS, program('worker'), '--redis', redis.url, '--concurrency', '8'], {
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      ),
    );

  const named = (name: string) => {
    const program = programs.find((one) => one.name === name);
    if (!program) throw new Error(`no program is called ${name}`);
    return program;
  };
  const crash = async (program: Program) => {
    await killed(program.child);
    program.child = program.start();
  };
  const faults = new Map(programs.map((program) => [program.name, () => crash(program)]));
  for (const [name, happen] of log.faults)
    faults.set(name, () => happen(programs.find((program) => program.name === 'store')?.child));
  faults.set('redis', async () => {
    redis.process.kill('SIGKILL');
    await redis.restart();
  });
  faults.set('cut redis', async () => {
    const client = new Redis(redis.url, { retryStrategy: () => null });
    client.on('error', () => {});
    await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes').catch(() => {});
    client.disconnect();
  });
  const apis = ports.map((port) => `http://127.0.0.1:${port}`);
  const production: Production = {
    directory,
    redis,
    eventStoreUrl: log.url,
    died,
    apis,
    forClaims: apis.filter((_, i) => roles[i] !== 'operators'),
    forOperators: apis.filter((_, i) => roles[i] !== 'claims'),
    roles,
    programs,
    operator: { 'x-svc-admin': OPERATOR },
    faults,
    kill: (name) => killed(named(name).child),
    async ready() {
      const deadline = Date.now() + 600_000;
      for (const api of apis) {
        for (;;) {
          const answer = await fetch(`${api}/health/ready`).catch(() => undefined);
          if (answer?.ok) break;
          if (died.length > 0) throw new Error(died.join('\n'));
          if (Date.now() > deadline)
            throw new Error(`${api} does not become ready: ${await answer?.text()}\n${tail(directory)}`);
          await sleep(100);
        }
      }
    },
    async stop() {
      await Promise.all(programs.map(({ child }) => killed(child)));
      await redis.stop();
      await log.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return production;
}

function tail(directory: string): string {
  const file = join(directory, 'log.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').slice(-2000) : 'nothing was logged';
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}
