import type { Interval } from '#science/calibration/statistics';
import type { Side } from '#science/spectra/refusal';

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

export interface LadderFigures {
  population: string;
  stones: number;
  rungs: RungFigures[];
  areaUnderRoc: number;
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
  /** Detail residual inside the band of unprocessed scans. */
  inBand: Counted;
  sharp: Counted;
  /** 0.5%, 50% and 99.5% of the detail residuals. */
  residuals: [number, number, number];
}

export interface ClaimFigures {
  kind: string;
  population: string;
  claims: number;
  refused: Counted;
  /** Above the shipped threshold of 0.98 and not refused. */
  matched: Counted;
}

/** Two public scans: scores by the model, by plain first differences and by standard normal variates. */
export interface RealPair {
  /** Places in the list of scans. */
  scans: [number, number];
  same: boolean;
  /** Null where the service refuses one of them. */
  model: number | null;
  derivative: number;
  snv: number;
}

export interface RealFigures {
  scans: { stone: string; way: string }[];
  /** Shipped, at 0.98. */
  threshold: number;
  pairs: RealPair[];
}

export interface Parts {
  /** Populations of the second family. */
  families: LadderFigures[];
  real: RealFigures | null;
  ladders: LadderFigures[];
  scans: ScansFigures[];
  coverage: CoverageFigures[];
  gauges: GaugeFigures[];
  claims: ClaimFigures[];
}
export type PartName = keyof Parts;
export const PARTS: PartName[] = ['families', 'real', 'ladders', 'scans', 'coverage', 'gauges', 'claims'];

/** All that is measured; kept as `figures.json`. */
export interface Figures {
  model: string;
  /** The calibration asset, by its bank's digest. */
  asset: string;
  seed: number;
  /** Processor time that a part took, minutes. */
  minutes?: { [part in PartName]?: number };
  parts: Partial<Parts>;
}

/** Number of stones for each part. */
export interface Sizes {
  families: number;
  ladder: number;
  other: number;
  gauges: { unprocessed: number; attacked: number; others: number };
  claims: number;
}
