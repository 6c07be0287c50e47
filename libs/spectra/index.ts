export * from './axis.js';
export * from './compare.js';
export * from './files.js';
export * from './gauges/index.js';
export * from './json.js';
export {
  cleanReference,
  cleanText,
  hasUnseen,
  isScanName,
  referenceFromFileName,
  SCAN_FILES,
  stoneFromFileName,
} from './names.js';
export { opusScan } from './opus-writer.js';
export type { Acquired, FileReading } from './reading.js';
export * from './refusal.js';
export { planAxis, type Range, type Sampling } from './sampling.js';
export * from './scan-set.js';
export type { NamedFile } from './zip.js';
