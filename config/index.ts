export * from './environment.js';
export * from './limits.js';
