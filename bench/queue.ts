/** The scoring queue over a real Redis with a worker: its round trip beside the encoding alone. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
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
import { program } from '../test/programs.js';
import { redisIsHere, startRedis } from '../test/redis.js';
import { printMachine } from './load.js';

const [ROUGH, POLISH] = [6, 1];

const model = loadModel(readFileSync(join(shippedModelFolder(), MODEL_FILE)));
const random = new Random('queue bench', 1);
const spectra = Float32Array.from({ length: (ROUGH + POLISH) * REFERENCE_POINTS }, () => 1 + random.uniform());
const job = (): ScoringJob => ({
  ...{ model: model.digest, roughCount: ROUGH, polishCount: POLISH },
  spectra: spectra.slice(),
});

export async function run(): Promise<void> {
  if (!redisIsHere) {
    console.log('not measured: redis-server is not installed');
    return;
  }
  printMachine();
  const redis = await startRedis();
  const edge = new BullmqQueue(claimJobs, { redisUrl: redis.url, model: model.digest, maxWaiting: 1000 });
  const worker = spawn(process.execPath, [program('worker'), '--redis', redis.url], { stdio: 'ignore' });
  try {
    await edge.ready();
    // The first ones wait for the worker.
    for (let i = 0; i < 10; i++) await edge.score(job(), { timeoutMs: 30_000 });
    await roundTrip(edge);
  } finally {
    await edge.close();
    worker.kill('SIGKILL');
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
