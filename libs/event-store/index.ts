export * from './chain.js';
export { splitIntoAppends } from './encode.js';
export { newEventId } from './event-id.js';
export { type AdmissionFault, guardedStore, withAppend } from './guarded.js';
export {
  HighWaterMark,
  holds,
  type MarkedEvent,
  markedStore,
  markFile,
  readMark,
} from './high-water-mark.js';
export * from './port.js';
export { readThrough } from './read-through.js';
export { checkSteps, LogCheck, type LogLook, paced } from './sqlite/check.js';
export * from './sqlite/damage.js';
export { lockDirectory, logFile } from './sqlite/database.js';
export { type Holes, holesOf, leaveOut } from './sqlite/holes.js';
export { openSqliteEventReader, openSqliteEventStore, type SqliteOptions } from './sqlite/store.js';
export * from './stored-events.js';
export * from './transfer.js';
