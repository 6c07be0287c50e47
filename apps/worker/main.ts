/** npm run worker: scores claims out of Redis. `--help` lists the options. */
import pino from 'pino';
import { readVariables, WORKER_VARIABLES } from '#config/environment';
import { ConfigurationError } from '#config/error';
import { refuseUnknownNames } from '#config/names';
import { standardOutput } from '#kit/observe/log-output';
import { startTracing } from '#kit/observe/tracing';
import { ModelFileError } from '#science/matching/safetensors';
import { type WorkerFlags, workerCommand } from './options.js';
import { startWorker } from './worker.js';

const { concurrency, batch, redis } = workerCommand().parse().opts<WorkerFlags>();
const { redisUrl, shadowModel, lotModel, stopMs, traceEndpoint, logLevel } = readSettings();
const logger = pino({ level: logLevel, base: null }, standardOutput());
const tracing = traceEndpoint ? await startTracing('mvs-worker', traceEndpoint) : undefined;
const worker = await startWorker({
  redisUrl,
  shadowFolder: shadowModel,
  lotFolder: lotModel,
  concurrency,
  batch,
  logger,
}).catch((error: Error) => {
  console.error(error instanceof ConfigurationError || error instanceof ModelFileError ? error.message : error);
  process.exit(1);
});

function readSettings() {
  try {
    refuseUnknownNames(process.env);
    const read = readVariables(WORKER_VARIABLES, { ...process.env, ...(redis && { REDIS_URL: redis }) });
    if (read.redisUrl) return read;
    console.error('Set REDIS_URL, as in REDIS_URL=redis://127.0.0.1:6379 npm run worker.');
  } catch (error) {
    console.error((error as Error).message);
  }
  process.exit(3);
}

let stopping = false;
const stop = async (signal: NodeJS.Signals) => {
  if (stopping) return;
  stopping = true;
  logger.info({ signal }, 'finishing the jobs in hand');
  // The edge sends again what was not finished.
  setTimeout(() => process.exit(1), stopMs).unref();
  await worker.close();
  await tracing?.close();
  process.exit(0);
};
process.on('SIGINT', stop).on('SIGTERM', stop);
// Node would open its inspector on the one, and end at once on the other.
for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) process.on(signal, () => {});
