import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './ports.js';

/** A redis-server of the test's own, as production has it: nothing on disk, nothing evicted. */
export interface TestRedis {
  url: string;
  port: number;
  directory: string;
  process: ChildProcess;
  /** Starts it again on the same port, empty. */
  restart(): Promise<void>;
  /** Starts it again where it was stopped or killed. */
  revive(): Promise<void>;
  stop(): Promise<void>;
}

const installed = (() => {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** False where a newcomer's machine has no redis-server: its tests are skipped by name. CI turns the lack into failures. */
export const redisIsHere = installed || process.env.MVS_REQUIRE_SERVICES === '1';

export async function startRedis(...settings: string[]): Promise<TestRedis> {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const launch = async () => {
    const defaults = ['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'];
    const server = spawn(
      'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, ...defaults, ...settings],
      { stdio: 'ignore' },
    );
    const client = new Redis(url, { retryStrategy: () => 30, maxRetriesPerRequest: null });
    client.on('error', () => {});
    await client.ping();
    client.disconnect();
    return server;
  };
  const redis: TestRedis = {
    url,
    port,
    directory,
    process: await launch(),
    restart: async () => {
      await ended(redis.process);
      redis.process = await launch();
    },
    revive: async () => {
      redis.process.kill('SIGCONT');
      if (hasEnded(redis.process)) await redis.restart();
    },
    stop: async () => {
      await ended(redis.process);
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return redis;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

async function ended(server: ChildProcess): Promise<void> {
  if (hasEnded(server)) return;
  const gone = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGCONT');
  server.kill('SIGKILL');
  await gone;
}
