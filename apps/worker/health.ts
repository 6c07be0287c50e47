/** Exits 0 where this host's worker has reported itself to Redis lately: the container's health check. */
import { hostname } from 'node:os';
import { Redis } from 'ioredis';
import { readVariables, WORKER_VARIABLES } from '#config/environment';
// Not by the library's index, which loads the engines too: this runs every few seconds.
import { redisOptions, SILENT_AFTER_MS, WORKERS_KEY, type WorkerReport } from '#kit/queue/bullmq/protocol';

const redis = new Redis(redisOptions(readVariables(WORKER_VARIABLES, process.env).redisUrl, true));
redis.on('error', () => process.exit(1));
const reports = Object.values(await redis.hgetall(WORKERS_KEY)).map((text) => JSON.parse(text) as WorkerReport);
process.exit(reports.some(({ host, at }) => host === hostname() && Date.now() - at < SILENT_AFTER_MS) ? 0 : 1);
