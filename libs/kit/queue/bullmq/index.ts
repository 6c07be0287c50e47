// The edge's side, imported where REDIS_URL is set: it takes long to load. The worker's side is `./worker.js`.

export { claimJobs, type JobKind, lotJobs } from './kinds.js';
export { PREFIX as QUEUE_PREFIX, queueName, redisOptions } from './protocol.js';
export { type BullmqOptions, BullmqQueue } from './queue-client.js';
export { OperatorReplicas } from './replicas.js';
