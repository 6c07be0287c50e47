export * from './asset.js';
export * from './cross-scores.js';
export * from './genuine-accept.js';
export * from './isotonic.js';
export * from './ladder.js';
export * from './reliability.js';
export * from './statistics.js';
