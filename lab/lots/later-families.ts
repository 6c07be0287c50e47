/**
 * Melee to judge by, set down before any model was judged by it; it chooses nothing. Its stones grow as the second family's do,
 * from bands that other readers took from the same plates, in other deposits. Unlike the second family it shares neither a
 * spectrometer nor the way stones are cut and lie with any other family. Every parameter stands here.
 */
import { bandTables, plateletTables, type Reading } from '../second-family/bands.js';
import { POINTS, STEP } from '../second-family/spectrometer.js';
import { Random } from '../simulator/random.js';
import type { Lying, Parcel } from './parcel.js';
import { type GrownPopulation, grownParcel } from './second-family.js';

const LIES: Lying = {
  radius: 0.2,
  placement: { shaken: 1, 'table-up': 0.35, 'culet-focus': 0.6 },
  straight: [0.5, 2],
  paths: [1, 2, 3.1, 4.4],
  shares: [0.45, 0.3, 0.17, 0.08],
  seats: {
    shaken: { mixing: 40, signal: 1, stray: [0.001, 0.025], scatter: [1, 1] },
    'table-up': { mixing: 200, signal: 0.9, stray: [0.001, 0.02], scatter: [1, 1.5] },
    'culet-focus': { mixing: 50, signal: 0.4, stray: [0.01, 0.1], scatter: [2, 4] },
  },
};

const READING: Reading = { plate: 3, position: 0.5, width: 0.3, height: 0.5, wings: 1.1 };

/** Parameters of a trader: deposits, a reader of the bands, a microscope. */
interface Settings extends Pick<GrownPopulation, 'statistics' | 'optics' | 'spectrometer'> {
  reading: Reading;
}

/** Three traders, each with deposits, a reader of the bands and a microscope. */
const SETTINGS = {
  'third-fine': {
    reading: READING,
    statistics: { deposits: 30, apart: 0.8, eclogitic: 0.5, zoning: 1.1, occasional: 0.7 },
    optics: {
      scatter: { rough: [0.05, 0.5], polish: [0.012, 0.4] },
      power: [0, 1.5],
      ripple: 0.08,
      stray: [0.004, 0.01],
    },
    spectrometer: {
      resolution: 4,
      apodisation: 'connes',
      transform: 8192,
      range: [450, 6500],
      descending: true,
      noise: 8e-4,
      flickerCorner: 700,
      bits: 24,
      cutOff: [500, 20],
      source: 1300,
      fringes: 5e-4,
      scale: 10,
      air: [0.02, 0.02],
      drift: 0.005,
    },
  },
  'third-open': {
    reading: { ...READING, plate: 4, wings: 1.25 },
    statistics: { deposits: 12, apart: 1.1, eclogitic: 0.3, zoning: 0.9, occasional: 1.2 },
    optics: {
      scatter: { rough: [0.05, 0.5], polish: [0.02, 0.5] },
      power: [0.5, 3],
      ripple: 0.15,
      stray: [0.004, 0.01],
    },
    spectrometer: {
      resolution: 8,
      apodisation: 'hamming',
      transform: 4096,
      range: [430, 7200],
      descending: false,
      noise: 5e-4,
      flickerCorner: 1000,
      bits: 20,
      cutOff: [480, 30],
      source: 1200,
      fringes: 1.5e-3,
      scale: 40,
      air: [0.15, 0.06],
      drift: 0.01,
    },
  },
  'third-coarse': {
    reading: { ...READING, plate: 5, wings: 1.4 },
    statistics: { deposits: 50, apart: 1, eclogitic: 0.7, zoning: 0.8, occasional: 0.9 },
    optics: {
      scatter: { rough: [0.05, 0.5], polish: [0.015, 0.6] },
      power: [1, 4],
      ripple: 0.25,
      stray: [0.004, 0.01],
    },
    spectrometer: {
      resolution: 12,
      apodisation: 'gauss',
      transform: 4096,
      range: [470, 6800],
      descending: true,
      noise: 4e-4,
      flickerCorner: 500,
      bits: 18,
      cutOff: [460, 35],
      source: 1400,
      fringes: 1e-3,
      scale: 25,
      air: [0.05, 0.03],
      drift: 0.008,
    },
  },
} satisfies Record<string, Settings>;
type ThirdFamilyName = keyof typeof SETTINGS;
const THIRD_FAMILY = Object.keys(SETTINGS) as ThirdFamilyName[];

