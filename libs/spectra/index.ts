export * from './axis.js';
export * from './gauges/index.js';
export * from './json.js';
export { referenceFromFileName } from './names.js';
export * from './refusal.js';
export * from './scan-set.js';
