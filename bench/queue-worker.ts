// A scoring worker whose jobs may cost more than their encoding: node queue-worker.js REDIS_URL none|wait|compute MILLISECONDS
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'bullmq';
import { QUEUE_PREFIX, queueName } from '#kit/queue/bullmq/index';
import { ScoringWorker, workerOptions } from '#kit/queue/bullmq/worker';
import { simdCompute } from '#science/compute/cpu-engines';
import { placeModel } from '#science/matching/encoder';
import { loadModel } from '#science/matching/model';
import { MODEL_FILE, shippedModelFolder } from '#science/matching/shipped';

const [redisUrl, kind, milliseconds] = process.argv.slice(2);
const model = loadModel(readFileSync(join(shippedModelFolder(), MODEL_FILE)));
const scoring = new ScoringWorker({
  redisUrl,
  placed: [await placeModel(model, simdCompute())],
  engine: 'simd',
  batch: 8,
  alarm: (message) => console.error(message),
});
await scoring.report();
const worker = new Worker(
  queueName(model.digest),
  async (job) => {
    const until = performance.now() + Number(milliseconds);
    if (kind === 'wait') await setTimeout(Number(milliseconds));
    if (kind === 'compute') while (performance.now() < until);
    return scoring.process(job);
  },
  {
    connection: scoring.redis,
    prefix: QUEUE_PREFIX,
    // A dear job is one device's or core's: the next begins after it.
    ...workerOptions(kind === 'none' ? 16 : 1),
  },
);
worker.on('error', () => {});
await worker.waitUntilReady();
process.send!('ready');
