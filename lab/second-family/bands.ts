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

/**
 * Sums of two phonons of different branches at one critical point (overtones are forbidden with inversion symmetry).
 * Frequencies, cm^-1: X 1191 (L), 1069 (TO), 807 (TA); L 1252 (LO), 1206 (TO), 1006 (LA), 563 (TA); W 1179 (L), 999 (TO),
 * 908 (TA); Sigma 1230, 1109, 1045 (O), 988, 982 (A); after Warren et al. 1967, Solin and Ramdas 1970 and Klein et al.
 * 1992. Heights, cm^-1, fitted to a published type IIa scan, so that the sum is within some 8% of the curve.
 */
const TWO_PHONONS: readonly Line[] = [
  [1569, 110, 90, 0.3], // L: LA + TA
  [1700, 100, 80, 1],
  [1769, 70, 60, 0.4], // L: TO + TA
  [1815, 60, 40, 2.1], // L: LO + TA
  [1876, 50, 40, 3.8], // X: TO + TA
  [1930, 45, 30, 6.6],
  [1976, 30, 20, 9.2], // Sigma: A + A
  [1993, 16, 26, 5.3], // X: L + TA
  [2033, 28, 26, 11.3], // Sigma: O + A
  [2087, 40, 40, 8.6], // W: L + TA
  [2154, 22, 30, 10.4], // Sigma: O + O
  [2178, 26, 40, 2.9], // W: L + TO
  [2212, 40, 35, 7.1], // L: TO + LA
  [2253, 35, 35, 3.1], // X: L + TO
  [2275, 35, 30, 4.4], // Sigma: O + O
  [2415, 45, 60, 3.3],
  [2458, 45, 55, 1.8], // L: LO + TO
  [2540, 70, 55, 3.9],
  [2610, 50, 40, 2.3],
];
const THREE_PHONONS: readonly Line[] = [
  [2790, 120, 120, 0.8],
  [3010, 140, 130, 1.1],
  [3200, 120, 110, 1.4],
  [3400, 120, 120, 1.1],
  [3600, 100, 90, 1.1],
  [3700, 100, 60, 1.3],
];

/**
 * Defects by the positions of their lines in the literature (Clark and Davey 1984, Woods 1986 and 1990, Lawson et al.
 * 1998, Zaitsev 2001); heights are relative, `NORMALISED_AT` says where they are 1.
 */
