import type { NoEstimate } from '#science/calibration/genuine-accept';
import type { RejectTarget } from '#science/calibration/ladder';
import type { ReliabilityBin, RocPoint } from '#science/calibration/reliability';
import type { Interval } from '#science/calibration/statistics';
import type { Side } from '#science/spectra/refusal';
import type { Way } from '../training/index.js';
import type { ScorerBanks, SpoiltFigures } from './scorer-figures.js';

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

/** Counts in bins; those of scores as `scoreHistogram` gives them. */
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
  /** Detail residual inside the band of unprocessed scans. */
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
  /** Above the shipped threshold of 0.98 and not refused. */
  matched: Counted;
}

/** An installed model on a population of the second family, its claims checked and scored as a service does. */
export interface FamilyFigures {
  model: string;
  population: string;
  stones: number;
  refused: Counted;
  meanWrong: number;
  ece: number;
  rungs: { rejectTarget: number; own: Share; shipped: Share; wrongAccepted: Share }[];
}

/** Claims confirmed at 0.98, 0.96 and 0.90, own thresholds, by a model trained on so many pairs; 0 is as shipped. */
export interface OwnPairsFigures {
  population: string;
  pairs: number;
  stones: number;
  /** The way to an own model that the held-out pairs chose. */
  way: Way;
  confirmed: Share[];
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

/** Claims whose polish was changed: mean score, and share above the shipped threshold of 0.98. */
export interface Sensitivity {
  change: string;
  score: number;
  matched: Counted;
}

export interface SensitivityFigures {
  population: string;
  stones: number;
  threshold: number;
  changes: Sensitivity[];
  /** With a region of another stone's polish: against its own rough, and against the other stone's. */
  regions: { from: number; to: number; own: Omit<Sensitivity, 'change'>; other: Omit<Sensitivity, 'change'> }[];
  /** Unchanged, against the other stone's rough. */
  wrong: Omit<Sensitivity, 'change'>;
}

export interface Parts {
  families: FamilyFigures[];
  pairs: OwnPairsFigures[];
  real: RealFigures | null;
  sensitivity: SensitivityFigures;
  ladders: LadderFigures[];
  scans: ScansFigures[];
  coverage: CoverageFigures[];
  gauges: GaugeFigures[];
  claims: ClaimFigures[];
}
export type PartName = keyof Parts;
export const PARTS: PartName[] = [
  'families',
  'pairs',
  'real',
  'sensitivity',
  'ladders',
  'scans',
  'coverage',
  'gauges',
  'claims',
];

/** All that a chapter shows; kept with its pictures as `figures.json`. */
export interface Figures<P extends object = Parts> {
  model: string;
  /** The calibration asset, by its bank's digest. */
  asset: string;
  seed: number;
  /** Processor time that a part took, minutes. */
  minutes?: { [part in keyof P]?: number };
  parts: Partial<P>;
}

/** Number of stones for each part. */
export interface Sizes {
  families: number;
  pairs: { stones: number; counts: number[] };
  sensitivity: number;
  ladder: number;
  other: number;
  gauges: { unprocessed: number; attacked: number; others: number };
  claims: number;
}

/** A figure over repetitions: its mean with the 95% interval of that, its standard deviation, 5% and 95% of the values. */
export interface Spread {
  mean: number;
  interval: Interval;
  sd: number;
  range: Interval;
}

/** Wrong claims among those that a population's proposal rests on. */
export interface WrongClaims {
  kind: 'none' | 'random' | 'look-alike';
  share: number;
}

/** Wrong claims that a rung accepts of a population: at the shipped threshold and at its own proposals. */
export interface ReachedFigures {
  rejectTarget: RejectTarget;
  claims: number;
  repetitions: number;
  /** True if no stone was in two repetitions. */
  disjoint: boolean;
  before: number;
  after: Spread;
  /** Repetitions in which the proposal's interval held the threshold that all stones give. */
  intervalHolds: Counted;
}

/** expected_genuine_accept of proposals against the share of genuine claims that they confirm. */
export interface AcceptFigures {
  wrong: WrongClaims;
  claims: number;
  rejectTarget: RejectTarget;
  repetitions: number;
  /** Repetitions without an estimate, by reason. */
  none: Partial<Record<NoEstimate, number>>;
  /** Mean share confirmed where an estimate was given; estimate less truth; how often its 95% interval held the truth. */
  truth: number | null;
  error: Spread | null;
  covered: Counted;
}

export interface ProposalFigures {
  population: string;
  /** Stones that claims were drawn from; each repetition's thresholds are judged by the others. */
  stones: number;
  rungs: ReachedFigures[];
  accept: AcceptFigures[];
}

export type PoisonKind =
  | 'none'
  | 'scanned again'
  | 'scanned again, named'
  | 'one polish'
  | 'random'
  | 'exchanged'
  | 'look-alike'
  | 'best pairs'
  | 'shared references'
  | 'far apart'
  | 'odd'
  | 'invented';

/** Effect of poison among a population's claims on the proposals of a rung. */
export interface PoisoningFigures {
  population: string;
  kind: PoisonKind;
  share: number;
  claims: number;
  repetitions: number;
  /** Wrong claims on the population's other stones that the proposals accept, by rung. */
  reached: Record<string, Spread>;
  /** Mean number of rough stones and of polish stones that the claims are taken for. */
  roughs: number;
  polishes: number;
  /** Repetitions in which expected_genuine_accept at 0.98 was null. */
  none: Counted;
  /** Repetitions in which the proposal at 0.98 lay below the shipped threshold. */
  below: Counted;
  /**
   * One population's claims of either sort that are behind a finding; none if there are no claims. `honest`: the genuine
   * ones.
   */
  found: { poison: Counted; honest: Counted };
  breaches: number;
}

export interface InventedFigures {
  population: string;
  made: number;
  refused: number;
  /** Outside the detail residual's band: scored, but no evidence. */
  offManifold: number;
  /** They show the lattice of diamond; missing of those invented when scans without it were taken. */
  lattice?: true;
}

/** A client's possible gain by poison, and the fate of the invented stones in it. */
export interface AllPoisoning {
  kinds: PoisoningFigures[];
  invented: InventedFigures;
}

export interface EvidenceParts {
  proposals: ProposalFigures[];
  poisoning: AllPoisoning;
  scorers: ScorerBanks[];
  spoilt: SpoiltFigures;
  clients: ScorerBanks[];
}
