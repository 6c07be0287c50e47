import { cos, exp, expOfMinus, LN10, log, PI, power } from '../simulator/exact-math.js';
import { FourierTransform } from '../simulator/fourier.js';
import type { SimulatedScan } from '../simulator/index.js';
import type { Random } from '../simulator/random.js';

/** Interferograms are sampled at every second fringe of a helium-neon laser of 15798 cm^-1. */
export const LASER = 15798;
const FINE = 16384;
/** Step and number of the wavenumbers at which transmission is computed. */
export const STEP = LASER / FINE;
export const POINTS = FINE / 2;

export const APODISATIONS = ['hamming', 'hann', 'gauss', 'connes'] as const;
export type Apodisation = (typeof APODISATIONS)[number];

export interface SpectrometerSettings {
  /** Width of the line shape at half its height, cm^-1. */
  resolution: number;
  apodisation: Apodisation;
  /** Points of the transform: a power of two, larger than the interferogram by the zero filling. */
  transform: number;
  /** The axis that is exported, cm^-1. */
  range: [number, number];
  descending: boolean;
  /** Noise of a scan, relative to the signal where the single beam peaks. */
  noise: number;
  /** Below this wavenumber noise of 1/f outweighs the white one, cm^-1. */
  flickerCorner: number;
  /** Bits of the analogue-to-digital converter, for a range that the centreburst fills. */
  bits: number;
  /** Detector: where it stops at low wavenumbers, cm^-1, and how softly. */
  cutOff: [number, number];
  /** Temperature of the source, K. */
  source: number;
  /** Amplitude of the fringes of windows and of gaps, in absorbance. */
  fringes: number;
  /** Standard deviation of the error of the wavenumber scale, parts per million. */
  scale: number;
  /** Water and carbon dioxide in the beam, sample against background: standard deviations of a side and of a scan. */
  air: [side: number, scan: number];
  /** Standard deviation of the slow drift between background and sample, in absorbance. */
  drift: number;
}

/** Constants of Planck's law in cm^-1 and K. */
const SECOND_RADIATION = 1.4388;
/** Optical path difference times full width at half height, by apodisation. */
const WIDTHS: Record<Apodisation, number> = { hamming: 0.906, hann: 1, gauss: 1.02, connes: 0.95 };

function weight(apodisation: Apodisation, x: number): number {
  if (apodisation === 'hamming') return 0.54 + 0.46 * cos(PI * x);
  if (apodisation === 'hann') return 0.5 + 0.5 * cos(PI * x);
  if (apodisation === 'gauss') return exp(-2.2 * x * x);
  const inside = 1 - x * x;
  return inside * inside;
}

/** Values that differ from side to side: alignment, humidity, and the background that its scans share. */
export interface Session {
  air: number;
  carbonDioxide: number;
  scale: number;
  drift: Float64Array;
  fringe: { period: number; phase: number; amplitude: number }[];
  background: Float64Array;
}

/** A Fourier-transform spectrometer: interferogram, noise, converter, apodisation, zero filling, ratio. */
export class Spectrometer {
  private readonly beam = new Float64Array(POINTS + 1);
  private readonly window: Float64Array;
  private readonly fine = new FourierTransform(FINE);
  private readonly coarse: FourierTransform;
  private readonly water: Float64Array;
  private readonly carbonDioxide: Float64Array;
  /** Indices of the exported axis. */
  private readonly from: number;
  private readonly to: number;
  private readonly step: number;
  private readonly centreburst: number;
  private readonly colour: Float64Array;

