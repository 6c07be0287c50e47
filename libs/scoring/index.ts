export { type BullmqOptions, BullmqScoring } from './bullmq/edge.js';
export {
  PREFIX as QUEUE_PREFIX,
  queueName,
  redisOptions,
} from './bullmq/protocol.js';
export { QueueWorker, ScoringWorker, workerOptions } from './bullmq/worker.js';
export { InTurn } from './in-turn.js';
export * from './port.js';
export { QueueScoring } from './queue-scoring.js';
export { ThreadScoring } from './thread-scoring.js';
