/** The gauges' constants, with `fitted.ts`. `docs/concepts/gauges.md` says where each comes from. */

/** Limits of the gauges. Below `refused` the side is refused; outside `low`..`high` it is warned about. */
export const DETAIL_RESIDUAL_BAND = { refused: -0.5, low: -0.23, high: 0.31 } as const;
/** True if a side reads as directly acquired. */
export const isOnManifold = (detailResidual: number): boolean =>
  detailResidual >= DETAIL_RESIDUAL_BAND.low && detailResidual <= DETAIL_RESIDUAL_BAND.high;
/** Above it the side is warned about as locally polynomial. */
export const LOCALLY_POLYNOMIAL_LIMIT = 0.05;
/** Rough scans that the intake protocol asks for at least. */
export const MIN_ROUGH_SCANS = 3;
/** Healthy polish sharpness: an early warning for a machine, no gate for a claim. */
export const SHARPNESS_BAND = { low: 0.04, high: 0.065 } as const;

export interface GaugeBand {
  gauge: 'sharpness' | 'detail_residual' | 'locally_polynomial';
  /** Below it the side is refused. */
  refused_below: number | null;
  /** Outside of `low` to `high` the side is warned about; where it is sharpness, its machine in the hygiene checks. */
  low: number | null;
  high: number | null;
}

/** The same limits as one list, gauge by gauge. */
export const GAUGE_BANDS: readonly GaugeBand[] = [
  { gauge: 'sharpness', refused_below: null, ...SHARPNESS_BAND },
  {
    gauge: 'detail_residual',
    refused_below: DETAIL_RESIDUAL_BAND.refused,
    low: DETAIL_RESIDUAL_BAND.low,
    high: DETAIL_RESIDUAL_BAND.high,
  },
  { gauge: 'locally_polynomial', refused_below: null, low: null, high: LOCALLY_POLYNOMIAL_LIMIT },
];

/** Detail residual: windows of a scan's own axis and the harmonics of a window that make each band. */
export const DETAIL = {
  /** cm^-1 covered by the windows and by each window; windows overlap by half. */
  first: 700,
  last: 5950,
  width: 262.5,
  /** Fewer windows than this on a scan's axis: not measured. */
  minWindows: 12,
  /** A finer axis is averaged in blocks up to this step (cm^-1): the bands lie far below its Nyquist limit. */
  finestStep: 2.05,
  /** A coarser axis (cm^-1) has no high band: measured as interpolated on the reference axis, and so is an uneven one. */
  coarsestStep: 10.5,
  /** Harmonics of 1/262.5 cm: optical path differences 0.004-0.011, 0.015-0.030 and 0.042-0.057 cm. */
  low: [1, 2, 3],
  middle: [4, 5, 6, 7, 8],
  high: [11, 12, 13, 14, 15],
  /** Share of the windows, those with most middle against low, that the noise is read from. */
  share: 0.35,
  /** Quantile over the windows of the high band's root power that stands for the noise floor. */
  floorQuantile: 0.1,
} as const;

/**
 * The share of each band in the residual, chosen by search on training seeds; constants that move with a population are in
 * `fitted.ts`.
 */
export const RESIDUAL = {
  scale: 1.15,
  /** Absorbance: each decade by which the noise floor lies under it costs 1. No instrument is so quiet. */
  minFloor: 8e-6,
  /** A window's log10 ratio counts no further than this: above it is the scatter of noise. */
  max: 0.2,
  /**
   * Below the unprocessed band the ratio of a scan on its own axis counts less by this factor, as a spectrum full of sharp
   * lines leaves few windows of noise. It counts in full where heavy smoothing explains the noise by `unlessHeavy`.
   */
  belowBand: 0.55,
  unlessHeavy: 0.08,
  /** Low resolution: per decade of middle over high band beyond `free`, up to `max`. */
  lowResolution: { perDecade: 0.3, free: 0.7, max: 0.15 },
  /** Cost per unit of log-likelihood a bin by which a moving average, or heavier smoothing, explains the noise. */
  smoothing: { perUnit: 4, averageFree: 0.05, heavyFree: 0.15 },
} as const;

/** Locally polynomial: windows of the submitted axis, in points. */
export const POLYNOMIAL = {
  points: 96,
  /** At most so many windows per scan, evenly spread, and so many a side: the cost does not grow with the axis. */
  maxWindowsOfScan: 24,
  maxWindows: 64,
  minWindows: 8,
  /** Share of the windows that the spectrum is averaged over: those with most high frequencies. */
  share: 0.65,
  /** A scan that covers less of 700 to 5950 cm^-1 than this gives no window. */
  minSpan: 1700,
  /** First harmonic used, even: below it lies the spectrum's own structure. */
  firstHarmonic: 8,
  /** Added to spectra and models of maximum 1: deeper values are the taper's leakage and rounding. */
  floor: 2e-4,
  /** Lead of the best polynomial over the best other smoothing from which the side gets a warning; it is not refused. */
  recognised: 0.05,
  /** Unless heavier smoothing beats it by this. */
  heavier: 0.05,
  /** The detail residual that such a side keeps. */
  residual: -0.45,
} as const;

/**
 * Noise under a strong apodisation, in a second look: a Gaussian explains it as well as any unprocessed spectrum, which leads every
 * other smoothing by so much a bin; and it reaches, to a tenth of its power, the path difference (cm) of lines of some 20 cm^-1,
 * which a Gaussian over points that are further apart does not. Its high band holds less noise than `minFloor`, by this factor.
 */
export const ACQUIRED = { lead: 0.04, reach: 0.03, floor: 0.5 } as const;

/** The second look, at sides that the first calls out of the ordinary: what honest instruments do to noise besides. */

/** Fringes: lines among the optical path differences of the part that diamond leaves clear. */
export const FRINGES = {
  /** cm^-1 of that part, and the least of it in which fringes are looked for. */
  first: 4000,
  last: 5950,
  minSpan: 1500,
  /** Finer axes are averaged in blocks of about this step (cm^-1); coarser ones hold no fringe apart from noise. */
  blockStep: 4,
  coarsestStep: 10.5,
  /** Path differences, cm. Below the first the baseline lies. */
  shortestPath: 0.003,
  longestPath: 0.09,
  /**
   * A line is so many path steps wide to either side; beyond them so many are its side, and this quantile of them its level,
   * which another line beside it hardly moves.
   */
  lineWidth: 5,
  beside: 12,
  levelShare: 0.4,
  /**
   * A line stands above the geometric mean of its sides' levels by this factor, which is 12 times a mean. Of noise alone, however
   * steeply smoothing lets it fall, one scan in five has such a line, and loses one of some hundred path differences by it.
   */
  aboveSides: 24,
  /** The same where sharp lines were left out, which makes lines of its own out of noise. */
  aboveSidesWithoutLines: 60,
  most: 4,
} as const;

/** Sharp lines among the points looked at for fringes: so many medians out after so many rounds, or so near to that. */
export const LINES = { rounds: 5, above: 3, near: 0.95 } as const;

/** Saturated: so much absorbance above the clear level, which is this quantile of the points beyond `clearFrom`. */
export const SATURATION = { clearFrom: 3600, clearShare: 0.2, above: 2 } as const;

/**
 * Decades by which the noise of path differences measured on one side of the centreburst exceeds that of those measured on
 * both: interferograms that reach far to one side alone have it beyond their short side.
 */
export const ONE_SIDED = Math.log10(2);