  constructor(
    readonly settings: SpectrometerSettings,
    random: Random,
  ) {
    const { resolution, apodisation, transform, range, cutOff, source, flickerCorner } = settings;
    let peak = 0;
    for (let k = 1; k < POINTS; k++) {
      const wavenumber = k * STEP;
      const x = (SECOND_RADIATION * wavenumber) / source;
      const planck = (wavenumber * wavenumber * wavenumber) / (exp(x) - 1);
      const seen = 1 / (1 + exp((cutOff[0] - wavenumber) / cutOff[1]));
      // A beam splitter of germanium on KBr, and optics that scatter short waves away.
      const optics = (0.55 + 0.45 * cos((wavenumber - 2100) / 1900)) / (1 + exp((wavenumber - 6900) / 350));
      this.beam[k] = planck * seen * Math.max(optics, 0.02);
      peak = Math.max(peak, this.beam[k]);
    }
    for (let k = 0; k <= POINTS; k++) this.beam[k] /= peak;
    const reach = WIDTHS[apodisation] / resolution;
    const samples = Math.min(Math.floor(reach * LASER), transform / 2 - 1);
    this.window = Float64Array.from({ length: samples }, (_, n) => weight(apodisation, n / samples));
    this.coarse = new FourierTransform(transform);
    this.step = LASER / transform;
    this.from = Math.ceil(range[0] / this.step);
    this.to = Math.floor(range[1] / this.step);
    this.centreburst = this.beam.reduce((sum, value) => sum + value, 0) * 2;
    this.colour = Float64Array.from({ length: transform / 2 + 1 }, (_, k) =>
      Math.sqrt(1 + flickerCorner / Math.max(k * this.step, 150)),
    );
    const air = airTables(random);
    this.water = air.water;
    this.carbonDioxide = air.carbonDioxide;
  }

  open(random: Random, noise: number): Session {
    const { air, scale, fringes } = this.settings;
    const session: Session = {
      air: air[0] * random.normal(),
      carbonDioxide: air[0] * random.normal(),
      scale: scale * 1e-6 * random.normal(),
      drift: this.drawDrift(random, 1),
      fringe: [random.logBetween(12, 40), random.logBetween(60, 220)].map((period) => ({
        period,
        phase: 2 * PI * random.uniform(),
        amplitude: fringes * random.uniform(),
      })),
      background: new Float64Array(0),
    };
    // Backgrounds are taken longer than samples.
    session.background = this.record(this.beam, random, 0.6 * noise);
    return session;
  }

  /**
   * A scan of a sample with this transmission at k * STEP, in place: it is overwritten. `noise` is a factor on the noise.
   */
  scan(transmission: Float64Array, session: Session, random: Random, noise: number): SimulatedScan {
    const { air, descending } = this.settings;
    const vapour = session.air + air[1] * random.normal();
    const dioxide = session.carbonDioxide + air[1] * random.normal();
    const drift = this.drawDrift(random, 0.4);
    const wobble = random.normal();
    const beam = new Float64Array(POINTS + 1);
    const stretch = 1 + session.scale;
    for (let k = 1; k < POINTS - 1; k++) {
      if (this.beam[k] < 1e-5) continue;
      const at = Math.min(k * stretch, POINTS - 2);
      const below = Math.floor(at);
      const through = transmission[below] + (at - below) * (transmission[below + 1] - transmission[below]);
      let lost = vapour * this.water[k] + dioxide * this.carbonDioxide[k];
      const x = k / POINTS;
      lost += LN10 * polynomial(session.drift, x) + LN10 * polynomial(drift, x);
      for (const { period, phase, amplitude } of session.fringe)
        lost += LN10 * amplitude * cos((2 * PI * k * STEP) / period + phase + 0.3 * wobble);
      beam[k] = this.beam[k] * through * expOfMinus(lost);
    }
    const sample = this.record(beam, random, noise);
    const count = this.to - this.from + 1;
    const scan: SimulatedScan = { wavenumbers: new Float64Array(count), absorbance: new Float64Array(count) };
    for (let i = 0; i < count; i++) {
      const k = descending ? this.to - i : this.from + i;
      scan.wavenumbers[i] = k * this.step;
      const ratio = sample[k] / Math.max(session.background[k], 1e-4);
      scan.absorbance[i] = -log(Math.max(ratio, 3e-5)) / LN10;
    }
    return scan;
  }

