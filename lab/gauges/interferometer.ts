import { LASER, POINTS, STEP } from '../second-family/spectrometer.js';
import { cos, exp, LN10, log, PI, power, sin } from '../simulator/exact-math.js';
import { FourierTransform } from '../simulator/fourier.js';
import type { Random } from '../simulator/random.js';
import { weight } from './apodisation.js';
import type { HonestInstrument } from './instruments.js';

/** Points of the transform, and the factor on the laser's wavenumber that makes the exported step. */
function transformOf(step: number): { transform: number; stretch: number } {
  let transform = 1024;
  while (transform * step < 0.8 * LASER) transform *= 2;
  return { transform, stretch: (transform * step) / LASER };
}

/** Interferograms of spectra at k * STEP have so many points; the signal beyond them is nought, the noise is not. */
const FINE = 2 * POINTS;
/** Beyond it the single beam is dark, cm^-1. */
const DARK = 7600;
/** Reach of the short side of an interferogram, cm. */
const SHORT_SIDE = 0.02;

const transforms = new Map<number, FourierTransform>();
function transformOfSize(size: number): FourierTransform {
  const made = transforms.get(size) ?? new FourierTransform(size);
  transforms.set(size, made);
  return made;
}

/** Randomness that a side's scans share. */
export interface Session {
  phases: [number, number];
  background: Float64Array;
}

/** The random part of an interferometer's scan: of its noise alone, and of the rest. */
export interface Chance {
  noise: Random;
  state: Random;
}

/**
 * A Fourier spectrometer: interferogram, detector, converter, apodisation, zero filling, phase correction, ratio, export.
 * Its laser's wavenumber is such that the exported axis has the step asked for.
 */
export class Interferometer {
  readonly wavenumbers: Float64Array;
  private readonly beam = new Float64Array(POINTS + 1);
  private readonly window: Float64Array;
  /** Standard deviation of the noise by path difference, for spectral noise of 1. */
  private readonly grain: Float64Array;
  private readonly colour: Float64Array;
  private readonly fine = transformOfSize(FINE);
  private readonly coarse: FourierTransform;
  private readonly centreburst: number;
  private readonly stretch: number;
  private readonly from: number;
  private readonly interferogram = new Float64Array(FINE);
  private readonly nought = new Float64Array(POINTS + 1);
  private readonly re: Float64Array;
  private readonly im: Float64Array;
  private readonly output: Float64Array;
  /** Room for the beam behind a sample, and for spectra of noise and the noise by path difference. */
  private readonly sample = new Float64Array(POINTS + 1);
  private readonly white: Float64Array;
  private readonly quadrature: Float64Array;
  private readonly grains: Float64Array;

  constructor(readonly settings: HonestInstrument) {
    const { step, zeroFilling, apodisation, range, oneSided, flicker } = settings;
    const { transform, stretch } = transformOf(step);
    this.stretch = stretch;
    for (let k = 1; k < POINTS; k++) this.beam[k] = this.throughput(k * STEP * stretch);
    const samples = transform / 2 / zeroFilling;
    this.window = Float64Array.from({ length: samples }, (_, n) => weight(apodisation, n / samples));
    // A path difference that is measured once is noisier than one measured on both sides.
    const side = Math.min(samples, Math.ceil(SHORT_SIDE * LASER * stretch));
    const once = (n: number) => (oneSided ? (n < side ? 0.5 + 0.5 * (n / side) ** 2 : 1) : 1);
    let total = 0;
    for (let n = 1; n < samples; n++) total += 2 * this.window[n] ** 2 * once(n);
    this.grain = Float64Array.from({ length: samples }, (_, n) => FINE * Math.sqrt(once(n) / total));
    this.coarse = transformOfSize(transform);
    this.re = new Float64Array(transform / 2 + 1);
    this.im = new Float64Array(transform / 2 + 1);
    this.output = new Float64Array(transform);
    this.white = new Float64Array(transform);
    this.quadrature = new Float64Array(transform);
    this.grains = new Float64Array(samples);
    this.from = Math.ceil(range[0] / step);
    const to = Math.min(Math.floor(range[1] / step), transform / 2 - 1);
    this.wavenumbers = Float64Array.from({ length: to - this.from + 1 }, (_, i) => (this.from + i) * step);
    this.colour = Float64Array.from({ length: to + 1 }, (_, k) => Math.sqrt(1 + flicker / Math.max(k * step, 150)));
    this.centreburst = 2 * this.beam.reduce((sum, value) => sum + value, 0);
  }

