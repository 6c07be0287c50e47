export * from './axis.js';
export * from './refusal.js';
export * from './scan-set.js';
