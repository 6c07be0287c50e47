import { MINOR_CENTRES } from './bands.js';
import { exp, log, power } from './exact-math.js';
import { type Apodisation, Instrument, type InstrumentSettings, REFERENCE_SETTINGS } from './instrument.js';
import { Random } from './random.js';
import { drawShapes, MEAN_SHAPES, type Shapes, shiftShapes } from './shapes.js';

/** Named in models' cards and checkpoints: every figure of version 1 belongs to other stones. */
export const SIMULATOR_VERSION = 2;

/**
 * The difficulty, which is the variation inside a stone: standard deviation over its volume of a trait whose factor in
 * `ZONING` is 1 (0.45 of it for ln N). It is set so that the shipped model confirms as many claims of `calibration` as the
 * product's description states for its calibration population. That is a choice, not a finding: real stones may be easier
 * or harder (docs/decisions/calibration-difficulty.md).
 */
export const ZONING_AMPLITUDE = 0.64;
/** The middle of the worlds' amplitudes: the difficulty above is set after a training, and must not change its stones. */
const WORLDS_AMPLITUDE = 0.8;

/** Traits with a value at every point of a stone. The minor centres follow these. */
export const TRAITS = 5 + MINOR_CENTRES.length;
export const LN_NITROGEN = 0;
export const LOGIT_B = 1;
export const LN_HYDROGEN = 2;
export const PLATELET_LOSS = 3;
export const PLATELET_POSITION = 4;
export const FIRST_MINOR = 5;

/** Per trait: spread between mines, within a mine (half of the variance is the pocket's), and zoning per amplitude. */
const BETWEEN = Float64Array.of(0.7, 1.1, 0.7, 0.06, 0.5, ...MINOR_CENTRES.map(() => 0.87));
const WITHIN = Float64Array.of(0.45, 0.55, 0.54, 0.08, 0.6, ...MINOR_CENTRES.map(() => 0.5));
const ZONING = Float64Array.of(0.45, 0.7, 1.4, 0.3, 1.8, ...MINOR_CENTRES.map(() => 1.6));

/**
 * The difference between a population and `calibration`; every value is a factor on the values above, or a shift of them.
 */
export interface PopulationSettings {
  instrument: InstrumentSettings;
  /** Noise of one scan relative to peak throughput. */
  noise: number;
  /** Standard deviation of a session's wavenumber shift, cm^-1. */
  shift: number;
  /** Factors on baselines, films and residual gases of both sides. */
  nuisance: Nuisance;
  /** Exponent of scattering by the wavenumber. */
  scatterPower: number;
  /** Photometric error: absorbance A is reported as A (1 + curvature A). */
  curvature: number;
  shapes: Shapes;
  /** Variation inside a stone: a factor on ZONING per trait, and the share of it that one field gives to all traits. */
  zoning: Float64Array;
  sharedZoning: number;
  /** Shares of stones with inclusions. */
  inclusions: { carbonDioxide: number; carbonate: number; fluidWater: number; silicate: number };
  /** Ranges of the optical paths, mm, and a factor on the share of light that takes another path. */
  roughPath: readonly [number, number];
  polishPath: readonly [number, number];
  reflections: number;
  /** Shifts of the mean ln N, logit B and ln H. */
  lnNitrogen: number;
  logitB: number;
  lnHydrogen: number;
  /** Shares of types IIa, Ib and IIb; the rest is Ia. */
  typeIIa: number;
  typeIb: number;
  typeIIb: number;
  /** Exponent of Zipf's law for the mines' shares. */
  zipf: number;
  /** Share of sides whose axis stops at 4000 cm^-1. */
  shortCoverage: number;
}

/** Curved baseline, stray light, films and gases: a side's signal besides its stone. */
export interface Nuisance {
  level: number;
  slope: number;
  curve: number;
  ripple: number;
  scatter: number;
  offset: number;
  leak: number;
  waterVapour: number;
  carbonDioxide: number;
  hydrocarbon: number;
  waterFilm: number;
}
const NUISANCE_KINDS = [
  'level',
  'slope',
  'curve',
  'ripple',
  'scatter',
  'offset',
  'leak',
  'waterVapour',
  'carbonDioxide',
  'hydrocarbon',
  'waterFilm',
] as const satisfies readonly (keyof Nuisance)[];
export const nuisanceOf = (factor: (kind: keyof Nuisance) => number) =>
  Object.fromEntries(NUISANCE_KINDS.map((kind) => [kind, factor(kind)])) as Record<keyof Nuisance, number>;

