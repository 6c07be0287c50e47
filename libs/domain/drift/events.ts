import type { Happened } from '../decider.js';

/** What a population's recent claims are held against the base line by. */
export const DRIFT_MEASURES = [
  'score',
  'rough_sharpness',
  'polish_sharpness',
  'rough_detail_residual',
  'polish_detail_residual',
] as const;
export type DriftMeasure = (typeof DRIFT_MEASURES)[number];

interface DriftSeen {
  population: string;
  /** What the window is held against. */
  base_line: string;
  /** Claims of the window, and the last one's place in the log. */
  claims: number;
  position: string;
  at: string;
}

/** A population's recent claims have left the base line: told once, until it ends. */
export type DriftBegan = Happened<
  'DriftBegan',
  1,
  DriftSeen & {
    /** By measure: greatest distance of the two distributions, the bar it passed, medians of window and base line. */
    measures: { measure: DriftMeasure; distance: number; bar: number; median: number; base_median: number }[];
  }
>;
export type DriftEnded = Happened<'DriftEnded', 1, DriftSeen>;
export type DriftEvent = DriftBegan | DriftEnded;
