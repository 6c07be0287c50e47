import { REFERENCE_FIRST, REFERENCE_POINTS, REFERENCE_STEP, referenceAxis } from '#science/spectra/axis';
import { type AbsorptionTables, absorptionTables } from './absorption.js';
import { cos, exp, LN10, log, PI, power, sin } from './exact-math.js';
import { FourierTransform } from './fourier.js';
import type { Random } from './random.js';
import { MEAN_SHAPES, type Shapes } from './shapes.js';

export type Apodisation = 'boxcar' | 'triangle' | 'happ-genzel' | 'norton-beer' | 'blackman-harris';

export interface InstrumentSettings {
  /** Full width at half maximum of the line shape, cm^-1. */
  fwhm: number;
  apodisation: Apodisation;
  /** The instrument's axis: ascending first wavenumber, spacing (cm^-1), points. */
  first: number;
  step: number;
  points: number;
  descending: boolean;
  /** Low end of the detector's and beam splitter's range, cm^-1. */
  cutOff: number;
  /** Width of the rise there, the best wavenumber, the width of the Gaussian roll-off above it, and the lowest value. */
  rise: number;
  best: number;
  rollOff: number;
  floor: number;
}

/** Width of the line shape times the largest optical path difference. */
export const WIDTH_TIMES_PATH: Record<Apodisation, number> = {
  boxcar: 0.605,
  triangle: 0.886,
  'happ-genzel': 0.91,
  'norton-beer': 0.8,
  'blackman-harris': 1.15,
};

/** The window at path difference t (0 to 1, in units of the largest). */
export function windowAt(apodisation: Apodisation, t: number): number {
  const rest = 1 - t * t;
  switch (apodisation) {
    case 'boxcar':
      return 1;
    case 'triangle':
      return 1 - t;
    case 'happ-genzel':
      return 0.54 + 0.46 * cos(PI * t);
    case 'norton-beer':
      return 0.152442 - 0.136176 * rest + 0.983734 * rest * rest;
    case 'blackman-harris':
      return 0.42323 + 0.49755 * cos(PI * t) + 0.07922 * cos(2 * PI * t);
  }
}

export const REFERENCE_SETTINGS: InstrumentSettings = {
  fwhm: 8,
  apodisation: 'happ-genzel',
  first: REFERENCE_FIRST,
  step: REFERENCE_STEP,
  points: REFERENCE_POINTS,
  descending: false,
  cutOff: 560,
  rise: 28,
  best: 2300,
  rollOff: 2000,
  floor: 0.03,
};

const FINE_STEP = 2.051;
const TRANSFORM = 4096;
/** Fine points computed beyond either end of the axis, so that the line shape finds something there. */
const MARGIN = 48;
const LOWEST_TRANSMITTANCE = 2e-4;

/** One scan's part in the measurement besides the sample's transmission: the instrument's state while it was taken. */
export interface ScanState {
  /** Standard deviation of the noise relative to peak throughput; 0 for none. */
  noise: number;
  /** cm^-1 by which lines appear too high. */
  shift: number;
}

/**
 * A Fourier spectrometer. The sample's transmission times the throughput is transformed to optical path difference,
 * cut by the apodisation window together with the noise, and transformed back onto the instrument's axis.
 */
export class Instrument {
  readonly axis: Float64Array;
  /** Grid on which transmission is computed: `fineFirst + i * fineStep`, `finePoints` of them. */
  readonly fineFirst: number;
  readonly fineStep: number;
  readonly finePoints: number;
  readonly tables: AbsorptionTables;
  private readonly fineThroughput: Float64Array;
  private readonly throughput: Float64Array;
  private readonly window: Float64Array;
  private readonly noiseWindow: Float64Array;
  private readonly forward = new FourierTransform(TRANSFORM);
  private readonly backward: FourierTransform;
  private readonly signal = new Float64Array(TRANSFORM);
  private readonly spectrumRe = new Float64Array(TRANSFORM / 2 + 1);
  private readonly spectrumIm = new Float64Array(TRANSFORM / 2 + 1);
  private readonly foldedRe: Float64Array;
  private readonly foldedIm: Float64Array;
  private readonly output: Float64Array;
  private readonly skip: number;
  private scatterTable?: { exponent: number; values: Float64Array };

  constructor(
    readonly settings: InstrumentSettings,
    shapes: Shapes = MEAN_SHAPES,
  ) {
    const { first, step, points, fwhm, apodisation } = settings;
    let perStep = 1;
    while (step / (2 * perStep) >= FINE_STEP / 1.5) perStep *= 2;
    this.fineStep = step / perStep;
    const margin = Math.ceil(MARGIN / perStep) * perStep;
    this.skip = margin / perStep;
    this.fineFirst = first - margin * this.fineStep;
    this.finePoints = (points - 1) * perStep + 1 + 2 * margin;
    if (this.finePoints > TRANSFORM) throw new RangeError('the axis has too many points for the simulated instrument');
    this.axis =
      first === REFERENCE_FIRST && step === REFERENCE_STEP && points === REFERENCE_POINTS
        ? referenceAxis()
        : Float64Array.from({ length: points }, (_, i) => first + i * step);
    const fine = Float64Array.from({ length: this.finePoints }, (_, i) => this.fineFirst + i * this.fineStep);
    this.tables = absorptionTables(fine, shapes);
    this.fineThroughput = fine.map((w) => this.throughputAt(w));
    this.throughput = this.axis.map((w) => this.throughputAt(w));

    const outputs = TRANSFORM / perStep;
    this.backward = new FourierTransform(outputs);
    this.output = new Float64Array(outputs);
    this.foldedRe = new Float64Array(outputs / 2 + 1);
    this.foldedIm = new Float64Array(outputs / 2 + 1);
    const longestPath = WIDTH_TIMES_PATH[apodisation] / fwhm;
    const pathStep = 1 / (TRANSFORM * this.fineStep);
    const bins = Math.min(TRANSFORM / 2, Math.floor(longestPath / pathStep));
    this.window = Float64Array.from({ length: bins + 1 }, (_, k) =>
      windowAt(apodisation, (k * pathStep) / longestPath),
    );

    const variance = new Float64Array(outputs / 2 + 1);
    let total = 0;
    for (let k = 0; k <= bins; k++) {
      const alias = k % outputs;
      const weight = this.window[k] * this.window[k];
      variance[Math.min(alias, outputs - alias)] += weight;
      total += k === 0 ? weight : 2 * weight;
    }
    this.noiseWindow = variance.map((v, k) => Math.sqrt(v / total / (k === 0 || k === outputs / 2 ? 1 : 2)));
  }

