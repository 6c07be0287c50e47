/**
 * What a victim feels of others: its claims, one after the other with a pause, alone and while an attacker sends bodies of a
 * shape (32 at once of 20 MB), or eight operators read without a pause, or 250 connections of its address idle; and from a
 * second after the end of it. `MVS_BENCH_VICTIMS` names some of them, `MVS_BENCH_CLAIMS` sets the claims in the log before.
 */
import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { upperMedian } from '#science/numerics/quantile';
import { claimBody } from './claims.js';
import { answer, createKey, end, printMachine, startService, type Target } from './load.js';
import { BODIES, IDLE, READS } from './victims/shapes.js';
import { writeStreams } from './written.js';

const STORED = Number(process.env.MVS_BENCH_CLAIMS ?? 10_000);
const ROUNDS = Number(process.env.MVS_BENCH_ROUNDS ?? 100);
const MAX_MS = 15_000;
const PAUSE_MS = 10;
/** Until an attack stands, and after its end. */
const SETTLING_MS = 1_000;

interface Felt {
  p50: number;
  p99: number;
  refused: number;
}

export async function run(): Promise<void> {
  const directory = mkdtempSync(join(process.env.MVS_BENCH_DIR ?? tmpdir(), 'mvs-victims-'));
  printMachine();
  console.log(`${STORED} claims in the log, ${ROUNDS} claims of the victim each, ${MAX_MS / 1000} s at most`);
  mkdirSync(join(directory, 'service'), { mode: 0o700 });
  await writeStreams(join(directory, 'service'), STORED);
  const target = await startService(directory);
  try {
    await caughtUp(target);
    const [base] = target.bases;
    const attacker = await createKey(base, target.operator, { name: 'attacker' });
    const body = claimBody('victim');
    await felt(target, body);
    const asked = process.env.MVS_BENCH_VICTIMS?.split(',');
    const kinds = [...Object.keys(BODIES), ...Object.keys(READS), IDLE].filter((kind) => asked?.includes(kind) ?? true);
    console.log(
      '\n| beside the victim | p50 alone | under it | times | p99 alone | under it | times | refused | p50 after | loop delay, most ms | answers |',
    );
    console.log('|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|');
    for (const kind of kinds) await measure(kind, target, attacker, body);
  } finally {
    await target.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(kind: string, target: Target, attacker: string, body: () => Buffer): Promise<void> {
  const alone = await felt(target, body);
  await target.vitals?.();
  const parameters = [kind, target.bases[0], attacker, target.operator];
  const attack = fork(new URL('./victims/attack.js', import.meta.url), parameters, { stdio: 'inherit' });
  await answer(attack);
  await setTimeout(SETTLING_MS);
  const under = await felt(target, body);
  const loop = await target.vitals?.();
  const counts = answer<Record<string, number>>(attack);
  attack.send('counts');
  const answers = JSON.stringify(await counts).replace(/[{}"]/g, '');
  await end(attack);
  await setTimeout(SETTLING_MS);
  const after = await felt(target, body);
  const ms = (value: number) => value.toFixed(1);
  console.log(
    `| ${kind} | ${ms(alone.p50)} | ${ms(under.p50)} | ${ms(under.p50 / alone.p50)} | ${ms(alone.p99)} | ${ms(under.p99)} | ` +
      `${ms(under.p99 / alone.p99)} | ${under.refused} | ${ms(after.p50)} | ${loop ? loop.loopMax.toFixed(0) : ''} | ${answers} |`,
  );
}

/** Claim after claim, each on a connection of its own. */
async function felt({ bases: [base], key }: Target, body: () => Buffer): Promise<Felt> {
  const took: number[] = [];
  let refused = 0;
  const until = performance.now() + MAX_MS;
  for (let n = 0; n < ROUNDS && performance.now() < until; n++) {
    const began = performance.now();
    const status = await fetch(`${base}/api/v1/verify-match`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', connection: 'close' },
      body: new Uint8Array(body()),
    }).then(
      async (response) => {
        await response.text();
        return response.status;
      },
      () => 0,
    );
    took.push(performance.now() - began);
    if (status !== 200) refused++;
    await setTimeout(PAUSE_MS);
  }
  const p99 = took.toSorted((a, b) => a - b)[Math.ceil(took.length * 0.99) - 1];
  return { p50: upperMedian(took), p99, refused };
}

/** The views are made of the log that was written. */
async function caughtUp({ bases: [base], operator }: Target): Promise<void> {
  for (;;) {
    const response = await fetch(`${base}/api/v1/overview`, { headers: { 'x-svc-admin': operator } });
    await response.text();
    if (response.ok) return;
    await setTimeout(500);
  }
}
