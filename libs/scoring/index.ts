export { type BullmqOptions, BullmqScoring } from './bullmq/edge.js';
export {
  PREFIX as QUEUE_PREFIX,
  queueName,
  redisOptions,
} from './bullmq/protocol.js';
export { QueueWorker, ScoringWorker, workerOptions } from './bullmq/worker.js';
export { FairOrder } from './fair-order.js';
export * from './in-process.js';
export { InTurn } from './in-turn.js';
export * from './port.js';
export { QueuedScoring } from './queued.js';
