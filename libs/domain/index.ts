export * from './admission.js';
export * from './calibration/counted-claims.js';
export * from './calibration/decide.js';
export * from './calibration/decide-scorer.js';
export * from './calibration/events.js';
export * from './calibration/obey.js';
export * from './calibration/passed-over.js';
export * from './catalogue.js';
export type { CatalogueEntry } from './catalogue-entry.js';
export * from './catalogue-page.js';
export * from './claim/decide.js';
export * from './claim/events.js';
export * from './credential/decide.js';
export * from './credential/events.js';
export * from './decider.js';
export * from './drift/events.js';
export * from './figure/decide.js';
export * from './figure/events.js';
export * from './finding/events.js';
export { faultOf } from './guard.js';
export * from './invariants.js';
export * from './label/decide.js';
export * from './label/events.js';
export * from './logged.js';
export * from './lost/events.js';
export * from './lot/decide.js';
export * from './lot/events.js';
export { described, isSoundText, one, optional, orNull, pair } from './members.js';
export * from './model/decide.js';
export * from './model/events.js';
export * from './population-streams.js';
export * from './scan-set-bank/decide.js';
export * from './scan-set-bank/events.js';
export * from './scorer/decide.js';
export * from './scorer/events.js';
export * from './scorer/whole.js';
export {
  EXPECTED,
  FINDINGS,
  KEY_KINDS,
  REVIEW_OUTCOMES,
  VERDICTS,
} from './shapes.js';
export * from './streams.js';
export * from './telemetry/events.js';
export * from './upcast.js';
export * from './vectors.js';
export * from './view/events.js';
