/** Every constant of the gauges. `docs/gauges.md` says where each comes from; `mvs fit-gauges` refits the fitted ones. */

/** Limits of specification 2.3 and 8. Below `refused` the side is refused; outside `low`..`high` it is warned about. */
export const DETAIL_RESIDUAL_BAND = { refused: -0.5, low: -0.23, high: 0.31 } as const;
/** Above it the side is warned about as locally polynomial. */
export const LOCALLY_POLYNOMIAL_LIMIT = 0.05;
/** Healthy polish sharpness (specification 8): an early warning for a machine, no gate for a claim. */
export const SHARPNESS_BAND = { low: 0.04, high: 0.065 } as const;

/** Detail residual: windows and the harmonics of a window that make each band of optical path difference. */
export const DETAIL = {
  /** cm^-1 covered by the windows and by each window; windows overlap by half. */
  first: 700,
  last: 5950,
  width: 262.5,
  /** Fewer windows than this on a scan's axis: not measured. */
  fewestWindows: 8,
  /** A finer axis is averaged in blocks up to this step (cm^-1): the bands lie far below its Nyquist limit. */
  finestStep: 2.05,
  /** A coarser axis (cm^-1) has no high band: not measured. */
  coarsestStep: 11,
  /** Harmonics of 1/262.5 cm: .0076-.0114 cm, .0152-.0229 cm, .0419-.0571 cm. */
  low: [2, 3],
  middle: [4, 5, 6],
  high: [11, 12, 13, 14, 15],
  /** Quantile over the windows of log10(middle / low), and of the high band's root power that stands for the floor. */
  ratioQuantile: 0.75,
  floorQuantile: 0.1,
} as const;

/** Fitted: places honest populations inside DETAIL_RESIDUAL_BAND. */
export const DETAIL_FIT = { offset: 0.09, dynamicSlope: 0.6, dynamicFree: 1, leastFloor: 8e-6 } as const;

/** Locally polynomial: windows of the submitted axis, in points. */
export const POLYNOMIAL = {
  points: 64,
  /** At most so many windows a scan, evenly spread, and so many a side: the cost does not grow with the axis. */
  mostWindowsOfScan: 20,
  mostWindows: 64,
  fewestWindows: 6,
  /** First harmonic used: below it lies the spectrum's own structure. */
  firstHarmonic: 5,
} as const;

/** Fitted: second differences of the reference axis against first ones, scaled so that honest polish sides lie in band. */
export const SHARPNESS_FIT = { scale: 0.125 } as const;