export interface Population {
  readonly name: string;
  /** Head of every stone reference; letters only. */
  readonly code: string;
  /** Stones that share one draw of mines, instrument and mix; Infinity where the population has one for all. */
  readonly block: number;
  settings(random: Random): PopulationSettings;
}

const CALIBRATION: PopulationSettings = {
  instrument: REFERENCE_SETTINGS,
  noise: 3e-4,
  shift: 0.25,
  nuisance: nuisanceOf(() => 1),
  scatterPower: 2,
  curvature: 0,
  shapes: MEAN_SHAPES,
  zoning: ZONING.map((zoning) => zoning * ZONING_AMPLITUDE),
  sharedZoning: 0,
  inclusions: { carbonDioxide: 0.1, carbonate: 0.1, fluidWater: 0.15, silicate: 0.05 },
  roughPath: [2, 8],
  polishPath: [1, 4],
  reflections: 1,
  lnNitrogen: 0,
  logitB: 0,
  lnHydrogen: 0,
  typeIIa: 0.035,
  typeIb: 0.012,
  typeIIb: 0.002,
  zipf: 0.8,
  shortCoverage: 0,
};

/** Laser lines divide into spacings of 15798.0 / 2^n cm^-1. */
const spacing = (points: number) => 15798 / points;
const axisBetween = (low: number, high: number, step: number) => {
  const first = Math.ceil(low / step) * step;
  return { first, step, points: Math.floor((high - first) / step) + 1 };
};

const named = (name: string, code: string, changes: Partial<PopulationSettings>): Population => ({
  name,
  code,
  block: Number.POSITIVE_INFINITY,
  settings: () => ({ ...CALIBRATION, ...changes }),
});

/** Stones per world, which is a training's batch. More worlds of fewer stones taught more than fewer worlds of more. */
export const STONES_A_WORLD = 64;

/**
 * Worlds for training: each block of stones draws band shapes, mines, mix, instrument, nuisances, zoning and coverage
 * again.
 * @param block stones that share a draw
 */
export function randomised(block = STONES_A_WORLD): Population {
  if (!Number.isInteger(block) || block < 2) throw new RangeError('a block holds at least 2 stones');
  return { name: 'randomised', code: 'RAN', block, settings: randomSettings };
}

/** Worlds to judge by: like those for training, but for how their shapes differ from the mean ones. Never trained on. */
export function shifted(block = STONES_A_WORLD): Population {
  const settings = (random: Random) => ({ ...randomSettings(random), shapes: shiftShapes(random) });
  return { name: 'shifted', code: 'SHI', block, settings };
}
const SHIFTED = shifted();

function randomSettings(random: Random): PopulationSettings {
  const plain = random.chance(0.5);
  const kinds = nuisanceOf(() => exp(0.7 * random.normal()));
  const overall = random.logBetween(0.4, 1.6);
  // A third of the laboratories compensate no air, and a third have rough that scatters strongly.
  const air = random.chance(1 / 3) ? random.logBetween(2, 15) : 1;
  const scatter = random.chance(1 / 3) ? random.logBetween(1.5, 4) : 1;
  const zoning = plain ? 1 : random.logBetween(0.4, 1.5);
  return {
    instrument: randomInstrument(random),
    noise: random.logBetween(4e-5, 1e-3),
    shift: random.logBetween(0.1, 0.7),
    nuisance: {
      ...nuisanceOf((kind) => overall * kinds[kind]),
      waterVapour: overall * kinds.waterVapour * air,
      carbonDioxide: overall * kinds.carbonDioxide * air,
      scatter: overall * kinds.scatter * scatter,
    },
    scatterPower: random.between(1, 4),
    curvature: 0.005 * random.normal(),
    shapes: drawShapes(random),
    zoning: ZONING.map((trait) => trait * WORLDS_AMPLITUDE * zoning * (plain ? 1 : exp(0.5 * random.normal()))),
    sharedZoning: plain ? 0 : random.between(0, 0.98),
    inclusions: {
      carbonDioxide: random.logBetween(0.01, 0.3),
      carbonate: random.logBetween(0.02, 0.3),
      fluidWater: random.logBetween(0.02, 0.4),
      silicate: random.logBetween(0.01, 0.2),
    },
    roughPath: plain ? [2, 8] : pathRange(random, 1.2, 4),
    polishPath: plain ? [1, 4] : pathRange(random, 0.7, 2),
    reflections: plain ? 1 : random.between(0.2, 1.8),
    lnNitrogen: 0.35 * random.normal(),
    logitB: 0.5 * random.normal(),
    lnHydrogen: 0.4 * random.normal(),
    typeIIa: random.between(0.01, 0.08),
    typeIb: random.between(0, 0.03),
    typeIIb: random.between(0, 0.005),
    zipf: random.between(0.4, 1.2),
    shortCoverage: random.chance(0.5) ? 0.1 : 0,
  };
}

