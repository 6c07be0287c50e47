import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import { shippedModelFolders } from '#science/matching/shipped';
import { Client, type JsonClaim } from '../apps/server/test/client.js';
import { claimOf } from '../apps/server/test/fixture.js';
import { endings } from './endings.js';
import { type Double, LOG_SECRET, startDouble } from './eventstoredb/double.js';
import { openDoubleLog } from './eventstoredb/log.js';
import { freePort } from './ports.js';
import { PROGRAMS, program, StartedProgram } from './programs.js';
import { answerTo, strangeHeads } from './raw.js';
import { redisIsHere, startRedis, type TestRedis } from './redis.js';
import { until } from './until.js';

it('a bundled program that fails names its sources', async () => {
  const data = mkdtempSync(join(tmpdir(), 'mvs-programs-'));
  try {
    const { href } = pathToFileURL(program('run'));
    const call = `import { run } from ${JSON.stringify(href)}; await run({ modelFolders: [42] });`;
    const env = { PATH: process.env.PATH, MVS_DATA_DIR: data, PORT: '0' };
    const said = await new Promise<string>((resolve) =>
      execFile(process.execPath, ['--input-type=module', '-e', call], { env }, (_, out, error) => resolve(out + error)),
    );
    expect(said).toMatch(
      /^TypeError.*\n(.*\n)+ +at readModelFolder \(file:.*\/libs\/science\/matching\/folder\.ts:\d+:\d+\)\n/,
    );
    expect(said).toMatch(/\/apps\/server\/service\.ts:\d+:\d+/);
    expect(said).not.toContain('dist/programs');
  } finally {
    rmSync(data, { recursive: true });
  }
});

const OPERATOR = 'a secret of this test';
const SILENT_MS = 3_000;
const CLIENTS = 16;
/** Ends of each program under load: MVS_TEST_STOPS of them, each a test. */
const stops = Array.from({ length: Number(process.env.MVS_TEST_STOPS ?? 1) }, (_, i) => i + 1);

const atEnd = endings();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mvs-built-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function serve(environment: Record<string, string>) {
  const port = await freePort();
  const settings = {
    PORT: String(port),
    MVS_DATA_DIR: mkdtempSync(join(folder, 'var-')),
    MVS_THREADS: '1',
    MVS_LOG_SECRET: LOG_SECRET,
    MVS_OPERATOR_KEYS: `olga:${createHash('sha256').update(OPERATOR).digest('hex')}`,
    MVS_REPLAY_TOKEN: 'f'.repeat(64),
    // A busy machine sends the slow claim more slowly still.
    MVS_MIN_UPLOAD_RATE: '0',
  };
  const server = atEnd(StartedProgram.start('server', { ...settings, ...environment }), (one) => one.end('SIGKILL'));
  await server.says('"msg":"serving"');
  const client = new Client();
  client.address = `http://127.0.0.1:${port}`;
  client.operatorKey = OPERATOR;
  return { server, client, port };
}

const ready = async ({ address }: Client) => {
  const began = performance.now();
  const { status, headers } = await fetch(`${address}/health/ready`);
  return { status, ms: performance.now() - began, retryAfter: headers.get('retry-after') };
};

/** A claim of which nothing was sent before. */
let sent = 0;
function freshClaim(): JsonClaim {
  const { rough, polish } = claimOf(1);
  const [[first, ...others], ...more] = rough.spectra;
  return { rough: { ...rough, spectra: [[first + ++sent * 1e-9, ...others], ...more] }, polish };
}

