/**
 * What grows with the log: logs of so many claims (`MVS_BENCH_CLAIMS`, 1000,10000) are made once by the product's own append and
 * kept under `MVS_BENCH_DIR` or var/growth. Each figure is processor time of the service, but for the start, which is told by the
 * clock, and stands as a ratio to the smallest log's.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { upperMedian } from '#science/numerics/quantile';
import { encodedVectors } from './encoded.js';
import { load, printMachine, startService, type Target } from './load.js';
import { credentialOf, writeStreams } from './written.js';

const SIZES = (process.env.MVS_BENCH_CLAIMS ?? '1000,10000').split(',').map(Number);
const KEPT = process.env.MVS_BENCH_DIR ?? 'var/growth';
const ROUNDS = 5;
/** A key of the log, whose claims are labelled. */
const KEY = 'lab-a2';

const READS: Record<string, string> = {
  'claims, first page': '/api/v1/claims?limit=100',
  'claims, oldest page': '/api/v1/claims?limit=100&to=2026-01-05T08:10:00Z',
  'claims of a key': `/api/v1/claims?limit=100&key=${KEY}`,
  'claims, matches': '/api/v1/claims?limit=100&verdict=MATCH',
  'claims, labelled': '/api/v1/claims?limit=100&label=match',
  'claims, not reviewed': '/api/v1/claims?limit=100&reviewed=false',
  findings: '/api/v1/findings?limit=100',
  overview: '/api/v1/overview',
  'summary of a day of calls': '/api/telemetry/summary?from=2026-01-05T00:00:00Z&to=2026-01-06T00:00:00Z',
  hygiene: '/api/v1/hygiene',
  drift: '/api/v1/drift',
  'proposals of a population': `/api/v1/calibration/${KEY}`,
};

export async function run(): Promise<void> {
  printMachine();
  const figures: Map<string, number>[] = [];
  for (const size of SIZES) figures.push(await measured(size, await made(size)));
  console.log(
    `\n| | ${SIZES.map((size) => size.toLocaleString('en')).join(' | ')} |\n|---|${SIZES.map(() => '---:|').join('')}`,
  );
  for (const [what, first] of figures[0]) {
    const ratios = figures.slice(1).map((of) => {
      const value = of.get(what) ?? Number.NaN;
      return `${value.toFixed(1)} (${(value / first).toFixed(2)})`;
    });
    console.log(`| ${what} | ${[first.toFixed(1), ...ratios].join(' | ')} |`);
  }
}

/** The folder of a log of that size. */
async function made(size: number): Promise<string> {
  const folder = join(KEPT, String(size));
  if (existsSync(join(folder, 'made'))) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'service'), { recursive: true, mode: 0o700 });
  await writeStreams(join(folder, 'service'), size, await encodedVectors());
  writeFileSync(join(folder, 'made'), '');
  return folder;
}

async function measured(size: number, folder: string): Promise<Map<string, number>> {
  const figures = new Map<string, number>();
  const data = join(folder, 'service');
  for (const command of [
    ['views', 'rebuild'],
    ['events', 'verify'],
    ['events', 'export', '--out', join(folder, 'export')],
  ]) {
    const { cpuMs, highest } = await commanded([...command, '--data', data]);
    figures.set(`${command.slice(0, 2).join(' ')}, CPU ms a claim`, cpuMs / size);
    figures.set(`${command.slice(0, 2).join(' ')}, MiB at most`, highest);
  }
  rmSync(join(folder, 'export'), { force: true });
  for (const [what, of] of [
    ['log', /^events/],
    ['views', /^views$/],
  ] as const)
    figures.set(`${what}, kB a claim`, bytesOf(data, of) / 1000 / size);

  const began = performance.now();
  const target = await startService(folder);
  try {
    figures.set('start until it answers, ms', performance.now() - began);
    await setTimeout(2_000);
    figures.set('memory at rest, MiB', (await target.vitals!()).rssMiB);
    for (const clients of [1, 32]) {
      await load(target, clients, 64);
      figures.set(`a claim, ${clients} clients, CPU ms`, (await load(target, clients, 200)).cpuMs);
    }
    for (const [what, path] of Object.entries(READS)) figures.set(`${what}, CPU ms`, await asked(target, path));
    const { items } = await answerOf(target, `/api/v1/claims?limit=100&key=${KEY}`);
    const body = JSON.stringify(items.map(({ claim_id }) => ({ claim_id, expected: 'match' })));
    const sent = {
      method: 'POST',
      headers: { 'x-api-key': credentialOf(KEY), 'content-type': 'application/json' },
      body,
    };
    figures.set('a call of 100 labels, CPU ms', await asked(target, '/api/v1/expected', sent));
    figures.set('memory after all, MiB', (await target.vitals!()).rssMiB);
  } finally {
    await target.stop();
  }
  return figures;
}

/** Median of the processor time of some rounds, after one. */
async function asked(target: Target, path: string, sent?: RequestInit): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const before = (await target.vitals!()).cpuMs;
    await answerOf(target, path, sent);
    took.push((await target.vitals!()).cpuMs - before);
  }
  return upperMedian(took.slice(1));
}

async function answerOf({ bases: [base], operator }: Target, path: string, sent?: RequestInit) {
  const response = await fetch(base + path, sent ?? { headers: { 'x-svc-admin': operator } });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as { items: { claim_id: string }[] };
}

/** Runs `mvs`. @returns its processor time, and the most memory that it had */
function commanded(parameters: string[]): Promise<{ cpuMs: number; highest: number }> {
  const child = spawn(process.execPath, ['dist/programs/mvs.js', ...parameters], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const of = { cpuMs: 0, highest: 0 };
  const look = setInterval(() => {
    try {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
        .replace(/^.*[)] /s, '')
        .split(' ');
      of.cpuMs = (Number(fields[11]) + Number(fields[12])) * 10;
      const [, kB] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      of.highest = Math.max(of.highest, Number(kB ?? 0) / 1024);
    } catch {
      // It has ended.
    }
  }, 50);
  return new Promise((resolve, reject) =>
    child.once('exit', (code) => {
      clearInterval(look);
      if (code === 0) resolve(of);
      else reject(new Error(`mvs ${parameters.join(' ')} ended with ${code}`));
    }),
  );
}

function bytesOf(folder: string, name: RegExp): number {
  const inside = (path: string): number =>
    statSync(path).isDirectory()
      ? readdirSync(path).reduce((sum, one) => sum + inside(join(path, one)), 0)
      : statSync(path).size;
  return readdirSync(folder)
    .filter((one) => name.test(one))
    .reduce((sum, one) => sum + inside(join(folder, one)), 0);
}
