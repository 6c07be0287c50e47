import { extremes, interpolatedQuantile } from '#science/numerics/quantile';
import { perAxis } from '../axes.js';
import { lowerBound } from '../axis.js';
import { ACQUIRED, DETAIL, LOCALLY_POLYNOMIAL_LIMIT, POLYNOMIAL } from './constants.js';
import type { Look } from './detail-residual.js';
import { bestFit, furtherUnprocessed, HARMONICS, modelFamilies, windowTransform } from './noise-models.js';
import { isClear, saturationOf } from './saturation.js';
import { breaksOf, evenStep, type GaugedScan, isWhole } from './scan.js';

/** The fit of smoothing to a side's noise spectrum: log-likelihood ratios per bin. */
export interface SmoothingFit {
  /** Best smoothed (polynomial or moving average) against best unprocessed spectrum. */
  locallyPolynomial: number;
  /** Best moving average of 3 to 13 points against best unprocessed spectrum. */
  average: number;
  /** Best heavier smoothing against best unprocessed spectrum. */
  heavy: number;
  /** A light polynomial, beyond doubt: better than any unprocessed spectrum, moving average, Gaussian or heavier one. */
  recognised: boolean;
  /** An instrument's line explains the noise: better than smoothing, and no broader than lines are. Of a second look alone. */
  acquired: boolean;
}

/** Whittle's likelihood with the scale profiled out. Null where the scans have too few points to measure it. */
export function smoothingFit(scans: readonly GaugedScan[], look: Look): SmoothingFit | null {
  const spectrum = noiseSpectrum(scans, look);
  if (!spectrum) return null;
  const { unprocessed, polynomial, average, heavy, gaussian } = modelFamilies();
  const usual = bestFit(unprocessed, spectrum);
  const byNone = look === 'first' ? usual : Math.min(usual, bestFit(furtherUnprocessed(), spectrum));
  const byPolynomial = bestFit(polynomial, spectrum);
  const byAverage = bestFit(average, spectrum);
  const byHeavy = bestFit(heavy, spectrum);
  const locallyPolynomial = Math.log(byNone / Math.min(byPolynomial, byAverage));
  const { recognised, heavier } = POLYNOMIAL;
  const bySmoothing = Math.min(byPolynomial, byAverage, byHeavy);
  const byGaussian = bestFit(gaussian, spectrum);
  return {
    locallyPolynomial,
    average: Math.log(usual / byAverage),
    heavy: Math.log(usual / byHeavy),
    recognised:
      locallyPolynomial > LOCALLY_POLYNOMIAL_LIMIT &&
      Math.log(byHeavy / byPolynomial) > -heavier &&
      Math.log(Math.min(byAverage, byGaussian) / byPolynomial) > recognised,
    acquired:
      look !== 'first' &&
      byGaussian <= byNone &&
      Math.log(bySmoothing / byNone) > ACQUIRED.lead &&
      reachOf(spectrum, scans) >= ACQUIRED.reach,
  };
}

/** Path difference in cm at which a noise spectrum has fallen to a tenth of its largest; 0 where an axis is uneven. */
function reachOf(spectrum: Float64Array, scans: readonly GaugedScan[]): number {
  const steps = scans.map(({ wavenumbers }) => evenStep(wavenumbers) ?? Number.POSITIVE_INFINITY);
  const [, largest] = extremes(spectrum);
  const fallen = spectrum.findIndex((power) => power <= 0.1 * largest);
  const harmonic = HARMONICS[fallen < 0 ? HARMONICS.length - 1 : fallen];
  return harmonic / POLYNOMIAL.points / Math.max(...steps);
}

const bins = HARMONICS.length;
/** Powers of all windows and harmonics, and shares of the windows. */
let powers = new Float64Array(0);
let shares = new Float64Array(0);
/** The windows chosen of a scan. */
const chosen = new Int32Array(POLYNOMIAL.maxWindowsOfScan);

/** Mean normalised periodogram of the windows that hold the largest share of high frequencies. */
export function noiseSpectrum(scans: readonly GaugedScan[], look: Look = 'first'): Float64Array | null {
  let all = 0;
  for (const { wavenumbers } of scans) all += windowStarts(wavenumbers).length;
  if (all < POLYNOMIAL.minWindows) return null;
  if (shares.length < all) {
    shares = new Float64Array(all);
    powers = new Float64Array(all * bins);
  }
  // Each scan gives every stride-th window, the next scan the ones beside: together they cover the axis.
  const stride = Math.ceil(all / POLYNOMIAL.maxWindows);
  let windows = 0;
  for (let s = 0; s < scans.length; s++) {
    const starts = windowStarts(scans[s].wavenumbers);
    const saturation = look === 'first' ? Number.POSITIVE_INFINITY : saturationOf(scans[s]);
    let count = 0;
    for (let w = (stride - (s % stride)) % stride; w < starts.length; w += stride) {
      if (look !== 'first' && !isClear(scans[s].absorbance, saturation, starts[w], starts[w] + POLYNOMIAL.points))
        continue;
      chosen[count++] = starts[w];
    }
    powers.set(windowTransform().powers(scans[s].absorbance, chosen.subarray(0, count)), windows * bins);
    windows += count;
  }
  if (windows < POLYNOMIAL.minWindows) return null;
  for (let w = 0; w < windows; w++) shares[w] = normalise(w * bins);
  const min = interpolatedQuantile(shares.slice(0, windows), 1 - POLYNOMIAL.share);
  const spectrum = new Float64Array(bins);
  for (let w = 0; w < windows; w++) {
    if (shares[w] < min) continue;
    for (let k = 0; k < bins; k++) spectrum[k] += powers[w * bins + k];
  }
  let largest = 0;
  for (let k = 0; k < bins; k++) if (spectrum[k] > largest) largest = spectrum[k];
  if (!(largest > 0)) return null;
  for (let k = 0; k < bins; k++) spectrum[k] = spectrum[k] / largest + POLYNOMIAL.floor;
  return spectrum;
}

/** Scales the powers of a window to a sum of 1. @returns the share of its upper half; all is nought where it has no sum */
function normalise(at: number): number {
  let sum = 0;
  let upper = 0;
  for (let k = 0; k < bins; k++) {
    const power = powers[at + k];
    sum += power;
    if (k >= bins >> 1) upper += power;
  }
  const usable = sum > 0 && sum < Number.POSITIVE_INFINITY;
  for (let k = 0; k < bins; k++) powers[at + k] = usable ? powers[at + k] / sum : 0;
  return usable ? upper / sum : 0;
}

const windowStarts = perAxis((wavenumbers): number[] => {
  const { points, maxWindowsOfScan, minSpan } = POLYNOMIAL;
  const from = lowerBound(wavenumbers, DETAIL.first);
  const end = lowerBound(wavenumbers, DETAIL.last);
  const room = end - from - points;
  if (room < 0 || wavenumbers[end - 1] - wavenumbers[from] < minSpan) return [];
  const hop = Math.max(points / 4, room / (maxWindowsOfScan - 1));
  const starts = Array.from({ length: Math.floor(room / hop + 1e-9) + 1 }, (_, i) => from + Math.floor(i * hop));
  const step = evenStep(wavenumbers);
  if (step === null) return starts;
  const breaks = breaksOf(wavenumbers, step);
  return starts.filter((start) => isWhole(breaks, start, start + points));
});
