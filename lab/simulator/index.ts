export { absorptionTables, type ComponentName } from './absorption.js';
export * from './attacks.js';
export * from './files.js';
export type { InstrumentSettings } from './instrument.js';
export {
  POPULATIONS,
  type Population,
  type PopulationName,
  type PopulationSettings,
  populationNamed,
  randomised,
  ZONING_AMPLITUDE,
} from './populations.js';
export { Random } from './random.js';
export {
  decoy,
  POLISH_SCANS,
  ROUGH_SCANS,
  type SimulatedScan,
  type SimulatedStone,
  type SimulationOptions,
  simulateStone,
} from './simulate.js';
