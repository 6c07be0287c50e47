/**
 * The scoring queue over a real Redis, its workers in processes of their own: its round trip beside the encoding alone,
 * and results while connections are cut at random.
 * `MVS_BENCH_JOBS` sets the number of results under cuts (100,000).
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { BullmqQueue, claimJobs } from '#kit/queue/bullmq/index';
import type { ScoringJob } from '#kit/queue/port';
import { simdCompute } from '#science/compute/cpu-engines';
import { encodeSides, placeModel } from '#science/matching/encoder';
import { loadModel } from '#science/matching/model';
import { MODEL_FILE, shippedModelFolder } from '#science/matching/shipped';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { Random } from '#simulator';
import { cutConnections } from '../test/cut-connections.js';
import { redisIsHere, startRedis } from '../test/redis.js';

const JOBS = Number(process.env.MVS_BENCH_JOBS ?? 100_000);
const [ROUGH, POLISH] = [6, 1];
const CLIENTS = 32;
const CUT_EVERY_MS = 400;

const model = loadModel(readFileSync(join(shippedModelFolder(), MODEL_FILE)));
const random = new Random('queue bench', 1);
const spectra = Float32Array.from({ length: (ROUGH + POLISH) * REFERENCE_POINTS }, () => 1 + random.uniform());
const job = (roughCount = ROUGH): ScoringJob => ({
  model: model.digest,
  roughCount,
  polishCount: POLISH,
  spectra: spectra.slice(0, (roughCount + POLISH) * REFERENCE_POINTS),
});

export async function run(): Promise<void> {
  if (!redisIsHere) {
    console.log('not measured: redis-server is not installed');
    return;
  }
  console.log(
    `Node ${process.versions.node}, ${cpus().length} x ${cpus()[0].model}, load ${loadavg()[0].toFixed(1)} before\n`,
  );
  await withWorkers(1, roundTrip);
  await withWorkers(2, cuts);
}

async function withWorkers<T>(count: number, work: (edge: BullmqQueue, redisUrl: string) => Promise<T>): Promise<T> {
  const redis = await startRedis();
  const workers: ChildProcess[] = [];
  const edge = new BullmqQueue(claimJobs, { redisUrl: redis.url, model: model.digest, maxWaiting: 100_000 });
  try {
    for (let i = 0; i < count; i++) {
      const worker = fork(new URL('./queue-worker.js', import.meta.url), [redis.url]);
      workers.push(worker);
      await new Promise((resolve, reject) => worker.once('message', resolve).once('exit', reject));
    }
    await edge.ready();
    for (let i = 0; i < 10; i++) await edge.score(job(), { timeoutMs: 30_000 });
    return await work(edge, redis.url);
  } finally {
    await edge.close();
    for (const worker of workers) worker.kill('SIGKILL');
    await redis.stop();
  }
}

async function roundTrip(edge: BullmqQueue): Promise<void> {
  const placed = await placeModel(model, simdCompute());
  const rounds = async (count: number, work: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let i = 0; i < count; i++) {
      const began = performance.now();
      await work();
      times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    return [times[count >> 1], times[Math.floor(count * 0.99)]];
  };
  const encoding = () => encodeSides(placed, spectra.slice(), [ROUGH, POLISH]);
  await rounds(100, encoding);
  const alone = await rounds(500, encoding);
  const queued = await rounds(2000, () => edge.score(job(), { timeoutMs: 30_000 }));
  const row = (name: string, [p50, p99]: number[]) =>
    console.log(`| ${name} | ${p50.toFixed(2)} | ${p99.toFixed(2)} |`);
  console.log('| one job at a time | p50 ms | p99 ms |\n|---|---:|---:|');
  row(`encoding ${ROUGH + POLISH} scans in this process`, alone);
  row('through Redis and a worker', queued);
  console.log(`\nthe queue's own share: ${(queued[0] - alone[0]).toFixed(2)} ms at p50\n`);
  placed.release();
}

async function cuts(edge: BullmqQueue, redisUrl: string): Promise<void> {
  const stop = await cutConnections(redisUrl, CUT_EVERY_MS, 1);
  const began = performance.now();
  const failures: Record<string, number> = {};
  let answered = 0;
  let next = 0;
  const client = async () => {
    while (next++ < JOBS) {
      try {
        await edge.score(job(1), { timeoutMs: 30_000 });
        answered++;
      } catch (error) {
        const { reason = 'failed' } = error as { reason?: string };
        failures[reason] = (failures[reason] ?? 0) + 1;
      }
      if (next % 10_000 === 0) console.error(`${next} of ${JOBS} jobs`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const seconds = (performance.now() - began) / 1000;
  const cut = await stop();
  console.log(
    `${answered} of ${JOBS} results (of 1 + 1 scans) came back to ${CLIENTS} waiting callers in ${seconds.toFixed(0)} s (${(JOBS / seconds).toFixed(0)}/s) while ${cut} connections were killed; others: ${JSON.stringify(failures)}`,
  );
}
