import bands = require('./bands.json');

import { exp, log, power } from '../simulator/exact-math.js';
import type { Random } from '../simulator/random.js';

/** A line: position, half widths at half height below and above it, cm^-1, and height. */
export type Line = readonly [position: number, below: number, above: number, height: number];

/** Lines that come together, and the wavenumbers between which the lattice lets them. */
interface Band {
  lines: readonly Line[];
  from?: number;
  to?: number;
}

/** The zone-centre optical phonon: one phonon absorbs below it, two below twice and three below thrice of it. */
const RAMAN = 1332.4;

// The compiler takes a tuple of a data file for a list.
const { twoPhonons, threePhonons, defects }: Record<string, unknown> = bands;
const TWO_PHONONS = twoPhonons as Line[];
const THREE_PHONONS = threePhonons as Line[];
/** Heights are relative: `NORMALISED_AT` says where they are 1. */
const DEFECTS = defects as Record<keyof typeof bands.defects, Band>;

export type BandName = keyof typeof DEFECTS | 'lattice';

/** Wavenumber at which a band's coefficient is its absorption, cm^-1. */
const NORMALISED_AT: Partial<Record<BandName, number>> = { nitrogenA: 1282, nitrogenB: 1282, nitrogenC: 1130 };

/** One author's reading of the bands from a plate or chart: positions, widths and heights differ from reader to reader. */
export interface Reading {
  /** Number of the reader: other numbers, other deviations. */
  plate: number;
  /** Standard deviations: of positions in half widths, and of the logarithms of widths and heights. */
  position: number;
  width: number;
  height: number;
  /** Fall of a line in its wings: 1 is Lorentz's, larger is steeper. */
  wings: number;
}

/** Absorption of each band on a grid of `points` wavenumbers k * step, for a coefficient of 1. */
export function bandTables(
  step: number,
  points: number,
  reading: Reading,
  random: Random,
): Map<BandName, Float64Array> {
  const drawn = (lines: readonly Line[]): Line[] =>
    lines.map(([position, below, above, height]) => {
      const wide = exp(reading.width * random.normal());
      const moved = position + reading.position * Math.min(below, above) * random.normal();
      return [moved, below * wide, above * wide, height * exp(reading.height * random.normal())];
    });
  const tables = new Map<BandName, Float64Array>();
  const lattice = new Float64Array(points);
  addBand(lattice, step, { lines: drawn(TWO_PHONONS), to: 2 * RAMAN - 14 }, 1.5);
  addBand(lattice, step, { lines: drawn(THREE_PHONONS), from: 2 * RAMAN - 20, to: 3 * RAMAN - 205 }, 1.5);
  tables.set('lattice', lattice);
  for (const [name, band] of Object.entries(DEFECTS) as [BandName, Band][]) {
    const table = new Float64Array(points);
    addBand(table, step, { ...band, lines: drawn(band.lines) }, reading.wings);
    const at = NORMALISED_AT[name];
    if (at) {
      const scale = 1 / table[Math.round(at / step)];
      for (let k = 0; k < points; k++) table[k] *= scale;
    }
    tables.set(name, table);
  }
  return tables;
}

function addBand(table: Float64Array, step: number, { lines, from, to }: Band, wings: number): void {
  // A line of wings w is (1 + z^2)^-w, with z such that it is at half height at its half width.
  const half = Math.sqrt(power(2, 1 / wings) - 1);
  for (let k = 1; k < table.length; k++) {
    const wavenumber = k * step;
    let sum = 0;
    for (const [position, below, above, height] of lines) {
      const away = (wavenumber - position) / (wavenumber < position ? below : above);
      if (away < -60 || away > 60) continue;
      const z = half * away;
      sum += height * exp(-wings * log(1 + z * z));
    }
    if (from) sum /= 1 + exp((from - wavenumber) / 14);
    if (to) sum /= 1 + exp((wavenumber - to) / (to > 3 * RAMAN - 300 ? 30 : to > RAMAN ? 11 : 1.6));
    table[k] += sum;
  }
}

/** Mean sizes of platelets for which there are tables, nm. */
export const PLATELET_SIZES = [5, 7, 10, 14, 20, 28, 40, 56, 80];

/**
 * The platelet line of unit area for each mean size. Sizes within a stone are log-normal; a platelet of size d absorbs
 * at 1358 + 62/d cm^-1 (small ones up to 1374, Sumida and Lang 1988), so that the line has its tail to the blue.
 */
export function plateletTables(step: number, points: number): Float64Array[] {
  const spread = 0.55;
  return PLATELET_SIZES.map((mean) => {
    const table = new Float64Array(points);
    for (let q = -12; q <= 12; q++) {
      const share = exp((-q * q) / 32);
      const size = mean * exp(spread * (q / 4));
      const position = 1358 + 62 / size;
      const half = 3 + 9 / size;
      for (let k = Math.ceil(1200 / step); k < 1560 / step; k++) {
        const z = (k * step - position) / half;
        table[k] += share / (1 + z * z);
      }
    }
    const area = table.reduce((sum, value) => sum + value, 0) * step;
    return table.map((value) => value / area);
  });
}
