/** npm run worker: scores claims out of Redis. `--help` tells the options. */
import pino from 'pino';
import { ConfigurationError } from '#config';
import { ModelFileError } from '#matching';
import { startTracing } from '#observability';
import { type WorkerFlags, workerCommand } from './options.js';
import { startWorker } from './worker.js';

/** Running jobs are finished within this time after a signal; the edge sends again what was not. */
const STOP_MILLISECONDS = 10_000;

const { concurrency, batch, redis } = workerCommand().parse().opts<WorkerFlags>();
const redisUrl = redis ?? process.env.REDIS_URL;
if (!redisUrl) {
  console.error('Set REDIS_URL, as in REDIS_URL=redis://127.0.0.1:6379 npm run worker.');
  process.exit(3);
}
const logger = pino({ level: process.env.MVS_LOG_LEVEL ?? 'info', base: null });
const traces = process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
const tracing = traces ? startTracing('mvs-worker', traces) : undefined;
const shadowFolder = process.env.MVS_SHADOW_MODEL?.trim();
const worker = await startWorker({
  redisUrl,
  shadowFolder,
  concurrency,
  batch,
  logger,
}).catch((error: Error) => {
  console.error(error instanceof ConfigurationError || error instanceof ModelFileError ? error.message : error);
  process.exit(1);
});

let stopping = false;
const stop = async (signal: NodeJS.Signals) => {
  if (stopping) return;
  stopping = true;
  logger.info({ signal }, 'finishing the jobs in hand');
  setTimeout(() => process.exit(1), STOP_MILLISECONDS).unref();
  await worker.close();
  await tracing?.close();
  process.exit(0);
};
process.on('SIGINT', stop).on('SIGTERM', stop);
