export { ByteBudget } from './byte-budget.js';
export { ConcurrencyLimit } from './concurrency-limit.js';
export { FairQueue } from './fair-queue.js';
export { Holds } from './holds.js';
export { RefusalPace } from './refusal-pace.js';
export { Tally, type TallyEntry } from './tally.js';
export { type RateTaken, TokenBuckets } from './token-buckets.js';
export { Turns } from './turns.js';
export { type WaitEnded, type WaitLimits, WaitQueue } from './wait-queue.js';
