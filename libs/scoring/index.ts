export { InTurn } from './in-turn.js';
export * from './port.js';
export { QueueScoring } from './queue-scoring.js';
export { ThreadScoring } from './thread-scoring.js';
