export type { EncoderState } from './encoder-training.js';
export {
  bankOf,
  cutTable,
  type EvaluationOptions,
  evaluatePopulation,
  type Share,
} from './evaluate.js';
export {
  bestOf,
  type Candidate,
  MIN_OWN_STONES,
  type OwnPair,
  splitPairs,
  tableOf,
  tryWays,
  type Way,
} from './own-pairs.js';
export { encoderSettings, planDigest, type TrainingPlan, trainingPlan } from './plan.js';
export type { EncoderSettings, SpectraTable } from './settings.js';
export { type Draw, simulateTable, spectraOf, stonesOf, type TableRecipe, worldsOf } from './simulated-table.js';
export { readState, stateFile } from './state-file.js';
export { type EpochReport, type TrainingHooks, trainModel } from './train-model.js';