const made = new Map<string, GrownPopulation>();
/** A trader's population; two never share a name. */
function populationOf(name: string, { reading, ...settings }: Settings): GrownPopulation {
  const population = made.get(name) ?? {
    ...settings,
    name,
    reading,
    tables: bandTables(STEP, POINTS, reading, new Random(name, 'reading', reading.plate)),
    platelets: plateletTables(STEP, POINTS),
  };
  made.set(name, population);
  return population;
}

/** Parcels take turns among the three traders. */
export function thirdParcel(seed: number, parcel: number): Parcel {
  const name = THIRD_FAMILY[parcel % THIRD_FAMILY.length];
  return grownParcel(populationOf(name, SETTINGS[name]), LIES, ['third melee', seed, parcel]);
}

/**
 * The fourth family: to judge workspaces' own scorers by, set down before any scorer was judged by it; it chooses nothing. Readers,
 * deposits, microscopes and the way stones lie are its own.
 */
const FOURTH_LIES: Lying = {
  radius: 0.15,
  placement: { shaken: 0.8, 'table-up': 0.6, 'culet-focus': 0.9 },
  straight: [0.7, 1.8],
  paths: [1, 1.5, 2.8, 3.9, 5.2],
  shares: [0.3, 0.3, 0.2, 0.12, 0.08],
  seats: {
    shaken: { mixing: 80, signal: 0.8, stray: [0.004, 0.02], scatter: [1, 1.3] },
    'table-up': { mixing: 250, signal: 0.8, stray: [0.004, 0.02], scatter: [1, 1.3] },
    'culet-focus': { mixing: 70, signal: 0.6, stray: [0.03, 0.06], scatter: [2.5, 5] },
  },
};

const OPTICS = {
  scatter: { rough: [0.05, 0.5], polish: [0.016, 0.5] },
  power: [0.3, 2.5],
  ripple: 0.12,
  stray: [0.004, 0.01],
} satisfies Settings['optics'];

const SPECTROMETER = {
  resolution: 4,
  apodisation: 'hamming',
  transform: 8192,
  range: [440, 6800],
  descending: true,
  noise: 7e-4,
  flickerCorner: 600,
  bits: 20,
  cutOff: [490, 28],
  source: 1250,
  fringes: 8e-4,
  scale: 18,
  air: [0.04, 0.04],
  drift: 0.006,
} satisfies Settings['spectrometer'];

/** Two traders. */
const FOURTH_SETTINGS = {
  'fourth-near': {
    reading: { plate: 6, position: 0.4, width: 0.25, height: 0.4, wings: 1.2 },
    statistics: { deposits: 20, apart: 0.9, eclogitic: 0.4, zoning: 1.2, occasional: 0.8 },
    optics: OPTICS,
    spectrometer: SPECTROMETER,
  },
  'fourth-far': {
    reading: { plate: 7, position: 0.4, width: 0.35, height: 0.6, wings: 1.5 },
    statistics: { deposits: 40, apart: 0.7, eclogitic: 0.6, zoning: 0.9, occasional: 1 },
    optics: { ...OPTICS, ripple: 0.2, power: [0.8, 3.5] },
    spectrometer: {
      ...SPECTROMETER,
      resolution: 8,
      transform: 4096,
      apodisation: 'gauss',
      noise: 5e-4,
      air: [0.1, 0.05],
    },
  },
} satisfies Record<string, Settings>;
type FourthFamilyName = keyof typeof FOURTH_SETTINGS;
const FOURTH_FAMILY = Object.keys(FOURTH_SETTINGS) as FourthFamilyName[];

/** Parcels take turns between the two traders. */
export function fourthParcel(seed: number, parcel: number): Parcel {
  const name = FOURTH_FAMILY[parcel % FOURTH_FAMILY.length];
  return grownParcel(populationOf(name, FOURTH_SETTINGS[name]), FOURTH_LIES, ['fourth melee', seed, parcel]);
}