const DEFECTS = {
  nitrogenA: {
    lines: [
      [480, 28, 22, 0.15],
      [1010, 70, 50, 0.03],
      [1098, 40, 30, 0.06],
      [1145, 40, 40, 0.14],
      [1210, 45, 40, 0.48],
      [1282, 16, 22, 0.95],
      [1311, 20, 20, 0.14],
    ],
    to: RAMAN,
  },
  nitrogenB: {
    lines: [
      [700, 140, 120, 0.25],
      [900, 120, 100, 0.28],
      [1010, 28, 26, 0.64],
      [1098, 18, 18, 0.47],
      [1130, 40, 30, 0.98],
      [1175, 20, 20, 2.12],
      [1210, 40, 50, 0.71],
      [1300, 70, 60, 0.78],
      [1327, 8, 6, 0.7],
    ],
    to: RAMAN,
  },
  nitrogenC: {
    lines: [
      [700, 90, 90, 0.1],
      [850, 70, 60, 0.25],
      [930, 50, 50, 0.11],
      [1050, 40, 40, 0.17],
      [1098, 18, 18, 0.19],
      [1130, 20, 26, 0.86],
      [1190, 40, 60, 0.38],
      [1290, 50, 30, 0.26],
      [1344, 2.2, 2.2, 0.66],
    ],
  },
  nitrogenPlus: {
    lines: [
      [950, 40, 30, 0.5],
      [1046, 25, 25, 0.7],
      [1332, 2.5, 2, 1],
    ],
  },
  plateletTail: {
    lines: [
      [1212, 24, 40, 0.7],
      [1250, 40, 40, 0.4],
      [1290, 40, 30, 0.6],
      [1320, 14, 8, 1.1],
    ],
    to: RAMAN,
  },
  hydrogen: {
    lines: [
      [1405, 2.2, 2.2, 0.31],
      [2786, 3.5, 3.5, 0.07],
      [3107, 2, 2, 1],
      [4168, 3.5, 3.5, 0.05],
      [4496, 5, 5, 0.09],
    ],
  },
  hydrogen3237: {
    lines: [
      [1494, 5, 5, 0.3],
      [3237, 4, 4, 1],
      [4703, 8, 8, 0.15],
    ],
  },
  hydrogen3310: {
    lines: [
      [3255, 5, 5, 0.4],
      [3272, 4, 4, 0.5],
      [3310, 3, 3, 1],
    ],
  },
  hydrogen3154: {
    lines: [
      [3143, 2.5, 2.5, 0.5],
      [3154, 3, 3, 1],
      [3189, 3, 3, 0.7],
    ],
  },
  stretch3055: {
    lines: [
      [3055, 9, 9, 0.6],
      [3081, 7, 7, 1],
    ],
  },
  interstitial: {
    lines: [
      [1450, 3.5, 3.5, 1],
      [1502, 4, 4, 0.3],
      [4935, 8, 8, 0.4],
    ],
  },
  line1388: {
    lines: [
      [1371, 6, 6, 0.3],
      [1388, 5, 5, 1],
    ],
  },
  line1434: {
    lines: [
      [1434, 9, 7, 1],
      [2940, 30, 30, 0.1],
    ],
  },
  amber: {
    lines: [
      [1522, 9, 9, 0.5],
      [1546, 12, 10, 0.7],
      [1575, 14, 14, 0.4],
      [4070, 60, 90, 1],
      [4165, 40, 60, 0.6],
      [4850, 200, 300, 0.4],
    ],
  },
  shallow: {
    lines: [
      [1465, 25, 25, 1],
      [1355, 10, 10, 0.4],
    ],
  },
  carbonate: {
    lines: [
      [713, 8, 8, 0.15],
      [876, 12, 10, 0.45],
      [1443, 55, 45, 1],
    ],
  },
  silicate: {
    lines: [
      [812, 20, 20, 0.2],
      [1005, 40, 35, 1],
      [1088, 30, 35, 0.7],
    ],
  },
  fluid: {
    lines: [
      [1642, 35, 45, 0.4],
      [3260, 120, 140, 0.5],
      [3430, 170, 130, 1],
    ],
  },
  carbonDioxide: {
    lines: [
      [652, 6, 5, 0.5],
      [2361, 9, 11, 1],
    ],
  },
  boron: {
    lines: [
      [1290, 90, 12, 0.3],
      [2458, 6, 6, 0.6],
      [2802, 8, 8, 1],
      [4093, 40, 40, 0.2],
    ],
  },
  skinOil: {
    lines: [
      [1378, 8, 8, 0.12],
      [1460, 10, 10, 0.25],
      [2854, 11, 11, 0.6],
      [2923, 16, 14, 1],
      [2957, 9, 9, 0.5],
    ],
  },
  adsorbedWater: {
    lines: [
      [1638, 45, 45, 0.35],
      [3390, 210, 160, 1],
    ],
  },
} satisfies Record<string, { lines: readonly Line[]; to?: number }>;

export type BandName = keyof typeof DEFECTS | 'lattice';

/** Where a band's coefficient is its absorption, cm^-1. */
const NORMALISED_AT: Partial<Record<BandName, number>> = { nitrogenA: 1282, nitrogenB: 1282, nitrogenC: 1130 };

/** How one author's plate or chart gives the bands: positions, widths and heights differ from hand to hand. */
export interface Reading {
  /** Whose hand: other numbers, other deviations. */
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
