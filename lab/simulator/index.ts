export { absorptionTables } from './absorption.js';
export * from './attacks.js';
export type { ComponentName } from './bands.js';
export { ascending, type SimulatedScan } from './beam.js';
export * from './files.js';
export type { InstrumentSettings } from './instrument.js';
export {
  nuisanceOf,
  POPULATIONS,
  type Population,
  type PopulationName,
  type PopulationSettings,
  populationNamed,
  randomised,
  SIMULATOR_VERSION,
  STONES_A_WORLD,
  shifted,
} from './populations.js';
export { Random } from './random.js';
export { MEAN_SHAPES } from './shapes.js';
export {
  decoy,
  POLISH_SCANS,
  ROUGH_SCANS,
  type SimulatedStone,
  type SimulationOptions,
  simulateStone,
} from './simulate.js';
