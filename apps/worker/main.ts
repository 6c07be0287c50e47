/** npm run worker: scores claims out of Redis. `--help` tells the options. */
import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import pino from 'pino';
import { ConfigurationError } from '#config';
import { startTracing } from '#observability';
import { startWorker } from './worker.js';

/** Running jobs are finished within this time after a signal; the edge sends again what was not. */
const STOP_MILLISECONDS = 10_000;

const whole = (text: string): number => {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 1024)
    throw new InvalidArgumentError('It must be a whole number from 1 to 1024.');
  return number;
};

const { concurrency, batch, redis } = new Command('worker')
  .description('Scores claims that wait in Redis. Needs REDIS_URL and the model, nothing else.')
  .option('--concurrency <jobs>', 'jobs in hand at once', whole, 16 * Math.max(1, availableParallelism() / 2))
  .option('--batch <jobs>', 'most jobs encoded together', whole, 8)
  .option('--redis <url>', 'address of Redis (default: REDIS_URL)')
  .addHelpText('after', '\nExample:\n  REDIS_URL=redis://127.0.0.1:6379 npm run worker -- --concurrency 32 --batch 16')
  .parse()
  .opts<{ concurrency: number; batch: number; redis?: string }>();

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
  concurrency: Math.floor(concurrency),
  batch,
  logger,
}).catch((error: Error) => {
  console.error(error instanceof ConfigurationError ? error.message : error);
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
