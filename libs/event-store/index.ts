export { splitIntoAppends } from './encode.js';
export { newEventId } from './event-id.js';
export { type AdmissionFault, guardedStore } from './guarded.js';
export * from './port.js';
export { readThrough } from './read-through.js';
export { checkSteps, LogCheck, type LogCheckState, type LogDamage } from './sqlite/check.js';
export { lockDirectory } from './sqlite/database.js';
export { openSqliteEventReader, openSqliteEventStore, type SqliteOptions } from './sqlite/store.js';
export * from './transfer.js';
