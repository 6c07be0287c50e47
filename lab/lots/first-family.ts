/** Melee of the first simulator: its stones, light and spectrometer, under a microscope. */

import type { Band } from '../simulator/absorption.js';
import { shapeAt } from '../simulator/bands.js';
import {
  absorptionAlong,
  asExported,
  drawState,
  inclusionsMet,
  SCAN_PART,
  type Typical,
  together,
  transmit,
} from '../simulator/beam.js';
import { exp } from '../simulator/exact-math.js';
import type { SimulatedScan } from '../simulator/index.js';
import { type Instrument, type InstrumentSettings, REFERENCE_SETTINGS } from '../simulator/instrument.js';
import {
  MINES,
  POPULATIONS,
  type Population,
  type PopulationSettings,
  randomised,
  type World,
  worldOf,
} from '../simulator/populations.js';
import { Random } from '../simulator/random.js';
import { drawShapes, type Shapes, shiftShapes } from '../simulator/shapes.js';
import { drawStone, GROSS_ZONING, type Stone, traitsAlong, ZONING_LENGTH } from '../simulator/stone.js';
import {
  DIFFICULTY,
  drawCentre,
  drawCut,
  drawLength,
  drawLying,
  LYING,
  type Parcel,
  placed,
  ROUGHS,
  roughOf,
} from './parcel.js';

/** A microscope's detector of mercury cadmium telluride stops at 660 cm^-1. */
const MICROSCOPE: InstrumentSettings = { ...REFERENCE_SETTINGS, cutOff: 660, rise: 14, best: 2000, rollOff: 2400 };
const STANDARD = POPULATIONS.calibration.settings(new Random('house'));
const SETTINGS: PopulationSettings = {
  ...STANDARD,
  instrument: MICROSCOPE,
  noise: 7e-4,
  shift: 0.5,
  typeIIa: 0.015,
  typeIb: 0.004,
  typeIIb: 0.001,
};

const named = (name: string, code: string, changes: Partial<PopulationSettings> = {}): Population => ({
  name: `melee ${name}`,
  code,
  block: Number.POSITIVE_INFINITY,
  settings: () => ({ ...SETTINGS, ...changes }),
});

/** Half of the parcels have the standard shapes and microscope, half have their own; all have mines of their own. */
const TRAINING: Population = {
  name: 'melee training',
  code: 'MT',
  block: 1,
  settings(random) {
    const drawn = randomised().settings(random);
    const plain = random.chance(0.5);
    return {
      ...drawn,
      ...(plain && { shapes: SETTINGS.shapes, curvature: 0 }),
      instrument: { ...drawn.instrument, cutOff: random.between(640, 680), rise: random.logBetween(10, 25) },
      noise: random.logBetween(4e-4, 1.3e-3),
      shift: random.logBetween(0.3, 0.8),
      zoning: plain ? SETTINGS.zoning : drawn.zoning,
      sharedZoning: plain ? 0 : drawn.sharedZoning,
      typeIIa: SETTINGS.typeIIa,
      typeIb: SETTINGS.typeIb,
      typeIIb: SETTINGS.typeIIb,
      shortCoverage: 0,
    };
  },
};

/** Parcels with a microscope, band shapes, mines, films and zoning of their own each, wider than those of training. */
const varied = (name: string, code: string, shapesOf: (random: Random) => Shapes): Population => ({
  name: `melee ${name}`,
  code,
  block: 1,
  settings(random) {
    const drawn = randomised().settings(random);
    return {
      ...drawn,
      shapes: shapesOf(random),
      curvature: 0.01 * random.normal(),
      instrument: { ...drawn.instrument, cutOff: random.between(620, 690), rise: random.logBetween(8, 35) },
      noise: random.logBetween(3e-4, 2e-3),
      shift: random.logBetween(0.2, 1.2),
      lnNitrogen: 0.6 * random.normal(),
      logitB: 0.8 * random.normal(),
      lnHydrogen: 0.7 * random.normal(),
      typeIIa: SETTINGS.typeIIa,
      typeIb: SETTINGS.typeIb,
      typeIIb: SETTINGS.typeIIb,
      shortCoverage: 0,
    };
  },
});

/** Populations of melee by family; no two share a mine. `shifted` is for choosing: nothing is fitted on it. */
const POPULATION = {
  training: TRAINING,
  wide: varied('wide', 'MW', (random) => drawShapes(random, random.logBetween(0.7, 2))),
  shifted: varied('shifted', 'MS', shiftShapes),
  calibration: named('calibration', 'MC'),
  test: named('test', 'MX'),
  newest: named('newest', 'MY', {
    instrument: {
      ...MICROSCOPE,
      first: 480,
      step: 7.72,
      points: 715,
      fwhm: 9,
      apodisation: 'norton-beer',
      descending: true,
      cutOff: 675,
      rollOff: 1900,
    },
    noise: 9e-4,
    lnNitrogen: 0.25,
    logitB: 0.3,
    lnHydrogen: -0.2,
  }),
} satisfies Record<string, Population>;
export type FirstMelee = keyof typeof POPULATION;
export const FIRST_MELEE = Object.keys(POPULATION) as FirstMelee[];

