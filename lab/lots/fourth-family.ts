/**
 * Melee to judge workspaces' own scorers by, set down before any scorer was judged by it; it chooses nothing. Stones grow as the
 * second family's do; readers, deposits, microscopes and the way stones lie are its own.
 */
import type { Lying, Parcel } from './parcel.js';
import { grownParcel } from './second-family.js';
import { parcelsDigest, populationOf, type Settings } from './third-family.js';

const LIES: Lying = {
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
const SETTINGS = {
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
type FourthFamilyName = keyof typeof SETTINGS;
const FOURTH_FAMILY = Object.keys(SETTINGS) as FourthFamilyName[];

/** Parcels take turns between the two traders. */
export function fourthParcel(seed: number, parcel: number): Parcel {
  const name = FOURTH_FAMILY[parcel % FOURTH_FAMILY.length];
  return grownParcel(populationOf(name, SETTINGS[name]), LIES, ['fourth melee', seed, parcel]);
}

export const fourthDigest = (): string => parcelsDigest(fourthParcel, FOURTH_FAMILY.length);

/** The digest of the scans of the family, as scorers were judged by it. */
export const FOURTH_FROZEN = '909bb3fb2a0bb3aa97843d9748d69df8383e20c5d88409734b61bc20afae8cf6';
