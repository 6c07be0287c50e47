export * from './lots/port.js';
export { QueueLots } from './lots/queue-lots.js';
export { ThreadLots } from './lots/thread-lots.js';
export * from './lots/work.js';
export * from './port.js';
export { QueueScoring } from './queue-scoring.js';
export { ThreadScoring } from './thread-scoring.js';
export { placesOf } from './transfer.js';
