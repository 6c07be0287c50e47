import { once } from '#science/compute/wasm';
import { POLYNOMIAL } from './constants.js';
import { gaugeKernel } from './kernel.js';
import { savitzkyGolayTaps } from './smoothing.js';
import { WindowTransform } from './window-transform.js';

/** Every second harmonic: the taper makes neighbours nearly equal. */
export const HARMONICS = Array.from(
  { length: (POLYNOMIAL.points / 2 - POLYNOMIAL.firstHarmonic) / 2 + 1 },
  (_, i) => POLYNOMIAL.firstHarmonic + 2 * i,
);

/** The transform at these harmonics. */
export const windowTransform = once(() => new WindowTransform(POLYNOMIAL.points, HARMONICS));

/**
 * Rows of 1 / model, each scaled to a geometric mean of 1 over the harmonics: fits compare without a logarithm. They lie
 * in the kernel's memory, eight beside each other, bin by bin.
 */
export interface NoiseModels {
  rows: number;
  blocks: number;
}
const BLOCK = 8;

/** Amplitude against u = optical path / its end, for the usual apodisation functions. */
const APODISATIONS: ((u: number) => number)[] = [
  () => 1,
  (u) => 1 - u,
  (u) => 0.54 + 0.46 * Math.cos(Math.PI * u),
  (u) => 0.42323 + 0.49755 * Math.cos(Math.PI * u) + 0.07922 * Math.cos(2 * Math.PI * u),
  (u) => 0.152442 - 0.136176 * (1 - u * u) + 0.983734 * (1 - u * u) ** 2,
];
/** Ends of the optical path in cycles per point; beyond 0.5 the axis is coarser than the resolution and folds. */
const UNPROCESSED_CUTS = geometric(0.035, 1.3, 26);
const UNPROCESSED_FLOORS = [0, 4e-4, 1.5e-3, 6e-3, 2.5e-2];
const SMOOTHED_CUTS = geometric(0.06, 1.2, 9);
const SMOOTHED_FLOORS = [0, 1e-2];
/** Besides those, for a second look: finer cuts, and noise that is half as strong up to the end of the short side. */
const FURTHER_APODISATIONS: ((u: number) => number)[] = [
  ...APODISATIONS,
  (u) => 0.384093 - 0.087577 * (1 - u * u) + 0.703484 * (1 - u * u) ** 2,
  (u) => 0.045335 + 0.554883 * (1 - u * u) ** 2 + 0.399782 * (1 - u * u) ** 4,
  (u) => 0.5 + 0.5 * Math.cos(Math.PI * u),
];
const FURTHER_CUTS = geometric(0.035, 1.3, 40);
/** Ends of the short side, of the long one. 0: both are as long. */
const SHORT_SIDES = [0, 0.1, 0.3];
const GRID = 256;

/** Noise spectra as the windows of the submitted axis show them. */
export interface ModelFamilies {
  /** Directly acquired: apodisation x cut x white floor. */
  unprocessed: NoiseModels;
  /** The same after light Savitzky-Golay smoothing: 7 to 17 points of order 2 or 3, 9 to 21 of order 4 or 5. */
  polynomial: NoiseModels;
  /** The same after a moving average of 3 to 13 points. */
  average: NoiseModels;
  /** The same after more points than those: 15 to 41 averaged, 21 to 41 fitted. */
  heavy: NoiseModels;
  /** The same after Gaussian smoothing of 0.7 to 4 points. */
  gaussian: NoiseModels;
}

/** Made at the first call, in some tens of milliseconds. */
export const modelFamilies = once(
  (): ModelFamilies => ({
    unprocessed: models(
      spectra(UNPROCESSED_CUTS, APODISATIONS).map((s) => leak(s)),
      UNPROCESSED_FLOORS,
    ),
    polynomial: smoothed([...polynomials(2, [7, 9, 11, 13, 15, 17]), ...polynomials(4, [9, 11, 13, 15, 17, 21])]),
    average: smoothed([3, 5, 7, 9, 11, 13].map(averageTaps)),
    heavy: smoothed([...[15, 17, 21, 25, 31, 41].map(averageTaps), ...polynomials(2, [21, 25, 31, 41])]),
    gaussian: smoothed([0.7, 1, 1.4, 2, 2.8, 4].map(gaussianTaps)),
  }),
);

