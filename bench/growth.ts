/**
 * What grows with the log: logs of so many claims (`MVS_BENCH_CLAIMS`, 1000,10000) are made once by the product's own append and
 * kept under `MVS_BENCH_DIR` or var/growth. Each figure is processor time of the service, which does not check its log meanwhile
 * and has nothing else in work when a question is put to it, and stands as a ratio to the smallest log's. Only the start is told
 * by the clock too. A run adds some 530 claims and an approval to each log.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { upperMedian } from '#science/numerics/quantile';
import { encodedVectors } from './encoded.js';
import { createKey, load, printMachine, startService, type Target } from './load.js';
import { credentialOf, writeStreams } from './written.js';

const SIZES = (process.env.MVS_BENCH_CLAIMS ?? '1000,10000').split(',').map(Number);
const KEPT = process.env.MVS_BENCH_DIR ?? 'var/growth';
const ROUNDS = 5;
/** A production key of the log, alone in its population, whose claims are labelled. */
const KEY = 'lab-a2';
const HOUR = 'from=2026-01-05T08:00:00Z&to=2026-01-05T09:00:00Z';
const DAY = 'from=2026-01-05T00:00:00Z&to=2026-01-06T00:00:00Z';
/** The cursor of a page behind which stand the log's first claims. */
const DEEP = `cursor=${Buffer.from('p2000').toString('base64url')}`;

const LADDER = `/api/v1/calibration/${KEY}`;
const READS: Record<string, string> = {
  'claims, first page': '/api/v1/claims?limit=100',
  'claims, deep page': `/api/v1/claims?limit=100&${DEEP}`,
  'claims of a key': `/api/v1/claims?limit=100&key=${KEY}`,
  'claims of test keys': '/api/v1/claims?limit=100&key_kind=test',
  'claims, matches': '/api/v1/claims?limit=100&verdict=MATCH',
  'claims at 0.94': '/api/v1/claims?limit=100&reject_target=0.94',
  'claims, labelled no_match': '/api/v1/claims?limit=100&label=no_match',
  'claims, reviewed': '/api/v1/claims?limit=100&reviewed=true',
  'claims that wait for a review': '/api/v1/claims?limit=100&action=review&reviewed=false',
  'claims, unfinished': '/api/v1/claims?limit=100&status=unfinished',
  'claims behind probing': '/api/v1/claims?limit=100&finding=probing',
  'claims of a stone': '/api/v1/claims?limit=100&reference=R7',
  'claims of a key and an hour': `/api/v1/claims?limit=100&key=${KEY}&${HOUR}`,
  'claims, most probable first': '/api/v1/claims?limit=100&sort=p_match_5050',
  'claims of a key, most probable first': `/api/v1/claims?limit=100&sort=p_match_5050&key=${KEY}`,
  'findings, first page': '/api/v1/findings?limit=100',
  'findings, deep page': `/api/v1/findings?limit=100&${DEEP}`,
  'findings, breaches': '/api/v1/findings?limit=100&breach=true',
  'calls, first page': '/api/telemetry/events?limit=100',
  'calls, refused': '/api/telemetry/events?limit=100&status=422',
  'calls of a key and an hour': `/api/telemetry/events?limit=100&key=${KEY}&${HOUR}`,
  overview: '/api/v1/overview',
  'summary of a day of calls': `/api/telemetry/summary?${DAY}`,
  'the same of a key': `/api/telemetry/summary?${DAY}&key=${KEY}`,
  hygiene: '/api/v1/hygiene',
  'drift of a population': `/api/v1/drift?population=${KEY}`,
  'ladder with proposals': LADDER,
};
/** The service looks after drift, hygiene and scorers each minute. */
const LOOKED_AFTER_MS = 65_000;
const HISTORY = `/api/v1/calibration/${KEY}/history`;

/** Says each figure as it comes: a run takes long. */
class Figures extends Map<string, number> {
  override set(what: string, value: number): this {
    console.log(`${what}: ${value.toFixed(1)}`);
    return super.set(what, value);
  }
}

export async function run(): Promise<void> {
  printMachine();
  const figures: Map<string, number>[] = [];
  for (const size of SIZES) {
    figures.push(await measured(size, await made(size)));
    // What was measured of the smaller ones is not lost with a larger one.
    printTable(SIZES.slice(0, figures.length), figures);
  }
}

