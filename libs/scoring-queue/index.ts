export { type BullmqOptions, BullmqScoring } from './bullmq/edge.js';
export {
  PREFIX as QUEUE_PREFIX,
  queueName,
  redisOptions,
  SILENT_AFTER_MS,
  WORKERS_KEY,
  type WorkerReport,
} from './bullmq/protocol.js';
export { ScoringWorker, workerOptions } from './bullmq/worker.js';
export * from './in-process.js';
export * from './port.js';
export { QueuedScoring } from './queued.js';
