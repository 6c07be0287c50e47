/** The production profile as processes that can be killed: Redis, the event log's double, two api replicas, two workers. */
import { type ChildProcess, execFile, fork, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { freePort, startRedis, type TestRedis } from '../redis.js';
import { startRelay } from '../relay.js';

const OPERATOR = 'the operator of the fault bench';
const built = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

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
  programs: Program[];
  operator: Record<string, string>;
  /** What can be done to it, by name: each piece killed with SIGKILL and started again, connections cut. */
  faults: ReadonlyMap<string, () => Promise<void>>;
  /** Kills a program for good. */
  kill(name: string): Promise<void>;
  /** Resolves when every replica says that it is ready. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * `MVS_TEST_EVENTSTORE_URL` names a real server in the double's place, `MVS_TEST_EVENTSTORE_RESTART` a shell command that
 * kills it and starts it again.
 * @param environment further variables of the api replicas
 */
export async function startProduction(environment: Record<string, string> = {}): Promise<Production> {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-faults-'));
  // What Redis dumps of a value is then the value's own bytes.
  const redis = await startRedis('--rdbcompression', 'no');
  const storePort = await freePort();
  const { MVS_TEST_EVENTSTORE_URL: real, MVS_TEST_EVENTSTORE_RESTART: restart } = process.env;
  const relayed = real === undefined ? undefined : await relayTo(real);
  const eventStoreUrl = relayed?.url ?? real ?? `esdb://127.0.0.1:${storePort}?tls=false`;
  const ports = [await freePort(), await freePort()];
  const programs: Program[] = [];
  const add = (name: string, start: () => ChildProcess) => programs.push({ name, start, child: start() });
  const logged = (child: ChildProcess) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text: Buffer) => appendFileSync(join(directory, 'log.txt'), text));
    return child;
  };

  if (!real)
    add('store', () =>
      fork(built('test/eventstoredb/main.js'), [join(directory, 'double.db'), String(storePort)], { stdio: 'ignore' }),
    );
  for (const [i, port] of ports.entries())
    add(`api ${i + 1}`, () =>
      logged(
        spawn(process.execPath, [built('apps/server/main.js')], {
          env: {
            ...process.env,
            PORT: String(port),
            MVS_DATA_DIR: join(directory, `api-${i + 1}`),
            MVS_THREADS: '1',
            MVS_OPERATOR_KEYS: `olga:${createHash('sha256').update(OPERATOR).digest('hex')}`,
            MVS_REPLAY_TOKEN: 'f'.repeat(64),
            REDIS_URL: redis.url,
            EVENTSTORE_URL: eventStoreUrl,
            ...environment,
          },
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      ),
    );
  for (const i of [1, 2])
    add(`worker ${i}`, () =>
      logged(
        spawn(process.execPath, [built('apps/worker/main.js'), '--redis', redis.url, '--concurrency', '8'], {
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
  if (real && restart) faults.set('store', async () => void (await promisify(execFile)('sh', ['-c', restart])));
  if (!real) faults.set('cut store', async () => void named('store').child.send({ cut: true }));
  if (relayed) faults.set('cut store', async () => relayed.relay.cut());
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
    eventStoreUrl,
    apis,
    programs,
    operator: { 'x-svc-admin': OPERATOR },
    faults,
    kill: (name) => killed(named(name).child),
    async ready() {
      const deadline = Date.now() + 180_000;
      for (const api of apis) {
        for (;;) {
          const answer = await fetch(`${api}/health/ready`).catch(() => undefined);
          if (answer?.ok) break;
          if (Date.now() > deadline)
            throw new Error(`${api} does not become ready: ${await answer?.text()}\n${tail(directory)}`);
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      }
    },
    async stop() {
      await Promise.all(programs.map(({ child }) => killed(child)));
      await redis.stop();
      await relayed?.relay.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return production;
}

/** The connections to a single server without TLS can be cut on their way. */
async function relayTo(url: string) {
  const parts = /^(esdb:[/]{2}(?:[^@/]*@)?)([^@,:/?]+):([0-9]+)([/]?[?].*tls=false.*)$/i.exec(url);
  if (!parts) return undefined;
  const [, before, host, port, after] = parts;
  const relay = await startRelay({ host, port: Number(port) });
  return { relay, url: `${before}127.0.0.1:${relay.port}${after}` };
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
