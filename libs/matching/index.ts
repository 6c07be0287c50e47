export { ACTIONS, type Action, actionOf, adviceOf } from './action.js';
export {
  blankScan,
  cosine,
  encodeScans,
  fusedScore,
  memberCosines,
  type PlacedModel,
  placeModel,
  poolSide,
} from './encoder.js';
export * from './folder.js';
export { FIRST_INPUT, INPUT, inputPoints, type ModelInput } from './input.js';
export { type Encoder, loadModel, type Model, modelFile, modelOf, VECTOR } from './model.js';
export { derivativePerPath, fitPreprocessing, type Preprocessing, pathOf, preprocess } from './preprocess.js';
export type { VerificationResult } from './result.js';
export { ModelFileError, readSafetensors, writeSafetensors } from './safetensors.js';
export {
  MODEL_FILE,
  modelFolderNamed,
  modelIn,
  shippedModel,
  shippedModelFolder,
  shippedModelFolders,
} from './shipped.js';
export { examineSide, judge, parseRejectTarget, type ScoredSide } from './verdict.js';
export {
  type ExaminedSide,
  isCarriedOver,
  type LetsThrough,
  REPLAY_IGNORED,
  WARNING_KINDS,
  type WarningKind,
  warningKind,
  warningsOf,
  withStoneIdWarning,
} from './warnings.js';