/** A claim whose body takes so long. */
function slowClaim(client: Client, ms: number): Promise<number> {
  const body = Buffer.from(JSON.stringify(freshClaim()));
  const part = Math.ceil(body.length / 10);
  const headers = {
    'x-api-key': client.apiKey,
    'content-type': 'application/json',
    'content-length': String(body.length),
  };
  return new Promise((resolve, reject) => {
    const call = request(`${client.address}/api/v1/verify-match`, { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    call.once('error', reject);
    const write = (from: number) => {
      if (from >= body.length) return void call.end();
      call.write(body.subarray(from, from + part));
      setTimeout(write, ms / 10, from + part);
    };
    write(0);
  });
}

/** Claims of a client one after the other, until it is refused or finds nobody. @param cut gets the times when those began that were cut */
async function claimsOf(client: Client, cut: number[]): Promise<number> {
  for (let answered = 0; ; answered++) {
    const began = performance.now();
    try {
      const { status } = await client.verify(freshClaim());
      if (status !== 200) return answered;
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { code?: string };
      if (code !== 'ECONNREFUSED') cut.push(began);
      return answered;
    }
  }
}

const PASSWORD = 'a-secret-word';
/** Addresses with a password, of which programs are told: [program, what it is told, its arguments]. */
const TOLD: [Parameters<typeof StartedProgram.start>[0], Record<string, string>, string[]?][] = [
  [
    'server',
    { REDIS_URL: 'redis://:PASSWORD@127.0.0.1:1', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://ops:PASSWORD@127.0.0.1:1' },
  ],
  ['worker', { REDIS_URL: 'rediss://ops:PASSWORD@localhost:1' }],
  ['worker', {}, ['--redis', 'redis://:PASSWORD@127.0.0.1:1']],
  // Refused.
  ['server', { REDIS_URL: 'http://ops:PASSWORD@localhost' }],
  ['worker', {}, ['--redis', 'http://ops:PASSWORD@localhost']],
  ['server', { MVS_PUBLIC_URL: 'https://ops:PASSWORD@localhost/' }],
  ['server', { MVS_CORS_ORIGINS: 'https://ops:PASSWORD@localhost' }],
  ['server', { MVS_CONTACT: 'https://ops:PASSWORD@localhost/contact' }],
  ['mvs', { MVS_VENDOR_URL: 'https://ops:PASSWORD@localhost:1', MVS_VENDOR_KEY: 'PASSWORD' }, ['vendor', 'stone', '1']],
  ['mvs', {}, 'views skip 1 --reason none --operator-key PASSWORD --url http://ops:PASSWORD@127.0.0.1:1'.split(' ')],
  ['mvs', {}, 'submit gone --key-file gone --out gone.csv --url http://ops:PASSWORD@127.0.0.1:1'.split(' ')],
  ['vendor-sandbox', { MVS_VENDOR_URL: 'https://ops:PASSWORD@localhost', MVS_SANDBOX_KEY: 'PASSWORD' }],
];

it('no program says a password of an address that it is told', async () => {
  const word = (text: string) => text.replaceAll('PASSWORD', PASSWORD);
  const tellers = await Promise.all(
    TOLD.map(async ([name, told, args = []]) => {
      const env = Object.fromEntries(Object.entries(told).map(([setting, text]) => [setting, word(text)]));
      const settings = { PORT: String(await freePort()), MVS_DATA_DIR: mkdtempSync(join(folder, 'said-')) };
      const started = StartedProgram.start(name, { MVS_LOG_LEVEL: 'trace', ...settings, ...env }, args.map(word));
      // What waits for a Redis that is not there may say nothing.
      await Promise.race([started.ended(), sleep(2 * SILENT_MS)]);
      await started.end();
      return started.output.includes(PASSWORD) ? [name, told, args, started.output] : [];
    }),
  );
  expect(tellers.flat()).toEqual([]);
});

describe('the built programs', () => {
  it('have chunks whose import does nothing', async () => {
    // What starts by itself, programs and threads, begins by making its sources known.
    const isEntry = (name: string) =>
      /^(#!.*\n)?import ?["'][.]+[/]sources[.]js/.test(readFileSync(join(PROGRAMS, name), 'utf8'));
    const chunks = readdirSync(PROGRAMS).filter((name) => name.endsWith('.js') && !isEntry(name));
    const looks = `const { readdirSync } = await import('node:fs');
      const before = process.getActiveResourcesInfo();
      for (const name of ${JSON.stringify(chunks)}) await import(${JSON.stringify(`${PROGRAMS}/`)} + name);
      const heard = process.eventNames().filter((name) => String(name).startsWith('SIG'));
      console.log(JSON.stringify([process.getActiveResourcesInfo().slice(before.length).filter((one) => !/Close|Pipe/.test(one)), heard]));`;
    const said = await new Promise((resolve) =>
      execFile(process.execPath, ['--input-type=module', '-e', looks], (_, out, error) => resolve(out + error)),
    );
    expect(said).toBe('[[],[]]\n');
  });

  it.each(stops)(
    'the server alone: its port, signals and threads, no call cut by its end, no inspector (%i)',
    async () => {
      const { server, client, port } = await serve({});
      expect(server.ports()).toEqual([port]);
      const { signals, intervals } = await server.look();
      expect(signals).toEqual({ SIGINT: 1, SIGTERM: 1, SIGHUP: 1, SIGUSR1: 1, SIGUSR2: 1 });
      expect(intervals.filter((ms) => ms < 1000)).toEqual([]);
      server.signal('SIGUSR1');
      server.signal('SIGUSR2');
      expect((await ready(client)).status).toBe(200);
      expect([server.ports(), server.output.includes('Debugger')]).toEqual([[port], false]);
      for (const head of Object.values(strangeHeads()).flat()) {
        const sent = `GET /api/v1/keys HTTP/1.1\r\n${head}Host: x\r\nConnection: close\r\n\r\n`;
        expect([head, await answerTo(client.address, sent)]).toEqual([
          head,
          expect.stringMatching(/^HTTP\/1\.1 [234]/),
        ]);
      }
      expect(server.output).not.toContain('"level":50');
      client.apiKey = await client.createKey('lab-a');
      expect((await client.verify(freshClaim())).status).toBe(200);
      const cut: number[] = [];
      const clients = Array.from({ length: CLIENTS }, () => claimsOf(client, cut));
      const slow = slowClaim(client, 6000);
      await sleep(1000);
      const told = performance.now();
      const ended = server.end();
      expect(await slow).toBe(200);
      const answered = await Promise.all(clients);
      expect(answered.some((count) => count > 0)).toBe(true);
      expect(cut.filter((began) => began < told)).toEqual([]);
      expect([await ended, server.output]).toEqual([0, expect.anything()]);
    },
  );
});

(redisIsHere ? describe : describe.skip)('the built programs of the production profile', () => {
  let redis: TestRedis;
  let double: Double;
  let probe: Redis;
  beforeAll(async () => {
    redis = await startRedis();
    probe = new Redis(redis.url);
    double = await startDouble(openDoubleLog(join(folder, 'double.db')));
  });
  afterAll(async () => {
    probe.disconnect();
    await double.close();
    await redis.stop();
  });

  const settings = (MVS_ROLE: string) => ({
    REDIS_URL: redis.url,
    EVENTSTORE_URL: double.connectionString,
    MVS_ROLE,
  });
  /** Queues from which anybody takes jobs. */
  const taken = async () => String(await probe.client('LIST')).match(/cmd=bzpopmin/g)?.length ?? 0;
  const startWorker = async () => {
    const worker = atEnd(StartedProgram.start('worker', { REDIS_URL: redis.url }), (one) => one.end('SIGKILL'));
    await worker.says('"msg":"working"');
    return worker;
  };

  /** A server of this role, which takes no jobs; nobody does yet. */
  const serveAs = async (role: string) => {
    const served = await serve(settings(role));
    const { server, client, port } = served;
    expect([await taken(), await probe.hlen('mvs:workers')]).toEqual([0, 0]);
    expect(server.ports()).toEqual([port]);
    const { signals } = await server.look();
    expect(signals).toEqual({ SIGINT: 1, SIGTERM: 1, SIGHUP: 1, SIGUSR1: 1, SIGUSR2: 1 });
    const { status, ms, retryAfter } = await ready(client);
    expect([status, retryAfter]).toEqual(role === 'operators' ? [200, null] : [503, '1']);
    expect(ms).toBeLessThan(SILENT_MS);
    return served;
  };

  it('a server for operators takes no jobs, and needs no worker', async () => {
    const { server } = await serveAs('operators');
    expect(await server.end()).toBe(0);
  });

  it.each(stops)('claims wait for a worker, also on a server told to end, which refuses others (%i)', async (stop) => {
    const { server, client } = await serveAs('all');
    client.apiKey = await client.createKey(`lab-b-${stop}`);
    const waiting = Array.from({ length: CLIENTS }, () => client.verify(freshClaim()));
    await until(async () => (await probe.keys('mvs:spectra:*')).length === CLIENTS);
    const slow = slowClaim(client, 6000);
    await sleep(500);
    const ended = server.end();
    await server.says('stopping');
    const { status, headers } = await client.verify(freshClaim());
    expect([status, headers.get('connection'), headers.get('retry-after')]).toEqual([503, 'close', '1']);
    const worker = await startWorker();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(CLIENTS).fill(200));
    expect(await slow).toBe(200);
    expect([await ended, server.output]).toEqual([0, expect.anything()]);
    expect(await probe.keys('mvs:spectra:*')).toEqual([]);
    expect(await worker.end()).toBe(0);
    expect([await taken(), await probe.hlen('mvs:workers')]).toEqual([0, 0]);
  });

  it('a server for claims is ready while there is a worker, and not once it was killed', async () => {
    const { client } = await serveAs('claims');
    const worker = await startWorker();
    expect((await ready(client)).status).toBe(200);
    expect(await worker.end('SIGKILL')).toBe('SIGKILL');
    // Its last report is believed for some seconds more.
    expect((await ready(client)).status).toBe(503);
    expect(await probe.hlen('mvs:workers')).toBe(1);
    const next = await startWorker();
    expect((await ready(client)).status).toBe(200);
    expect(await next.end()).toBe(0);
  });

  it.each(stops)('a worker takes jobs of each model; it and a server cut nothing as they end (%i)', async (stop) => {
    const worker = await startWorker();
    const queues = shippedModelFolders().length + 1;
    await until(async () => (await taken()) === queues);
    expect(worker.ports()).toEqual([]);
    const { signals, threads } = await worker.look();
    expect([signals, threads]).toEqual([{ SIGINT: 1, SIGTERM: 1, SIGUSR1: 1, SIGUSR2: 1 }, 0]);
    const { server, client } = await serve(settings('all'));
    client.apiKey = await client.createKey(`lab-c-${stop}`);
    expect((await client.verify(freshClaim())).status).toBe(200);
    const cut: number[] = [];
    const clients = Array.from({ length: CLIENTS }, () => claimsOf(client, cut));
    await sleep(1000);
    // Another one takes over what the first leaves.
    const other = await startWorker();
    expect(await worker.end()).toBe(0);
    await sleep(500);
    const told = performance.now();
    expect([await server.end(), server.output]).toEqual([0, expect.anything()]);
    const answered = await Promise.all(clients);
    expect([answered.some((count) => count > 0), cut.filter((began) => began < told)]).toEqual([true, []]);
    expect(await other.end()).toBe(0);
  });
});
