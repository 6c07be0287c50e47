export { isScorer } from './bytes.js';
export type { MappedScore } from './core.js';
export type { KeyFigures, RungComparison } from './cross.js';
export { fitScorer, type NoScorer, type ScorerFigures } from './fit.js';
export {
  type BankLadder,
  loadScorerLadders,
  SCORER_FILE,
  type ScorerLadders,
  type ScorerRung,
  scorerProposalDigest,
} from './ladders.js';
export { type EncoderMap, fitEncoderMap } from './map.js';
export { PackedMap } from './mapped.js';
export { measureUnderScorer } from './measure.js';
export { bestOf as bestOfGroups, SCORER_GROUPS, SCORER_METHOD, SCORER_METHODS, type ScorerMethod } from './method.js';
export { PopulationScorer } from './scorer.js';
export { inTurns } from './steps.js';
