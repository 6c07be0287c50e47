/** How often the look at the lattice errs: simulated sides of diamonds that it refuses, and spectra of other materials that it takes. */
import { refuseForeign } from '#science/matching/lattice';
import { shippedModel } from '#science/matching/shipped';
import { examineSide } from '#science/matching/verdict';
import { referenceAxis } from '#science/spectra/axis';
import { Refusal } from '#science/spectra/refusal';
import { prepareSide } from '#science/spectra/scan-set';
import { simulateNamed } from '../populations.js';
import { Random, shifted, simulateStone } from '../simulator/index.js';
import { ascending } from './study.js';

import bands = require('./foreign-bands.json');

/** Worlds whose lattices are changed in a way that no training knows; not among the named populations. */
export const SHIFTED = 'shifted';
/** Gaussian bands anywhere in 1500-2800 cm^-1, of no material. */
export const RANDOM_BANDS = 'random bands';

type Band = readonly [position: number, deviation: number, height: number];
/** Centre and standard deviation in cm^-1, and height in 1/mm, of what other materials absorb by published positions; approximate. */
const BANDS = bands as unknown as Record<string, Band[]>;
export const MATERIALS = [...Object.keys(BANDS), RANDOM_BANDS];

export interface LatticeRun {
  /** A population, or a material. */
  name: string;
  seed: number;
  first: number;
  count: number;
}

/** Sides refused as none of diamond, and for any reason, of `count` stones; or spectra taken of `count`. */
export interface LatticeCounts {
  looked: number;
  foreign: number;
  refused: number;
}

export function countRefused({ name, seed, first, count }: LatticeRun): LatticeCounts {
  const model = shippedModel();
  const counts = { looked: 0, foreign: 0, refused: 0 };
  const look = (what: () => void) => {
    counts.looked++;
    try {
      what();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      counts.refused++;
      if (error.kind === 'not_diamond' || error.kind === 'flat') counts.foreign++;
    }
  };
  for (let i = first; i < first + count; i++)
    if (MATERIALS.includes(name)) {
      const spectra = foreignSpectrum(name, seed, i);
      const scans = [{ wavenumbers: referenceAxis(), absorbance: Float64Array.from(spectra) }];
      look(() => refuseForeign({ scans, spectra, count: 1 }, model.encoders[0].preprocessing));
    } else {
      const stone = name === SHIFTED ? simulateStone(shifted(), seed, i) : simulateNamed(name, seed, i);
      for (const side of ['rough', 'polish'] as const)
        look(() => examineSide(prepareSide({ side, scans: stone[side].map(ascending), references: [] }), model));
    }
  return counts;
}

/** A material through 0.3 to 12 mm, its bands moved, widened and made stronger or weaker; scatter, stray light and noise of a scan. */
function foreignSpectrum(name: string, seed: number, variant: number): Float32Array {
  const random = new Random(name, seed, variant, 'foreign');
  const bands: Band[] = BANDS[name]?.map((band) => [...band]) ?? randomBands(random);
  const path = random.logBetween(0.3, 12) * Math.exp(0.5 * random.normal());
  const [moved, wider] = [6 * random.normal(), Math.exp(0.2 * random.normal())];
  const varied = bands.map(([at, deviation, height]) => [
    at + moved + 8 * random.normal(),
    deviation * wider * Math.exp(0.25 * random.normal()),
    height * Math.exp(0.45 * random.normal()),
  ]);
  const [level, scatter, power] = [0.1 * random.normal(), 0.2 * Math.abs(random.normal()), random.between(0, 4)];
  const [stray, noise] = [0.002 * Math.abs(random.normal()), 3e-4 * Math.exp(random.between(-1, 1.2))];
  return Float32Array.from(referenceAxis(), (w) => {
    const absorbed = varied.reduce(
      (sum, [at, deviation, h]) => sum + h * Math.exp(-0.5 * ((w - at) / deviation) ** 2),
      0,
    );
    const passed = 10 ** -(Math.LOG10E * path * absorbed + level + scatter * (w / 4000) ** power) + stray;
    const dark = 1 + Math.exp((600 - w) / 60) + Math.exp((w - 4500) / 500);
    return -Math.log10(Math.max(passed + noise * dark * random.normal(), 2e-4));
  });
}

function randomBands(random: Random): Band[] {
  const some = 1 + random.below(7);
  return Array.from({ length: some }, () => [
    random.between(1500, 2800),
    random.logBetween(10, 150),
    Math.exp(0.6 * random.normal()),
  ]);
}
