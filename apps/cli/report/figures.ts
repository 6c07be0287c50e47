import type { Interval, ReliabilityBin, RocPoint } from '#calibration';
import type { Side } from '#spectra';

/** A share with its 95% interval. */
export interface Share {
  share: number;
  interval: Interval;
}

/** A share of so many; its interval is Wilson's. */
export interface Counted extends Share {
  of: number;
}

export interface RungFigures {
  rejectTarget: number;
  /** Set on the population itself, and as shipped. */
  threshold: { own: number; shipped: number };
  confirmed: { own: Share; shipped: Share };
  /** Wrong claims above the shipped threshold. */
  wrongAccepted: Share;
  bestOf29: { random: Share | null; nearest: Share };
}

/** Counts of scores in 80 bins from -1 to 1. */
export type Histogram = number[];

export interface LadderFigures {
  population: string;
  stones: number;
  rungs: RungFigures[];
  areaUnderRoc: number;
  roc: RocPoint[];
  genuine: Histogram;
  wrong: Histogram;
  reliability: ReliabilityBin[];
  ece: Share;
}

export interface ScansFigures {
  population: string;
  stones: number;
  rough: number;
  polish: number;
  confirmed: Record<string, Share>;
}

export interface CoverageFigures {
  population: string;
  stones: number;
  short: 'neither' | 'both' | Side;
  /** Mean drop of the claims' scores against the full range. */
  drop: Share;
  confirmed: { own: Share; shipped: Share };
}

export interface GaugeFigures {
  population: string;
  treatment: string;
  side: Side;
  sides: number;
  refused: Counted;
  /** Locally polynomial and not refused. */
  warned: Counted;
  /** Detail residual inside the honest band. */
  inBand: Counted;
  sharp: Counted;
  /** 0.5%, 50% and 99.5% of the detail residuals. */
  residuals: [number, number, number];
  /** Detail residuals in bins of 0.1 from -2 to 1, those beyond in the last bin of their end. */
  histogram: Histogram;
}

export interface ClaimFigures {
  kind: string;
  population: string;
  claims: number;
  refused: Counted;
  /** Above the shipped threshold of .98 and not refused. */
  matched: Counted;
}

/** One real polished stone against another as if it were its rough; the full range is not there. */
export interface RealFigures {
  rough: string;
  polish: string;
  score: number | null;
  threshold: number;
  probability: number | null;
  refusal: string | null;
}

export interface Parts {
  ladders: LadderFigures[];
  scans: ScansFigures[];
  coverage: CoverageFigures[];
  gauges: GaugeFigures[];
  claims: ClaimFigures[];
  real: RealFigures[];
}
export type PartName = keyof Parts;
export const PARTS: PartName[] = ['ladders', 'scans', 'coverage', 'gauges', 'claims', 'real'];

/** All that a report shows; kept beside its pictures as `figures.json`. */
export interface Figures {
  model: string;
  /** The calibration asset, by its bank's digest. */
  asset: string;
  seed: number;
  parts: Partial<Parts>;
}

/** How many stones each part takes. */
export interface Sizes {
  ladder: number;
  other: number;
  gauges: { honest: number; attacked: number; others: number };
  claims: number;
}
