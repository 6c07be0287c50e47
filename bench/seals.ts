/**
 * What the seals of the log cost: of a claim's processor time, reckoned from what the sealing of its very events takes, and of
 * a rebuild of all views, in turns with the check switched off (here alone). `MVS_BENCH_CLAIMS` sets the claims of both,
 * `MVS_BENCH_ROUNDS` the rebuilds of each.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECTIONS } from '#catalogue/projections';
import { rebuildViews } from '#catalogue/rebuild';
import { upcast } from '#catalogue/upcast';
import type { RecordedEvent } from '#kit/log/port';
import { LogSeals, metadataText, type Sealable } from '#kit/log/seal';
import { openSqliteEventReader } from '#kit/log/sqlite/store';
import { quantile } from '#science/numerics/quantile';
import { claimBody } from './claims.js';
import { printMachine, startService, type Target } from './load.js';
import { writeStreams } from './written.js';

const CLAIMS = Number(process.env.MVS_BENCH_CLAIMS ?? 2_000);
const ROUNDS = Number(process.env.MVS_BENCH_ROUNDS ?? 7);
const CLIENTS = 32;
/** Seals of each event, so that a clock can tell. */
const REPEATED = 20;

export async function run(): Promise<void> {
  const directory = mkdtempSync(join(process.env.MVS_BENCH_DIR ?? tmpdir(), 'mvs-seals-'));
  printMachine();
  try {
    await ofClaims(directory);
    await ofRebuilds(join(directory, 'written'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

async function ofClaims(directory: string): Promise<void> {
  const target = await startService(directory);
  await send(target, CLIENTS);
  const before = (await target.vitals!()).cpuMs;
  await send(target, CLAIMS);
  const claimMs = ((await target.vitals!()).cpuMs - before) / CLAIMS;
  await target.stop();
  const events = (await allOf(join(directory, 'service'))).filter(({ stream }) => /^(claim|bank)-/.test(stream));
  const sealables = events.map(sealableOf);
  const seals = new LogSeals(['a secret of the bench, of 32 characters'], {
    boundary: { unsealedTo: 0n, taken: [] },
  });
  for (const one of sealables) seals.seal(one);
  const began = cpuMs();
  for (let n = 0; n < REPEATED; n++) for (const one of sealables) seals.seal(one);
  const sealMs = (cpuMs() - began) / REPEATED / sealables.length;
  const perClaim = sealables.length / (CLAIMS + CLIENTS);
  const share = (100 * sealMs * perClaim) / claimMs;
  console.log(
    `${CLAIMS} claims of ${CLIENTS} clients: ${claimMs.toFixed(2)} ms of processor time each, the answers' sending included`,
  );
  console.log(
    `${perClaim.toFixed(2)} events a claim, ${(1000 * sealMs).toFixed(1)} µs to seal one: ${share.toFixed(2)}% of it (reckoned)`,
  );
}

async function send({ bases: [base], key }: Target, claims: number): Promise<void> {
  const body = claimBody('seals');
  let left = claims;
  const client = async () => {
    while (left-- > 0) {
      const response = await fetch(`${base}/api/v1/verify-match`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: new Uint8Array(body()),
      });
      await response.text();
      if (!response.ok) throw new Error(`a claim was answered with ${response.status}`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

async function allOf(directory: string): Promise<RecordedEvent[]> {
  const reader = openSqliteEventReader({ directory });
  const events: RecordedEvent[] = [];
  for await (const event of reader.readAll()) events.push(event);
  await reader.close();
  return events;
}

const sealableOf = ({ stream, revision, id, type, version, recordedAt, metadata, data }: RecordedEvent): Sealable => ({
  ...{ stream, revision, id, type, version },
  ...{ recordedAt: recordedAt.getTime(), metadata: metadataText(metadata), data: JSON.stringify(data) },
});

async function ofRebuilds(directory: string): Promise<void> {
  mkdirSync(directory);
  await writeStreams(directory, CLAIMS);
  const { faultOf } = LogSeals.prototype;
  const took: Record<'with' | 'without', number[]> = { with: [], without: [] };
  let events = 0;
  for (let round = -1; round < ROUNDS; round++) {
    for (const how of round % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const)) {
      LogSeals.prototype.faultOf = how === 'with' ? faultOf : () => undefined;
      const reader = openSqliteEventReader({ directory, upcast });
      const views = join(directory, 'views');
      const began = cpuMs();
      ({ events } = await rebuildViews({ reader, projections: PROJECTIONS, directory: views }));
      if (round >= 0) took[how].push(cpuMs() - began);
      await reader.close();
      rmSync(views, { recursive: true });
    }
  }
  LogSeals.prototype.faultOf = faultOf;
  const shares = took.with.map((ms, i) => 100 * (ms / took.without[i] - 1)).sort((a, b) => a - b);
  const median = (values: number[]) =>
    quantile(
      values.toSorted((a, b) => a - b),
      0.5,
    );
  console.log(
    `Rebuild of all views of ${events} events, ${ROUNDS} of each in turns: ${median(took.with).toFixed(0)} ms of processor time with the ` +
      `check, ${median(took.without).toFixed(0)} without it; by pairs ${median(shares).toFixed(1)}% more (${shares[0].toFixed(1)} to ${shares.at(-1)!.toFixed(1)})`,
  );
}
