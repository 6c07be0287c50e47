// A scoring worker: node queue-worker.js REDIS_URL
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'bullmq';
import { QUEUE_PREFIX, queueName } from '#kit/queue/bullmq/index';
import { ScoringWorker, workerOptions } from '#kit/queue/bullmq/worker';
import { simdCompute } from '#science/compute/cpu-engines';
import { placeModel } from '#science/matching/encoder';
import { loadModel } from '#science/matching/model';
import { MODEL_FILE, shippedModelFolder } from '#science/matching/shipped';

const model = loadModel(readFileSync(join(shippedModelFolder(), MODEL_FILE)));
const scoring = new ScoringWorker({
  redisUrl: process.argv[2],
  placed: [await placeModel(model, simdCompute())],
  engine: 'simd',
  batch: 8,
  alarm: (message) => console.error(message),
});
await scoring.report();
const worker = new Worker(queueName(model.digest), (job) => scoring.process(job), {
  connection: scoring.redis,
  prefix: QUEUE_PREFIX,
  ...workerOptions(16),
});
worker.on('error', () => {});
await worker.waitUntilReady();
process.send!('ready');