  /** A single beam after the instrument: through the interferogram, converter and window. */
  private record(beam: Float64Array, random: Random, noise: number): Float64Array {
    const { window, centreburst, settings, coarse, colour } = this;
    const { bits, transform } = settings;
    const interferogram = new Float64Array(FINE);
    this.fine.inverseReal(beam, new Float64Array(POINTS + 1), interferogram);
    const bit = centreburst / power(2, bits - 1);
    const white = new Float64Array(transform);
    const signal = new Float64Array(transform);
    let squares = window[0] * window[0];
    for (let n = 1; n < window.length; n++) squares += 2 * window[n] * window[n];
    const sigma = (noise * settings.noise * FINE) / Math.sqrt(squares / 2);
    for (let n = 0; n < window.length; n++) {
      for (const side of n === 0 ? [0] : [n, transform - n]) {
        const grain = sigma * random.normal();
        const value = interferogram[n] + grain;
        // The converter rounds its input; without noise there would be nothing to dither it.
        const read = noise === 0 ? value : Math.floor(value / bit + 0.5) * bit;
        signal[side] = window[n] * (read - grain);
        white[side] = window[n] * grain;
      }
    }
    const re = new Float64Array(transform / 2 + 1);
    const im = new Float64Array(transform / 2 + 1);
    coarse.forwardReal(signal, re, im);
    const seen = re.slice();
    coarse.forwardReal(white, re, im);
    for (let k = 0; k < seen.length; k++) seen[k] = (seen[k] + colour[k] * re[k]) / FINE;
    return seen;
  }

  private drawDrift(random: Random, factor: number): Float64Array {
    const size = factor * this.settings.drift;
    return Float64Array.of(
      size * random.normal(),
      2 * size * random.normal(),
      3 * size * random.normal(),
      3 * size * random.normal(),
    );
  }
}

/** Legendre's polynomials up to the third over the axis, x from 0 to 1. */
function polynomial(of: Float64Array, x: number): number {
  const t = 2 * x - 1;
  return of[0] + of[1] * t + of[2] * (1.5 * t * t - 0.5) + of[3] * t * (2.5 * t * t - 1.5);
}

/**
 * Optical depth of the air in a spectrometer: rotational lines under the branches of water's bending and stretching
 * and of carbon dioxide. Each line has its own place and strength; a common humidity scales them all.
 */
export function airTables(random: Random): { water: Float64Array; carbonDioxide: Float64Array } {
  const water = new Float64Array(POINTS + 1);
  const carbonDioxide = new Float64Array(POINTS + 1);
  const line = (table: Float64Array, at: number, depth: number) => {
    for (let k = Math.ceil((at - 6) / STEP); k <= (at + 6) / STEP; k++) {
      const z = (k * STEP - at) / 0.7;
      table[k] += depth / (1 + z * z);
    }
  };
  for (const [centre, reach, strength] of [
    [1595, 210, 0.35],
    [3756, 160, 0.3],
    [5330, 140, 0.03],
  ])
    for (let n = 0; n < 110; n++) {
      const side = random.chance(0.5) ? 1 : -1;
      const away = 12 + reach * Math.sqrt(-log(random.uniform())) * 0.7;
      line(water, centre + side * away, strength * exp(0.8 * random.normal() - 1) * (away < 2.2 * reach ? 1 : 0.3));
    }
  for (const [centre, spacing, strength] of [
    [2349, 1.6, 0.9],
    [667, 1.6, 0.25],
  ])
    for (let j = 1; j < 46; j++) {
      const depth = (strength * j * exp(-(j * j) / 480)) / 13;
      line(carbonDioxide, centre + spacing * j, depth);
      line(carbonDioxide, centre - spacing * j * 1.05, depth);
    }
  return { water, carbonDioxide };
}
