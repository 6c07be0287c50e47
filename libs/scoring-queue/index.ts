export * from './in-process.js';
export * from './port.js';
export type { NamedFile, PreparedUpload, Upload, UploadedSide } from './prepare.js';
