/**
 * Effect of one client's flood on another: the victim's claims, one after the other, alone and while a flood goes on from
 * another process on the same machine, all over loopback. `--production` floods one of the two replicas of the production
 * profile, which is the victim's too. At most 20 s per flood.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { upperMedian } from '#science/numerics/quantile';
import { redisIsHere } from '../test/redis.js';
import { claimBody } from './claims.js';
import { answer, createKey, end, printMachine, startService } from './load.js';
import { startProfile } from './production.js';

const FLOODS = {
  stalled: '140 uploads of 4 MB that stall',
  connections: '200 connections with claims',
  uploads: '130 uploads of 4 MB at once, again and again',
  guesses: '64 connections with guessed keys',
  sockets: '2,000 connections of one address with half a head, CONNECT or nothing',
  'sockets-16': '2,000 of 16 addresses with half a head or nothing',
  cores: 'nothing sent, two threads that never rest',
};
const CLAIMS = 150;
const MAX_MS = 20_000;
/** Between two claims of the victim. */
const PAUSE_MS = 20;
/** Until the flood stands. */
const BEFORE_MS = 2_000;

interface Seen {
  p50: number;
  p99: number;
  answered: number;
  statuses: Record<string, number>;
}

export async function run(): Promise<void> {
  const production = process.argv.includes('--production');
  if (production && !redisIsHere) {
    console.log('not measured: redis-server is not installed');
    return;
  }
  const directory = mkdtempSync(join(process.env.MVS_BENCH_DIR ?? tmpdir(), 'mvs-fairness-'));
  printMachine();
  const target = production ? await startProfile() : await startService(directory);
  const [base] = target.bases;
  try {
    const [victim, flooder] = [
      await createKey(base, target.operator, 'victim'),
      await createKey(base, target.operator, 'flooder'),
    ];
    const body = claimBody('victim');
    await claims(base, victim, body);
    const wanted = Object.entries(FLOODS).filter(
      ([kind]) => process.env.MVS_BENCH_FLOOD?.split(',').includes(kind) ?? true,
    );
    console.log(
      '\n| flood | p50 ms | of idle | p99 ms | 503 | other refusals | loop delay p99, most ms | flood answered |',
    );
    console.log('|---|---:|---:|---:|---:|---:|---:|---|');
    for (const [kind, name] of wanted) {
      const idle = await claims(base, victim, body);
      await target.vitals?.();
      const flood = fork(new URL('./flood.js', import.meta.url), [kind, base, flooder], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      await answer(flood);
      await setTimeout(BEFORE_MS);
      const under = await claims(base, victim, body);
      const vitals = await target.vitals?.();
      const counts = await countedBy(flood);
      await end(flood);
      row('none', idle, '', '', '');
      const delay = vitals ? `${vitals.loopP99.toFixed(0)}, ${vitals.loopMax.toFixed(0)}` : '';
      row(name, under, (under.p50 / idle.p50).toFixed(2), delay, JSON.stringify(counts).replace(/[{}"]/g, ''));
      await settled(base);
    }
  } finally {
    await target.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function row(name: string, { p50, p99, statuses }: Seen, ratio: string, delay: string, counts: string): void {
  const { 200: _, 503: busy = 0, ...others } = statuses;
  const refused = Object.values(others).reduce((sum, n) => sum + n, 0);
  console.log(
    `| ${name} | ${p50.toFixed(1)} | ${ratio} | ${p99.toFixed(1)} | ${busy} | ${refused} | ${delay} | ${counts} |`,
  );
}

/** The victim: claim after claim, with a pause between. */
async function claims(base: string, key: string, body: () => Buffer): Promise<Seen> {
  const took: number[] = [];
  const statuses: Record<string, number> = {};
  const until = performance.now() + MAX_MS;
  for (let n = 0; n < CLAIMS && performance.now() < until; n++) {
    const began = performance.now();
    const status = await fetch(`${base}/api/v1/verify-match`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: new Uint8Array(body()),
    }).then(
      async (response) => {
        await response.text();
        return response.status;
      },
      () => 0,
    );
    took.push(performance.now() - began);
    statuses[status] = (statuses[status] ?? 0) + 1;
    await setTimeout(PAUSE_MS);
  }
  const p99 = [...took].sort((a, b) => a - b)[Math.floor(took.length * 0.99)];
  return { p50: upperMedian(took), p99, answered: took.length, statuses };
}

function countedBy(flood: ChildProcess): Promise<Record<string, number>> {
  const counts = answer<Record<string, number>>(flood);
  flood.send('counts');
  return counts;
}

/** Until what the flood left is worked off. */
async function settled(base: string): Promise<void> {
  await setTimeout(1_000);
  for (let n = 0; n < 100; n++) {
    const response = await fetch(`${base}/health/ready`).catch(() => undefined);
    const health = (await response?.json().catch(() => undefined)) as
      | { parts?: { scoring?: { waiting?: number } } }
      | undefined;
    if (response?.ok && !health?.parts?.scoring?.waiting) return;
    await setTimeout(200);
  }
}
