/** A worker that takes a job's spectra, says so, and never answers: node lost-worker.js REDIS_URL QUEUE */
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { PREFIX, redisOptions, spectraKey } from '../bullmq/protocol.js';
import { workerOptions } from '../bullmq/worker.js';

const [redisUrl, queue] = process.argv.slice(2);
const connection = redisOptions(redisUrl, true);
const redis = new Redis(connection);
new Worker(
  queue,
  async ({ id = '' }) => {
    const spectra = await redis.getdelBuffer(spectraKey(id));
    process.send?.(spectra?.length);
    await new Promise(() => {});
  },
  // Its lock soon runs out once it is dead.
  { connection, prefix: PREFIX, ...workerOptions(1), lockDuration: 1_000 },
);