/** Families whose parcels are cut and lie in ways of their own. */
const LIES_OTHERWISE: readonly FirstMelee[] = ['wide', 'shifted'];

/** Melee scatters little; hands and tweezers leave some film. */
const MELEE: Typical = {
  level: 0.15,
  slope: 0.03,
  curve: 0.02,
  ripple: 0.01,
  scatter: 0.03,
  leak: 1e-3,
  hydrocarbon: 0.008,
  waterFilm: 0.006,
};
/** Ice on the cooled detector. */
const ICE = { position: 3230, width: 260, height: 0.008 };

export function firstParcel(family: FirstMelee, seed: number, parcel: number): Parcel {
  const population: Population = POPULATION[family];
  const random = (...purpose: (number | string)[]) => new Random(population.name, seed, parcel, ...purpose);
  const world = withMines(worldOf(population, seed, parcel), family === 'newest' ? [1, 2] : [3, 6], random('mines'));
  const lying = LIES_OTHERWISE.includes(family) ? drawLying(random('lying')) : LYING;
  const length = drawLength(lying, random('sieve'));
  const sessions = new Map<string, ReturnType<typeof openSession>>();
  const roughs = new Map<number, Stone>();
  const rough = (number: number) => {
    const known = roughs.get(number) ?? meleeRough(world, random('rough', number));
    roughs.set(number, known);
    return known;
  };
  const centreOf = (number: number) => {
    const first = drawCentre(lying, random('centre', roughOf(number)));
    return number < ROUGHS ? first : drawCentre(lying, random('twin', number), first);
  };
  return {
    scans(number, visit, type, count) {
      const key = `${visit} ${type}`;
      const session = sessions.get(key) ?? openSession(world, random('session', visit, type));
      sessions.set(key, session);
      const stone = rough(roughOf(number));
      const centre = centreOf(number);
      const glimpse = placed(
        lying,
        type,
        drawCut(lying, length, random('cut', number)),
        random('seat', number, visit, type),
      );
      const met = inclusionsMet(random('met', number, visit, type));
      return Array.from({ length: count }, (_, n): SimulatedScan => {
        const scan = random('scan', number, visit, type, n);
        const { lengths, shares, at, direction, stray, signal, scatter } = glimpse(scan);
        const { radius } = lying;
        const path = {
          middle: centre.map((v, k) => v + radius * at[k]),
          half: direction.map((v) => v * 0.5 * radius),
          blur: 0.35 * radius,
        };
        const inclusions = type === 'shaken' ? inclusionsMet(scan) : met;
        const alpha = absorptionAlong(stone, traitsAlong(stone, path), inclusions, world);
        const state = together(session.state, drawState(MELEE, world, SCAN_PART, scan));
        const seen = { ...state, leak: stray, scatter: scatter * state.scatter };
        const transmission = transmit(alpha, world, seen, { lengths, shares }, [
          { band: session.ice, height: session.frost * exp(0.2 * scan.normal()) },
        ]);
        const noise = session.noise / signal;
        const absorbance = world.instrument.measure(
          transmission,
          session.background,
          { noise, shift: state.shift },
          scan,
        );
        const { curvature } = world.settings;
        if (curvature !== 0) for (let i = 0; i < absorbance.length; i++) absorbance[i] *= 1 + curvature * absorbance[i];
        return asExported(world.instrument, absorbance, false);
      });
    },
  };
}

/** The values that all scans of a session share. */
function openSession(world: World, random: Random) {
  const state = drawState(MELEE, world, 1, random);
  const noise = world.settings.noise * exp(0.15 * random.normal());
  const background = world.instrument.background(0.5 * noise, random);
  return { state, noise, background, ice: iceOf(world.instrument), frost: ICE.height * Math.abs(random.normal()) };
}

function iceOf({ fineFirst, fineStep, finePoints }: Instrument): Band {
  const values = new Float64Array(finePoints);
  for (let i = 0; i < finePoints; i++) values[i] = shapeAt('g', (fineFirst + i * fineStep - ICE.position) / ICE.width);
  return { from: 0, values };
}

/** The world as a parcel of so many of its mines knows it. */
function withMines(world: World, [min, max]: readonly [number, number], random: Random): World {
  const chosen = new Set<number>();
  const count = min + random.below(max - min + 1);
  while (chosen.size < count) chosen.add(random.below(MINES));
  const shares = new Float64Array(MINES);
  let sum = 0;
  for (let mine = 0; mine < MINES; mine++) {
    if (chosen.has(mine)) sum += random.between(0.5, 1.5);
    shares[mine] = sum;
  }
  return { ...world, shares: shares.map((share) => share / sum) };
}

/** A rough as a stone of claims, but zoned as melee is taken to be, and never grossly. */
function meleeRough(world: World, random: Random): Stone {
  const stone = drawStone(world, random, DIFFICULTY.zoning);
  const calmer = stone.grosslyZoned ? 1 / GROSS_ZONING : 1;
  const closer = ZONING_LENGTH / DIFFICULTY.zoningLength;
  return {
    ...stone,
    grosslyZoned: false,
    amplitudes: stone.amplitudes.map((amplitude) => amplitude * calmer),
    waves: stone.waves.map((wave) => wave * closer),
  };
}
