export * from './command-handler.js';
export * from './folded-streams.js';
export * from './keys/api-keys.js';
export * from './refused.js';
export * from './secrets.js';