  private throughput(wavenumber: number): number {
    if (wavenumber > DARK) return 0;
    const { cutOff, rise, best, rollOff } = this.settings;
    const fall = wavenumber > best ? (wavenumber - best) / rollOff : 0;
    return Math.max(0.02, exp(-0.5 * fall * fall)) / (1 + exp((cutOff - wavenumber) / rise));
  }

  open({ noise, state }: Chance): Session {
    const phases: [number, number] = [2 * PI * state.uniform(), 2 * PI * state.uniform()];
    return { phases, background: this.record(this.beam, noise, 0.7).slice() };
  }

  /** A scan's absorbance on the exported axis. @param transmission at k * STEP */
  scan(transmission: Float64Array, session: Session, { noise, state }: Chance): Float64Array {
    const { beam, sample, stretch, settings } = this;
    const wobble = 0.3 * state.normal();
    for (let k = 1; k < POINTS; k++) {
      if (beam[k] === 0) continue;
      const at = Math.min(k * stretch, POINTS - 2);
      const below = Math.floor(at);
      sample[k] = beam[k] * (transmission[below] + (at - below) * (transmission[below + 1] - transmission[below]));
    }
    for (const [i, period] of settings.periods.entries())
      this.addFringe(sample, settings.fringes, (2 * PI * STEP * stretch) / period, session.phases[i] + wobble);
    const seen = this.record(sample, noise, 1);
    const scale = 10 ** settings.decimals;
    const darkest = power(10, -settings.ceiling);
    const absorbance = new Float64Array(this.wavenumbers.length);
    for (let i = 0; i < absorbance.length; i++) {
      const k = this.from + i;
      const ratio = seen[k] / Math.max(session.background[k], 1e-4);
      const value = ratio > darkest ? -log(ratio) / LN10 : settings.ceiling;
      absorbance[i] = settings.decimals > 0 ? Math.round(value * scale) / scale : value;
    }
    return absorbance;
  }

  /** Multiplies by 1 + size cos(k turn + phase), by turning a pointer from point to point. */
  private addFringe(sample: Float64Array, size: number, turn: number, phase: number): void {
    const [stepRe, stepIm] = [cos(turn), sin(turn)];
    let [re, im] = [size * cos(phase), size * sin(phase)];
    for (let k = 0; k < sample.length; k++) {
      sample[k] *= 1 + re;
      const next = re * stepRe - im * stepIm;
      im = re * stepIm + im * stepRe;
      re = next;
    }
  }

  /** A single beam as the program computes it, at multiples of the exported step; overwritten by the next call. */
  private record(beam: Float64Array, random: Random, factor: number): Float64Array {
    const { window, grain, settings, interferogram, centreburst, output } = this;
    const { noise, averaged, bits, nonLinearity, phase, phaseError, flicker } = settings;
    this.fine.inverseReal(beam, this.nought, interferogram);
    const sigma = (factor * noise) / Math.sqrt(averaged);
    const bit = centreburst / power(2, bits - 1) / averaged;
    const { grains, re, im } = this;
    re.fill(0);
    im.fill(0);
    const off = phase === 'mertz' ? sin(phaseError) : 0;
    for (let n = 0; n < window.length; n++) {
      const signal = n < POINTS ? interferogram[n] : 0;
      const bent = signal - (nonLinearity * signal * signal) / centreburst;
      grains[n] = sigma * grain[n] * random.normal();
      const read = Math.round((bent + grains[n]) / bit) * bit;
      re[n] = (window[n] * (flicker > 0 ? read - grains[n] : read)) / FINE;
      im[n] = n > 0 ? off * re[n] : 0;
    }
    this.coarse.inverseReal(re, im, output);
    if (flicker > 0) this.addNoise(output, grains);
    if (phase === 'power') {
      const other = this.quadrature.fill(0);
      for (let n = 0; n < window.length; n++) grains[n] = sigma * grain[n] * random.normal();
      this.addNoise(other, grains);
      for (let k = 0; k < this.colour.length; k++) output[k] = Math.sqrt(output[k] * output[k] + other[k] * other[k]);
    }
    return output;
  }

  private addNoise(spectrum: Float64Array, grains: Float64Array): void {
    const { re, im, white, window, colour } = this;
    re.fill(0);
    im.fill(0);
    for (let n = 0; n < window.length; n++) re[n] = (window[n] * grains[n]) / FINE;
    this.coarse.inverseReal(re, im, white);
    for (let k = 0; k < colour.length; k++) spectrum[k] += colour[k] * white[k];
  }
}
