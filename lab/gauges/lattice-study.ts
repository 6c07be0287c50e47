/**
 * How often the look at the lattice errs, of claims and of lots: simulated sides and stones of diamonds that it refuses, and
 * spectra of other materials that it takes. `node dist/lab/gauges/lattice-study.js PART SEED FIRST COUNT [NAMES]` prints a row a
 * population or material; PART is claims, kinds, materials, lots or lot-materials.
 */
import { shippedLotModel } from '#science/lots/shipped';
import { refuseForeign } from '#science/matching/lattice';
import { shippedModel } from '#science/matching/shipped';
import { REFERENCE_POINTS, referenceAxis } from '#science/spectra/axis';
import { Refusal } from '#science/spectra/refusal';
import { prepareScans } from '#science/spectra/scan-set';
import { MELEE_FAMILIES, parcelOf } from '../lots/families.js';
import { spectraOf } from '../lots/scans.js';
import { POPULATION_NAMES, simulateNamed } from '../populations.js';
import { ascending } from '../report/gauges.js';
import { type Population, populationNamed, Random, type SimulatedStone, simulateStone } from '../simulator/index.js';
import { FIRST_MINOR, type PopulationSettings, TRAITS, worldOf } from '../simulator/populations.js';

import bands = require('./foreign-bands.json');

type Band = readonly [position: number, deviation: number, height: number];
/** Centre and standard deviation in cm^-1, and height in 1/mm, of what materials absorb by published positions; approximate. */
const MATERIALS: Record<string, Band[]> = { ...bands['looked at'], ...bands['held out'] } as never;
/** Gaussian bands anywhere in 1500-2800 cm^-1, of no material. */
const RANDOM_BANDS = 'random bands';
/** Ranges of the paths, mm: of claims' stones, and of small stones. */
const PATHS = { materials: [0.3, 12], 'lot-materials': [0.35, 8] } as const;
const LOT_SCANS = 3;

const usual = populationNamed('calibration').settings(new Random('kinds'));
const { nuisance } = usual;
/** Kinds of stones that the populations have few of: calibration but for these. */
const KINDS: Record<string, Partial<PopulationSettings>> = {
  thick: { roughPath: [8, 25], polishPath: [4, 10] },
  thin: { roughPath: [0.3, 1], polishPath: [0.2, 0.6] },
  'type IIa': { typeIIa: 1, typeIb: 0, typeIIb: 0 },
  'type Ib': { typeIIa: 0, typeIb: 1, typeIIb: 0 },
  'type IIb': { typeIIa: 0, typeIb: 0, typeIIb: 1 },
  'type Ia, rich in nitrogen': { typeIIa: 0, typeIb: 0, typeIIb: 0, lnNitrogen: 1.3 },
  'rich in hydrogen': { lnHydrogen: 2.5 },
  'irradiated and heated': {},
  'much scatter and stray light': { nuisance: { ...nuisance, scatter: 6 * nuisance.scatter, leak: 6 * nuisance.leak } },
};

function kindOfStone(name: string, seed: number, stone: number): SimulatedStone {
  populations[name] ??= {
    name: `kind ${name}`,
    code: 'K',
    block: Number.POSITIVE_INFINITY,
    settings: () => ({ ...usual, ...KINDS[name] }),
  };
  const population = populations[name];
  if (stone === 0 && name === 'irradiated and heated') {
    // Centres at 1430, 1450 and 1480 cm^-1, made by radiation and heat.
    const { pocketMeans } = worldOf(population, seed, 0);
    for (let at = FIRST_MINOR; at < pocketMeans.length; at += TRAITS)
      for (const k of [1, 2, 4]) pocketMeans[at + k] += 3.5;
  }
  return simulateStone(population, seed, stone);
}
const populations: Record<string, Population> = {};

/** A material through some path, its bands moved, widened and made stronger or weaker; scatter, stray light and noise of a scan. */
function foreignSpectrum(name: string, seed: number, variant: number, paths: readonly [number, number]): Float32Array {
  const random = new Random(name, seed, variant, 'foreign');
  const own: Band[] = MATERIALS[name]?.map((band) => [...band]) ?? randomBands(random);
  const path = random.logBetween(...paths) * Math.exp(0.5 * random.normal());
  const [moved, wider] = [6 * random.normal(), Math.exp(0.2 * random.normal())];
  const varied = own.map(([at, deviation, height]) => [
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

const randomBands = (random: Random): Band[] =>
  Array.from({ length: 1 + random.below(7) }, () => [
    random.between(1500, 2800),
    random.logBetween(10, 150),
    Math.exp(0.6 * random.normal()),
  ]);

const PARTS = ['claims', 'kinds', 'materials', 'lots', 'lot-materials'] as const;
type Part = (typeof PARTS)[number];
const NAMES: Record<Part, string[]> = {
  claims: [...POPULATION_NAMES, 'shifted'],
  kinds: Object.keys(KINDS),
  materials: [...Object.keys(MATERIALS), RANDOM_BANDS],
  lots: [...MELEE_FAMILIES],
  'lot-materials': [...Object.keys(MATERIALS), RANDOM_BANDS],
};

/** Scans of what is looked at once: a side, a stone of a lot, or one spectrum. */
function* looked(part: Part, name: string, seed: number, number: number): Generator<Float32Array> {
  if (part === 'materials' || part === 'lot-materials') yield foreignSpectrum(name, seed, number, PATHS[part]);
  else if (part === 'lots')
    for (const [i, type] of (['shaken', 'table-up', 'culet-focus'] as const).entries()) {
      // Ten stones of a parcel, as each session has them twice.
      const parcel = parcelOf(name as (typeof MELEE_FAMILIES)[number], seed, 3 * Math.floor(number / 10) + i);
      for (const visit of ['enrol', 'return'] as const) yield spectraOf(parcel, number % 10, visit, type, LOT_SCANS);
    }
  else {
    const stone = part === 'kinds' ? kindOfStone(name, seed, number) : simulateNamed(name, seed, number);
    for (const side of ['rough', 'polish'] as const)
      yield prepareScans(stone[side].map(ascending), 'masked', side).spectra;
  }
}

const [part, seed, first, count, names] = process.argv.slice(2);
if (!PARTS.includes(part as Part)) throw new RangeError(`PART is one of ${PARTS.join(', ')}`);
const yardstick = part.startsWith('lot')
  ? shippedLotModel().preprocessing[0]
  : shippedModel().encoders[0].preprocessing;
for (const name of names?.split(',') ?? NAMES[part as Part]) {
  let [all, refused] = [0, 0];
  for (let number = Number(first); number < Number(first) + Number(count); number++)
    for (const spectra of looked(part as Part, name, Number(seed), number)) {
      all++;
      const scans = Array.from({ length: spectra.length / REFERENCE_POINTS }, () => ({
        wavenumbers: referenceAxis(),
        absorbance: new Float64Array(),
      }));
      try {
        refuseForeign({ scans, spectra, count: scans.length }, yardstick);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        refused++;
      }
    }
  process.stdout.write(`${name}, ${all} looked at, ${refused} refused, ${all - refused} taken\n`);
}
