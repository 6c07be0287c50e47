import {
  absorptionAlong,
  asExported,
  drawState,
  inclusionsMet,
  type Light,
  SCAN_PART,
  type SimulatedScan,
  together,
  transmit,
} from './beam.js';
import { exp } from './exact-math.js';
import { type Population, type World, worldOf } from './populations.js';
import { Random } from './random.js';
import { type DiamondType, drawStone, polishChord, roughChord, type Stone, traitsAlong } from './stone.js';

export interface SimulatedStone {
  /** Base code without a part, fit for file names. */
  id: string;
  population: string;
  mine: number;
  pocket: number;
  type: DiamondType;
  /** The record is wrong: the polish came out of another rough. */
  mispaired: boolean;
  grosslyZoned: boolean;
  rough: SimulatedScan[];
  polish: SimulatedScan[];
}

export interface SimulationOptions {
  /** Scans per side; 6 and 1 by default. The first scans stay the same whatever the number. */
  roughScans?: number;
  polishScans?: number;
  /** Factor on the noise; 0 gives analytic, noise-free traces. */
  noise?: number;
  /** A look-alike: another stone of the same pocket, numbered from 1. */
  lookAlike?: number;
  /** Another session with the same stone: mounted, aligned and measured again. 0 by default. */
  session?: number;
}

export const ROUGH_SCANS = 6;
export const POLISH_SCANS = 1;
/** Scans of different sessions are numbered apart. */
const SCANS_A_SESSION = 4096;

/**
 * One stone's scans: a pure function of its arguments, with the same bits on every machine. Stones are numbered from
 * 0; any one can be made alone. Another stone of the population is a random decoy; `lookAlike` gives near ones.
 */
export function simulateStone(
  population: Population,
  seed: number,
  stone: number,
  options: SimulationOptions = {},
): SimulatedStone {
  const world = worldOf(population, seed, stone);
  const twin = options.lookAlike ?? 0;
  const random = (purpose: string, n = 0) => new Random(population.name, seed, stone, twin, purpose, n);
  const original = drawStone(world, new Random(population.name, seed, stone, 0, 'stone', 0), 1);
  const drawn = twin === 0 ? original : drawStone(world, random('stone'), 1, original);
  const record = random('record');
  const mispaired = record.chance(0.015);
  const polished = mispaired ? drawStone(world, random('other stone'), 1) : drawn;
  const noise = options.noise ?? 1;
  const session = options.session ?? 0;
  return {
    id: `${population.code}${seed}N${stone}${twin === 0 ? '' : `L${twin}`}`,
    population: population.name,
    mine: drawn.mine,
    pocket: drawn.pocket,
    type: drawn.type,
    mispaired,
    grosslyZoned: drawn.grosslyZoned,
    rough: scanSide(world, drawn, 'rough', { count: options.roughScans ?? ROUGH_SCANS, noise, session }, random),
    polish: scanSide(world, polished, 'polish', { count: options.polishScans ?? POLISH_SCANS, noise, session }, random),
  };
}

/**
 * A random decoy: another stone that somebody might claim, from the same population.
 * @param n numbered from 1
 */
export function decoy(
  population: Population,
  seed: number,
  stone: number,
  n: number,
  options?: SimulationOptions,
): SimulatedStone {
  const random = new Random(population.name, seed, stone, 'decoy', n);
  const start = Number.isFinite(population.block) ? stone - (stone % population.block) : 0;
  const among = Math.min(population.block, MAX_STONES);
  const other = start + ((stone - start + 1 + random.below(among - 1)) % among);
  return simulateStone(population, seed, other, options);
}
const MAX_STONES = 0x40000000;

/** Typical nuisances. Rough surfaces scatter strongly, polished ones weakly; light passes around a polished stone more easily. */
export const SIDES = {
  rough: {
    level: 0.35,
    slope: 0.06,
    curve: 0.04,
    ripple: 0.02,
    scatter: 0.25,
    leak: 1.5e-3,
    hydrocarbon: 0.02,
    waterFilm: 0.02,
  },
  polish: {
    level: 0.1,
    slope: 0.02,
    curve: 0.012,
    ripple: 0.006,
    scatter: 0.03,
    leak: 3e-3,
    hydrocarbon: 0.008,
    waterFilm: 0.006,
  },
};

function scanSide(
  world: World,
  stone: Stone,
  side: 'rough' | 'polish',
  { count, noise: noiseFactor, session: number }: { count: number; noise: number; session: number },
  random: (purpose: string, n?: number) => Random,
): SimulatedScan[] {
  const { instrument, settings } = world;
  const session = random(`${side} session`, number);
  const shared = drawState(SIDES[side], world, 1, session);
  const noise = settings.noise * exp(0.15 * session.normal()) * noiseFactor;
  const short = session.chance(settings.shortCoverage);
  const background = instrument.background(0.7 * noise, random(`${side} background`, number));
  const scans: SimulatedScan[] = [];
  for (let n = 1; n <= count; n++) {
    const scan = random(`${side} scan`, number * SCANS_A_SESSION + n);
    const own = together(shared, drawState(SIDES[side], world, SCAN_PART, scan));
    const path = side === 'rough' ? roughChord(scan) : polishChord(stone, scan);
    const alpha = absorptionAlong(stone, traitsAlong(stone, path), inclusionsMet(scan), world);
    const transmission = transmit(alpha, world, own, light(side, stone, settings.reflections, scan));
    const absorbance = instrument.measure(transmission, background, { noise, shift: own.shift }, scan);
    if (settings.curvature !== 0)
      for (let i = 0; i < absorbance.length; i++) absorbance[i] *= 1 + settings.curvature * absorbance[i];
    scans.push(asExported(instrument, absorbance, short));
  }
  return scans;
}

export function light(side: 'rough' | 'polish', stone: Stone, reflections: number, random: Random): Light {
  if (side === 'rough') {
    const length = 0.1 * stone.roughPath * exp(0.12 * random.normal());
    const second = reflections * random.between(0.1, 0.3);
    const third = reflections * random.between(0.1, 0.3);
    return {
      lengths: [length, length * random.between(0.75, 0.95), length * random.between(1.05, 1.35)],
      shares: [1 - second - third, second, third],
    };
  }
  const length = 0.1 * stone.polishPath * exp(0.05 * random.normal());
  const second = reflections * random.between(0.1, 0.35);
  const third = reflections * random.between(0.03, 0.18);
  return {
    lengths: [length, length * random.between(1.6, 2.4), length * random.between(2.6, 4)],
    shares: [1 - second - third, second, third],
  };
}