/** Directly acquired spectra that are less usual. Made at the first call that asks for a second look. */
export const furtherUnprocessed = once((): NoiseModels => {
  const oneSided = (apodisation: (u: number) => number, side: number) => (u: number) =>
    apodisation(u) * (u < side ? Math.sqrt(0.5 + 0.5 * (u / side) ** 2) : 1);
  const amplitudes = SHORT_SIDES.flatMap((side) => FURTHER_APODISATIONS.map((a) => oneSided(a, side)));
  return models(
    spectra(FURTHER_CUTS, amplitudes).map((s) => leak(s)),
    UNPROCESSED_FLOORS,
  );
});

function smoothed(filters: number[][]): NoiseModels {
  const clean = spectra(SMOOTHED_CUTS, APODISATIONS.slice(1, 3));
  return models(
    filters.flatMap((taps) => {
      const gain = powerGain(taps);
      return clean.map((s) => leak(s.map((v, i) => v * gain[i])));
    }),
    SMOOTHED_FLOORS,
  );
}

/** Least mean of spectrum / model over the models. */
export function bestFit({ rows, blocks }: NoiseModels, spectrum: Float64Array): number {
  const kernel = gaugeKernel();
  const room = kernel.room(spectrum.byteLength);
  kernel.floats(room, spectrum.length).set(spectrum);
  return kernel.exports.leastFit(rows, blocks, room, spectrum.length) / spectrum.length;
}

/** Order 3 smooths as order 2 does, and 5 as 4. */
const polynomials = (order: number, points: number[]) => points.map((count) => savitzkyGolayTaps(count, order));

const averageTaps = (points: number): number[] => new Array(points).fill(1 / points);

function gaussianTaps(sigma: number): number[] {
  const reach = Math.ceil(4 * sigma);
  const taps = Array.from({ length: 2 * reach + 1 }, (_, j) => Math.exp(-0.5 * ((j - reach) / sigma) ** 2));
  const sum = taps.reduce((total, tap) => total + tap);
  return taps.map((tap) => tap / sum);
}

/** Power spectra on an even grid of 0 to 0.5 cycles per point. */
function spectra(cuts: number[], apodisations: ((u: number) => number)[]): number[][] {
  return cuts.flatMap((cut) =>
    apodisations.map((apodisation) => {
      const power = (f: number) => (f < cut ? apodisation(f / cut) ** 2 : 0);
      return grid().map((f) => [1, 2].reduce((sum, fold) => sum + power(fold - f) + power(fold + f), power(f)));
    }),
  );
}

function powerGain(taps: number[]): number[] {
  const centre = (taps.length - 1) / 2;
  return grid().map((f) => taps.reduce((sum, tap, j) => sum + tap * Math.cos(2 * Math.PI * f * (j - centre)), 0) ** 2);
}

const leakage = once(() => grid().map((f) => windowTransform().response(f)));

/** A power spectrum at each harmonic, as seen through the windows. */
function leak(spectrum: number[]): Float64Array {
  const [seen, responses] = [new Float64Array(HARMONICS.length), leakage()];
  for (let i = 0; i < GRID; i++) {
    const response = responses[i];
    for (let k = 0; k < seen.length; k++) seen[k] += spectrum[i] * response[k];
  }
  return seen;
}

function models(spectra: Float64Array[], floors: number[]): NoiseModels {
  const bins = HARMONICS.length;
  const blocks = Math.ceil((spectra.length * floors.length) / BLOCK);
  // The rows that fill up the last block are such that no spectrum fits them.
  const rows = new Float64Array(blocks * BLOCK * bins).fill(Number.POSITIVE_INFINITY);
  let row = 0;
  for (const spectrum of spectra) {
    const largest = Math.max(...spectrum);
    for (const floor of floors) {
      const model = spectrum.map((v) => v / largest + floor + POLYNOMIAL.floor);
      const mean = Math.exp(model.reduce((sum, v) => sum + Math.log(v), 0) / bins);
      const at = Math.floor(row / BLOCK) * BLOCK * bins + (row % BLOCK);
      for (const [bin, value] of model.entries()) rows[at + bin * BLOCK] = mean / value;
      row++;
    }
  }
  return { rows: gaugeKernel().place(rows), blocks };
}

function grid(): number[] {
  return Array.from({ length: GRID }, (_, i) => ((i + 0.5) * 0.5) / GRID);
}

function geometric(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from * Math.exp((Math.log(to / from) * i) / (count - 1)));
}
