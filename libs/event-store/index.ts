export { splitIntoAppends } from './encode.js';
export { newEventId } from './event-id.js';
export { type EventStoreDBOptions, openEventStoreDB } from './eventstoredb/store.js';
export { type AdmissionFault, guardedStore } from './guarded.js';
export * from './port.js';
export { readThrough } from './read-through.js';
export { lockDirectory } from './sqlite/database.js';
export { openSqliteEventReader, openSqliteEventStore, type SqliteOptions } from './sqlite/store.js';
export * from './transfer.js';
