export type { FaultReason, LaneOptions, PoolOptions, RunOptions } from './options.js';
export { ThreadPool } from './pool.js';
export { type Handlers, type Jobs, type Reply, type Result, Transferred } from './protocol.js';
export { SharedMemory } from './shared-memory.js';
