import { DETAIL, POLYNOMIAL } from './constants.js';
import { bestFit, HARMONICS, honestModels, smoothedModels, transform } from './noise-models.js';
import { quantile } from './quantile.js';
import { type GaugedScan, lowerBound } from './scan.js';

/**
 * How much better a scan's noise spectrum is explained by local polynomial smoothing (Savitzky-Golay or moving average)
 * of an honest spectrum than by any honest one: Whittle log-likelihood ratio a bin, scale profiled out. Null where
 * the scan has too few points to measure it.
 */
export function locallyPolynomial(scans: readonly GaugedScan[]): number | null {
  const spectrum = noiseSpectrum(scans);
  return spectrum && Math.log(bestFit(honestModels(), spectrum) / bestFit(smoothedModels(), spectrum));
}

const bins = HARMONICS.length;

/** Mean normalised periodogram of the half of all windows that hold the largest share of high frequencies. */
export function noiseSpectrum(scans: readonly GaugedScan[]): Float64Array | null {
  const all = scans.flatMap((scan) => windowStarts(scan.wavenumbers).map((start) => ({ scan, start })));
  if (all.length < POLYNOMIAL.fewestWindows) return null;
  const stride = Math.ceil(all.length / POLYNOMIAL.mostWindows);
  const windows = Math.floor((all.length - 1) / stride) + 1;
  const powers = new Float64Array(windows * bins);
  const shares = new Float64Array(windows);
  for (let w = 0; w < windows; w++) {
    const { scan, start } = all[w * stride];
    const at = w * bins;
    transform.powers(scan.absorbance, start, powers, at);
    let sum = 0;
    let upper = 0;
    for (let k = 0; k < bins; k++) {
      const power = powers[at + k];
      sum += power;
      if (k >= bins >> 1) upper += power;
    }
    const usable = sum > 0 && sum < Number.POSITIVE_INFINITY;
    for (let k = 0; k < bins; k++) powers[at + k] = usable ? powers[at + k] / sum : 0;
    shares[w] = usable ? upper / sum : 0;
  }
  const least = quantile(shares.slice(), 0.5);
  const spectrum = new Float64Array(bins);
  for (let w = 0; w < windows; w++) {
    if (shares[w] < least) continue;
    for (let k = 0; k < bins; k++) spectrum[k] += powers[w * bins + k];
  }
  const largest = spectrum.reduce((a, b) => Math.max(a, b));
  if (!(largest > 0)) return null;
  return spectrum.map((v) => v / largest + 1e-5);
}

function windowStarts(wavenumbers: Float64Array): number[] {
  const { points, mostWindowsOfScan } = POLYNOMIAL;
  const from = lowerBound(wavenumbers, DETAIL.first);
  const room = lowerBound(wavenumbers, DETAIL.last) - from - points;
  if (room < 0) return [];
  const hop = Math.max(points / 2, room / (mostWindowsOfScan - 1));
  return Array.from({ length: Math.floor(room / hop + 1e-9) + 1 }, (_, i) => from + Math.floor(i * hop));
}
