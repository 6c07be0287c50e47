/** What decides claims, as the room of calibration has it. */
import type { Folded } from '#kit/log/stored-events';
import type { LadderEntry, RejectTarget } from '#science/calibration/ladder';
import type { PopulationScorer } from '#science/calibration/scorer/scorer';
import type { LetsThrough } from '#science/matching/warnings';

/** The values that decide a claim of a population at a rung. */
export interface Deciding {
  entry: LadderEntry;
  /** Changes with every approval and withdrawal at the rung, and with the scorer. */
  revision: string;
  /** The population's own, where one is approved. */
  scorer?: PopulationScorer;
  /** Share of wrong claims that a threshold of the model was measured to let through here. Never rejected. */
  letsThrough?: Promise<LetsThrough | undefined>;
}

/** The ladders that decide for a population at a rung. @template Of a model as they need it */
export interface Ladders<Of> {
  read(population: string): Promise<Folded<unknown>>;
  entry(population: string, rung: RejectTarget, of: Of, read?: Folded<unknown>): Promise<Deciding>;
}