  /** Logistic low end times Gaussian roll-off; 1 at its best, never below the floor. */
  private throughputAt(wavenumber: number): number {
    const { cutOff, rise, best, rollOff, floor } = this.settings;
    const fall = wavenumber > best ? (wavenumber - best) / rollOff : 0;
    return Math.max(floor, exp(-0.5 * fall * fall) / (1 + exp((cutOff - wavenumber) / rise)));
  }

  /** Scattering by a power of the wavenumber on the fine grid, 1 at 6000 cm^-1. */
  scatter(exponent: number): Float64Array {
    if (this.scatterTable?.exponent !== exponent) {
      const at = (_: number, i: number) => power(Math.max(1, this.fineFirst + i * this.fineStep) / 6000, exponent);
      this.scatterTable = { exponent, values: Float64Array.from({ length: this.finePoints }, at) };
    }
    return this.scatterTable.values;
  }

  /** Noise of a background measurement, on the axis, in units of peak throughput. */
  background(noise: number, random: Random): Float64Array {
    this.foldedRe.fill(0);
    this.foldedIm.fill(0);
    this.addNoise(noise, random);
    this.backward.inverseReal(this.foldedRe, this.foldedIm, this.output);
    return this.output.slice(this.skip, this.skip + this.axis.length);
  }

  /**
   * One scan: absorbance on the instrument's ascending axis.
   * @param transmission on the fine grid; overwritten
   * @param background result of `background` for the session
   */
  measure(transmission: Float64Array, background: Float64Array, state: ScanState, random: Random): Float64Array {
    const { signal, finePoints, spectrumRe, spectrumIm } = this;
    for (let i = 0; i < finePoints; i++) signal[i] = transmission[i] * this.fineThroughput[i];
    const rise = signal[0] - signal[finePoints - 1];
    for (let i = finePoints; i < TRANSFORM; i++) {
      const t = (i - finePoints + 1) / (TRANSFORM - finePoints + 1);
      signal[i] = signal[finePoints - 1] + rise * t * t * (3 - 2 * t);
    }
    this.forward.forwardReal(signal, spectrumRe, spectrumIm);
    this.fold(state.shift);
    this.addNoise(state.noise, random);
    this.backward.inverseReal(this.foldedRe, this.foldedIm, this.output);
    const absorbance = new Float64Array(this.axis.length);
    for (let j = 0; j < absorbance.length; j++) {
      const observed = this.output[j + this.skip] / (this.throughput[j] + background[j]);
      absorbance[j] = -log(observed > LOWEST_TRANSMITTANCE ? observed : LOWEST_TRANSMITTANCE) / LN10;
    }
    return absorbance;
  }

  /** Applies window and shift, and folds the path differences that the axis cannot hold back into those it can. */
  private fold(shift: number): void {
    const { spectrumRe, spectrumIm, foldedRe, foldedIm, window } = this;
    const outputs = this.output.length;
    const half = outputs / 2;
    foldedRe.fill(0);
    foldedIm.fill(0);
    const angle = (-2 * PI * shift) / (TRANSFORM * this.fineStep);
    const stepRe = cos(angle);
    const stepIm = sin(angle);
    let turnRe = 1;
    let turnIm = 0;
    for (let k = 0; k < window.length; k++) {
      const gain = window[k] / TRANSFORM;
      const re = gain * (spectrumRe[k] * turnRe - spectrumIm[k] * turnIm);
      const im = gain * (spectrumRe[k] * turnIm + spectrumIm[k] * turnRe);
      const alias = k % outputs;
      if (k === 0) foldedRe[0] += re;
      else if (alias === 0 || alias === half) foldedRe[alias] += 2 * re;
      else if (alias < half) {
        foldedRe[alias] += re;
        foldedIm[alias] += im;
      } else {
        foldedRe[outputs - alias] += re;
        foldedIm[outputs - alias] -= im;
      }
      const nextRe = turnRe * stepRe - turnIm * stepIm;
      turnIm = turnRe * stepIm + turnIm * stepRe;
      turnRe = nextRe;
    }
  }

  private addNoise(noise: number, random: Random): void {
    const { foldedRe, foldedIm, noiseWindow } = this;
    if (noise === 0) return;
    const last = noiseWindow.length - 1;
    for (let k = 0; k <= last; k++) {
      const gain = noise * noiseWindow[k];
      if (gain === 0) continue;
      foldedRe[k] += gain * random.normal();
      if (k > 0 && k < last) foldedIm[k] += gain * random.normal();
    }
  }
}
