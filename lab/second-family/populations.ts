import { Random } from '../simulator/random.js';
import { type BandName, bandTables, plateletTables, type Reading } from './bands.js';
import { POINTS, Spectrometer, type SpectrometerSettings, STEP } from './spectrometer.js';
import type { Statistics } from './stone.js';

/** Positions of stones in the beam. */
export interface Optics {
  /** Scatter in a rough and in a polish: median absorbance at 2500 cm^-1, and spread of its logarithm. */
  scatter: { rough: [number, number]; polish: [number, number] };
  /** Powers of the wavenumber that scatter goes with, from large grains (0) to small ones (4). */
  power: [number, number];
  /** Strength of the ripple of grains as large as a wave, against the scatter. */
  ripple: number;
  /** Light that passes by the stone, of the light through it: rough, polish. */
  stray: [number, number];
}

export interface FamilySettings {
  code: string;
  reading: Reading;
  statistics: Statistics;
  optics: Optics;
  spectrometer: SpectrometerSettings;
}

const READING: Reading = { plate: 0, position: 0.6, width: 0.4, height: 0.6, wings: 1.2 };
const STATISTICS: Statistics = { deposits: 24, apart: 1, eclogitic: 0.4, zoning: 0.6, occasional: 1 };

/** Frozen: see the digest in second-family.spec.ts. */
const SETTINGS = {
  /** A laboratory as one would wish it: 8 cm^-1, purged, polished windows on the rough. */
  'second-plain': {
    code: 'FP',
    reading: READING,
    statistics: { ...STATISTICS, zoning: 1.35, occasional: 0.2 },
    optics: {
      scatter: { rough: [0.05, 0.5], polish: [0.01, 0.5] },
      power: [0.3, 2],
      ripple: 0.1,
      stray: [0.004, 0.01],
    },
    spectrometer: {
      resolution: 8,
      apodisation: 'hann',
      transform: 4096,
      range: [400, 7000],
      descending: true,
      noise: 6e-4,
      flickerCorner: 500,
      bits: 20,
      cutOff: [420, 25],
      source: 1350,
      fringes: 8e-4,
      scale: 15,
      air: [0.03, 0.02],
      drift: 0.006,
    },
  },
  /** Neither purged nor compensated for air; coarse, noisy, with much noise of 1/f. */
  'second-air': {
    code: 'FA',
    reading: { ...READING, wings: 1.05 },
    statistics: { ...STATISTICS, deposits: 16, eclogitic: 0.25 },
    optics: {
      scatter: { rough: [0.1, 0.6], polish: [0.02, 0.6] },
      power: [0.5, 2.5],
      ripple: 0.2,
      stray: [0.01, 0.02],
    },
    spectrometer: {
      resolution: 14,
      apodisation: 'hamming',
      transform: 2048,
      range: [390, 7400],
      descending: false,
      noise: 6e-4,
      flickerCorner: 1600,
      bits: 18,
      cutOff: [470, 35],
      source: 1150,
      fringes: 2e-3,
      scale: 60,
      air: [0.21, 0.1],
      drift: 0.012,
    },
  },
  /** Roughs with frosted skins: slopes and ripples of an absorbance and more. */
  'second-scatter': {
    code: 'FS',
    reading: { ...READING, plate: 2, wings: 1.35 },
    statistics: { ...STATISTICS, deposits: 40, apart: 1.2, eclogitic: 0.6, zoning: 0.5 },
    optics: {
      scatter: { rough: [0.4, 0.7], polish: [0.015, 0.5] },
      power: [0.5, 4],
      ripple: 0.4,
      stray: [0.015, 0.015],
    },
    spectrometer: {
      resolution: 6,
      apodisation: 'gauss',
      transform: 8192,
      range: [420, 6600],
      descending: true,
      noise: 3e-4,
      flickerCorner: 800,
      bits: 20,
      cutOff: [440, 30],
      source: 1450,
      fringes: 1.2e-3,
      scale: 25,
      air: [0.06, 0.03],
      drift: 0.008,
    },
  },
} satisfies Record<string, FamilySettings>;

export type SecondFamilyName = keyof typeof SETTINGS;
export const SECOND_FAMILY = Object.keys(SETTINGS) as SecondFamilyName[];
export const isSecondFamily = (name: string): name is SecondFamilyName => Object.hasOwn(SETTINGS, name);

/** A population with its tables and its instrument. */
export interface FamilyPopulation extends FamilySettings {
  name: SecondFamilyName;
  tables: Map<BandName, Float64Array>;
  platelets: Float64Array[];
  instrument: Spectrometer;
}

const made = new Map<SecondFamilyName, FamilyPopulation>();

/** The population of a name; tables and instrument are made once. */
export function familyPopulation(name: SecondFamilyName): FamilyPopulation {
  let population = made.get(name);
  if (!population) {
    const settings: FamilySettings = SETTINGS[name];
    population = {
      ...settings,
      name,
      tables: bandTables(STEP, POINTS, settings.reading, new Random(name, 'reading', settings.reading.plate)),
      platelets: plateletTables(STEP, POINTS),
      instrument: new Spectrometer(settings.spectrometer, new Random(name, 'air')),
    };
    made.set(name, population);
  }
  return population;
}