function pathRange(random: Random, low: number, high: number): [number, number] {
  const min = random.logBetween(low, high);
  return [min, min * random.between(1.5, 5)];
}

function randomInstrument(random: Random): InstrumentSettings {
  const kind = random.uniform();
  const fwhm =
    kind < 0.65 ? random.between(6.5, 10) : kind < 0.85 ? random.logBetween(10, 18) : random.logBetween(3.6, 6.5);
  const coarse = random.chance(0.6) ? random.between(7.6, 8.4) : spacing(2048);
  const step = fwhm < 6.5 ? spacing(random.chance(0.7) ? 4096 : 8192) : fwhm < 14 ? coarse : spacing(2048);
  const onReferenceAxis = fwhm >= 6.5 && random.chance(0.3);
  const axis = axisBetween(random.between(360, 490), random.between(5991, 7400), step);
  return {
    fwhm,
    apodisation: random.pick<Apodisation>(['boxcar', 'triangle', 'happ-genzel', 'norton-beer', 'blackman-harris']),
    ...(onReferenceAxis ? { first: REFERENCE_SETTINGS.first, step: REFERENCE_SETTINGS.step, points: 671 } : axis),
    descending: random.chance(0.5),
    cutOff: random.between(440, 620),
    rise: random.logBetween(14, 50),
    best: random.between(1500, 2600),
    rollOff: random.logBetween(900, 4000),
    floor: random.logBetween(0.01, 0.06),
  };
}

export const POPULATIONS = {
  calibration: named('calibration', 'CAL', {}),
  'client-a': named('client-a', 'CLA', {
    instrument: {
      ...REFERENCE_SETTINGS,
      ...axisBetween(400, 6000, spacing(2048)),
      apodisation: 'blackman-harris',
      descending: true,
    },
    noise: 4.5e-4,
    shift: 0.4,
    nuisance: nuisanceOf(() => 1.3),
    lnNitrogen: 0.25,
    logitB: 0.3,
    lnHydrogen: -0.2,
    typeIIa: 0.02,
    zipf: 1,
  }),
  'client-b': named('client-b', 'CLB', {
    instrument: {
      ...REFERENCE_SETTINGS,
      ...axisBetween(450, 6100, 8),
      apodisation: 'norton-beer',
      cutOff: 530,
      rollOff: 2400,
    },
    noise: 3.8e-4,
    shift: 0.5,
    nuisance: nuisanceOf(() => 1.5),
    lnNitrogen: -0.3,
    logitB: -0.4,
    lnHydrogen: 0.3,
    typeIIa: 0.06,
    typeIb: 0.025,
    zipf: 0.6,
  }),
  'client-c': named('client-c', 'CLC', {
    instrument: {
      ...REFERENCE_SETTINGS,
      ...axisBetween(350, 7500, 7.72),
      apodisation: 'triangle',
      descending: true,
      cutOff: 580,
      rollOff: 1800,
    },
    noise: 5e-4,
    shift: 0.35,
    nuisance: nuisanceOf(() => 1.2),
    lnNitrogen: 0.1,
    logitB: -0.1,
    lnHydrogen: 0.1,
    typeIIa: 0.04,
    zipf: 0.9,
  }),
  'instrument-16': named('instrument-16', 'LOW', {
    instrument: { ...REFERENCE_SETTINGS, ...axisBetween(400, 7000, spacing(2048)), fwhm: 16, descending: true },
  }),
  'low-noise-4': named('low-noise-4', 'FIN', {
    instrument: { ...REFERENCE_SETTINGS, ...axisBetween(400, 7000, spacing(8192)), fwhm: 4, descending: true },
    noise: 1.2e-4,
  }),
  randomised: randomised(),
} satisfies Record<string, Population>;
export type PopulationName = keyof typeof POPULATIONS;

