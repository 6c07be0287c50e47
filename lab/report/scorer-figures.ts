/** Figures measured of populations' own scorers: shares from 0 to 1. */
import type { Interval } from '#science/calibration/statistics';

/** A scorer of one draw of claims, judged by stones that its bank does not hold; the raw score where none is made. */
export interface JudgedDraw {
  claims: number;
  /** Stones that the bank is taken for; null where no scorer is made. */
  groups: number | null;
  /** Genuine claims above the judged stones' own thresholds of 0.98, 0.96 and 0.90. */
  confirmed: number[];
  /** Wrong claims above the carried threshold of 0.98. */
  carried: number;
  /** Wrong claims above the 0.98 threshold that the bank's own cross pairs give; null under the claims needed. */
  approved: number | null;
  ece: number;
  /** Share of draws in which the best of 29 random wrong roughs passes at the judged stones' own 0.98. */
  bestOf29: number;
}

export interface ScorerBanks {
  population: string;
  /** Stones that banks are drawn from and that judge them, and how many judge one. */
  stones: number;
  judged: number;
  draws: JudgedDraw[];
}

export const WRONG_KINDS = ['random', 'look-alike', 'most unlike', 'one polish'] as const;
export type WrongKind = (typeof WRONG_KINDS)[number];

/** A bank of which a share is wrong claims, or another population's. */
export interface SpoiltBank extends JudgedDraw {
  population: string;
  kind: 'none' | 'another population' | WrongKind;
  share: number;
}

/** Wrong pairs of which each was claimed so many times before, the rough scanned again each time. */
export interface RepeatedPairs {
  population: string;
  /** Genuine claims of the bank. */
  claims: number;
  before: number;
  /** Pairs above the carried threshold of 0.98. */
  accepted: { share: number; interval: Interval; of: number };
}

export interface SpoiltFigures {
  banks: SpoiltBank[];
  repeated: RepeatedPairs[];
}