function printTable(sizes: number[], figures: Map<string, number>[]): void {
  console.log(
    `\n| | ${sizes.map((size) => size.toLocaleString('en')).join(' | ')} |\n|---|${sizes.map(() => '---:|').join('')}`,
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
  const began = performance.now();
  await writeStreams(join(folder, 'service'), size, await encodedVectors());
  console.log(
    `a log of ${size.toLocaleString('en')} claims made in ${((performance.now() - began) / 1000).toFixed(0)} s`,
  );
  writeFileSync(join(folder, 'made'), '');
  return folder;
}

async function measured(size: number, folder: string): Promise<Map<string, number>> {
  const figures = new Figures();
  const data = join(folder, 'service');
  const command = async (what: string, ...parameters: string[]) => {
    const { cpuMs, highest } = await commanded(parameters);
    figures.set(`${what}, CPU ms a claim`, cpuMs / size);
    figures.set(`${what}, MiB at most`, highest);
  };
  await command('rebuild', 'views', 'rebuild', '--data', data);
  await questioned(folder, figures);
  await startedAgain(folder, figures);
  const [exported, imported] = [join(folder, 'export'), join(folder, 'imported')];
  await command('verify', 'events', 'verify', '--data', data);
  await command('export', 'events', 'export', '--out', exported, '--data', data);
  await command('import', 'events', 'import', exported, '--unchecked', 'bench', '--data', imported);
  for (const made of [exported, imported]) rmSync(made, { recursive: true, force: true });
  for (const [what, at, of] of [
    ['log', data, /^events[.]db/],
    ['views', data, /^views$/],
    ...['ledger', 'findings', 'telemetry', 'evidence'].map(
      (view) => [`view ${view}`, join(data, 'views'), RegExp(`^${view}`)] as const,
    ),
  ] as const)
    figures.set(`${what}, kB a claim`, bytesOf(at, of) / 1000 / size);

  return figures;
}

const started = (folder: string) => startService(folder, undefined, ['--unchecked']);

async function questioned(folder: string, figures: Map<string, number>): Promise<void> {
  const began = performance.now();
  const target = await started(folder);
  const memory = async (when: string) => figures.set(`memory ${when}, MiB`, (await target.vitals!()).rssMiB);
  try {
    figures.set('start until it answers, ms', performance.now() - began);
    figures.set('start, CPU ms', (await target.vitals!()).cpuMs);
    const rested = await quiet(target);
    await memory('at rest');
    // It would be counted as the claims' otherwise.
    await setTimeout(LOOKED_AFTER_MS);
    figures.set('what is looked after each minute, the first time, CPU ms', (await quiet(target)) - rested);
    const key = await createKey(target.bases[0], target.operator, { kind: 'production', population: KEY });
    for (const clients of [1, 32]) {
      await load({ ...target, key }, clients, 64);
      figures.set(`a claim, ${clients} clients, CPU ms`, (await load({ ...target, key }, clients, 200)).cpuMs);
    }
    for (const [what, path] of Object.entries(READS)) {
      if (/proposals/.test(what)) await memory('after claims and pages');
      const { first, later } = await asked(target, path);
      figures.set(`${what}, CPU ms`, later);
      if (/proposals|drift|summary|overview|findings, first/.test(what)) figures.set(`${what}, asked first`, first);
    }
    await memory('after proposals');
    const claims = await ownClaims(target, 5_000);
    for (const count of [100, 5_000]) {
      const sent = Math.min(count, claims.length);
      const { first, later } = await asked(target, '/api/v1/expected', labelsOf(claims.slice(0, count)));
      figures.set(`a call of ${count} labels (${sent} sent), asked first`, first);
      figures.set(`the same again`.concat(` (${count})`), later);
    }
    await memory('after labels');
    figures.set(
      `an audit bundle, CPU ms`,
      (await asked(target, `/api/v1/calibration/${KEY}/audit.zip`, undefined, 1)).later,
    );
    await memory('after the bundle');
    await approve(target);
  } finally {
    await target.stop();
  }
}

const labelsOf = (claims: string[]) => ({
  method: 'POST',
  headers: { 'x-api-key': credentialOf(KEY), 'content-type': 'application/json' },
  body: JSON.stringify(claims.map((claim_id) => ({ claim_id, expected: 'match' }))),
});

/** Approves the first proposal of the population, so that its history has a root to tell. */
async function approve(target: Target): Promise<void> {
  const { rungs } = JSON.parse(await answerOf(target, LADDER)) as {
    rungs: { reject_target: number; state: string; proposal: { proposal_digest: string } | null }[];
  };
  const proposed = rungs.find(({ proposal }) => proposal);
  if (!proposed || rungs.some(({ state }) => state === 'calibrated')) return;
  await answerOf(target, `/api/v1/calibration/${KEY}/rungs/${proposed.reject_target.toFixed(2)}/approve`, {
    method: 'POST',
    headers: { 'x-svc-admin': target.operator, 'content-type': 'application/json' },
    body: JSON.stringify({ proposal_digest: proposed.proposal?.proposal_digest, reason: 'bench' }),
  });
  // What the history tells is computed once after a decision, and kept.
  await asked(target, HISTORY, undefined, 1);
}

/** What is asked first after a start. */
async function startedAgain(folder: string, figures: Map<string, number>): Promise<void> {
  const target = await started(folder);
  try {
    await quiet(target);
    const { first, later } = await asked(target, HISTORY);
    figures.set('history of a population after a start, asked first', first);
    figures.set('history of a population, CPU ms', later);
    const labels = labelsOf(await ownClaims(target, 100));
    figures.set(
      'a call of 100 labels after a start, asked first',
      (await asked(target, '/api/v1/expected', labels)).first,
    );
    const drift = await asked(target, READS['drift of a population']);
    figures.set('drift of a population after a start and an approval, asked first', drift.first);
    figures.set(
      'ladder with proposals after a start, asked first',
      (await asked(target, READS['ladder with proposals'])).first,
    );
  } finally {
    await target.stop();
  }
}

/** The newest claims of the key, of all pages that are needed. */
async function ownClaims(target: Target, most: number): Promise<string[]> {
  const claims: string[] = [];
  for (let cursor = ''; claims.length < most; ) {
    const page = JSON.parse(await answerOf(target, `/api/v1/claims?limit=1000&status=scored&key=${KEY}${cursor}`)) as {
      items: { claim_id: string }[];
      next_cursor: string | null;
    };
    claims.push(...page.items.map(({ claim_id }) => claim_id));
    if (page.next_cursor === null) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  return claims.slice(0, most);
}

/** Processor time of a question: of the first one, where it is for proposals with the work that goes on, and the median of some after it. */
async function asked(target: Target, path: string, sent?: RequestInit, rounds = ROUNDS) {
  const took: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const before = (await target.vitals!()).cpuMs;
    await answerOf(target, path, sent);
    const after = (await target.vitals!()).cpuMs;
    const idle = await quiet(target);
    took.push((round === 0 && path === LADDER ? idle : after) - before);
  }
  return { first: took[0], later: upperMedian(took.slice(1)) };
}

/** A service has nothing in work if at so many looks in a row its threads wait, and it works so little (ms) from one to the last. */
const LOOKS = { times: 12, everyMs: 25, works: 25 };

/** Waits until the service has nothing in work, however little time a busy machine gives it. @returns its processor time then */
async function quiet(target: Target): Promise<number> {
  const [pid] = target.parts().service;
  for (;;) {
    const before = (await target.vitals!()).cpuMs;
    let waiting = 0;
    for (; waiting < LOOKS.times && !isWorking(pid); waiting++) await setTimeout(LOOKS.everyMs);
    const now = (await target.vitals!()).cpuMs;
    if (waiting === LOOKS.times && now - before <= LOOKS.works) return now;
    await setTimeout(LOOKS.everyMs);
  }
}

/** True if a thread other than the main one, which timers wake all the time, has work. */
function isWorking(pid: number): boolean {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).some((task) => {
    if (Number(task) === pid) return false;
    try {
      return /^.*[)] [RD]/s.test(readFileSync(join(tasks, task, 'stat'), 'utf8'));
    } catch {
      // It has ended.
      return false;
    }
  });
}

async function answerOf({ bases: [base], operator }: Target, path: string, sent?: RequestInit): Promise<string> {
  for (;;) {
    const response = await fetch(base + path, sent ?? { headers: { 'x-svc-admin': operator } });
    const text = await response.text();
    if (response.ok) return text;
    // The audit root of a long log is made behind its first question.
    if (path !== HISTORY || response.status !== 503) throw new Error(`${path}: ${response.status} ${text}`);
    await setTimeout(1000 * Number(response.headers.get('retry-after')));
  }
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
