export * from './evidence.js';
export * from './ledger.js';
export { ViewFile, type ViewHealth } from './view-file.js';