/** @throws RangeError naming the populations there are */
export function populationNamed(name: string): Population {
  if (Object.hasOwn(POPULATIONS, name)) return POPULATIONS[name as PopulationName];
  if (name === SHIFTED.name) return SHIFTED;
  throw new RangeError(`there is no population "${name}"; there are ${Object.keys(POPULATIONS).join(', ')}`);
}

export const MINES = 40;
export const POCKETS = 8;

/** One draw of a population: its mines, their pockets and its instrument. */
export interface World {
  settings: PopulationSettings;
  instrument: Instrument;
  /** Running sum of the mines' shares, ending at 1. */
  shares: Float64Array;
  /** Mean of every trait of every pocket: MINES x POCKETS x TRAITS. */
  pocketMeans: Float64Array;
  /** Share of brown stones, a mine. */
  brown: Float64Array;
  /** Direction in which the shared zoning field moves each trait. */
  zoningSigns: Float64Array;
}

export const MEAN = Float64Array.of(log(300), -0.9, log(0.7), 0, 0, ...MINOR_CENTRES.map(() => 0));
const kept = new WeakMap<Population, Map<string, World>>();
const MAX_KEPT = 4;

/** The world that a stone belongs to. Pure; a population's last few are kept, as building one takes milliseconds. */
export function worldOf(population: Population, seed: number, stone: number): World {
  const index = Number.isFinite(population.block) ? Math.floor(stone / population.block) : -1;
  const key = index < 0 ? population.name : `${population.name}/${population.block}/${seed}/${index}`;
  const worlds = kept.get(population) ?? new Map<string, World>();
  kept.set(population, worlds);
  const known = worlds.get(key);
  if (known) return known;
  const world = createWorld(population, new Random('world', key));
  if (worlds.size >= MAX_KEPT) worlds.delete(worlds.keys().next().value as string);
  worlds.set(key, world);
  return world;
}

function createWorld(population: Population, random: Random): World {
  const settings = population.settings(random);
  const shares = new Float64Array(MINES);
  let sum = 0;
  for (let mine = 0; mine < MINES; mine++) {
    sum += 1 / power(mine + 1, settings.zipf);
    shares[mine] = sum;
  }
  for (let mine = 0; mine < MINES; mine++) shares[mine] /= sum;
  const pocketMeans = new Float64Array(MINES * POCKETS * TRAITS);
  const brown = new Float64Array(MINES);
  const shifts = Float64Array.from({ length: TRAITS }, () => 0);
  shifts[LN_NITROGEN] = settings.lnNitrogen;
  shifts[LOGIT_B] = settings.logitB;
  shifts[LN_HYDROGEN] = settings.lnHydrogen;
  const zoningSigns = Float64Array.from({ length: TRAITS }, () => (random.chance(0.5) ? 1 : -1));
  for (let mine = 0; mine < MINES; mine++) {
    const mineMeans = MEAN.map((mean, t) => mean + shifts[t] + BETWEEN[t] * random.normal());
    brown[mine] = 0.5 / (1 + exp(-random.normal()));
    for (let pocket = 0; pocket < POCKETS; pocket++) {
      const start = (mine * POCKETS + pocket) * TRAITS;
      for (let t = 0; t < TRAITS; t++) {
        pocketMeans[start + t] = mineMeans[t] + WITHIN[t] * Math.SQRT1_2 * random.normal();
      }
    }
  }
  return {
    settings,
    instrument: new Instrument(settings.instrument, settings.shapes),
    shares,
    pocketMeans,
    brown,
    zoningSigns,
  };
}

/** Spread of a trait among the stones of one pocket. */
export const WITHIN_POCKET = WITHIN.map((within) => within * Math.SQRT1_2);
