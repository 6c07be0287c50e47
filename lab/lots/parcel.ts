/** Parcels of simulated melee, whichever simulator makes their stones. */
import type { SessionType } from '#science/lots/model';
import { cos, exp, log, PI, power, sin } from '../simulator/exact-math.js';
import type { Random, SimulatedScan } from '../simulator/index.js';

/** Roughs of a simulated parcel. The first TWINNED of them give a second stone each, cut elsewhere in the same rough. */
export const ROUGHS = 90;
const TWINNED = 60;
export const PARCEL_STONES = ROUGHS + TWINNED;

/** The stones of a parcel, numbered from 0: one of each rough, and behind them the twins of the first roughs. */
export interface Stock {
  roughs: number;
  twinned: number;
}
export const SIMULATED_STOCK: Stock = { roughs: ROUGHS, twinned: TWINNED };
/** Stones of which nobody knows that two come from one rough. */
export const stockOf = (stones: number): Stock => ({ roughs: stones, twinned: 0 });
export const stonesOf = ({ roughs, twinned }: Stock): number => roughs + twinned;

/** The rough that a stone was cut from. */
export const roughOf = (stone: number, { roughs }: Stock = SIMULATED_STOCK): number =>
  stone < roughs ? stone : stone - roughs;
/** The other stone of the same rough, or null. */
export const twinOf = (stone: number, { roughs, twinned }: Stock = SIMULATED_STOCK): number | null =>
  stone >= roughs ? stone - roughs : stone < twinned ? stone + roughs : null;

/** A lot is scanned twice: before it goes out, and when it returns. */
export type Visit = 'enrol' | 'return';

/**
 * One sieve size out of a few mines, seen on one microscope in one session before and one after. A pure function of
 * family, seed and number, as every stone of it.
 */
export interface Parcel {
  /** The first scans stay the same whatever their number. */
  scans(stone: number, visit: Visit, type: SessionType, count: number): SimulatedScan[];
}

/**
 * The difficulty of melee: a choice, not a finding (docs/decisions/calibration-difficulty.md). Lengths are in radii of the rough.
 */
export const DIFFICULTY = {
  /** Factor on the zoning of claims' stones, of which none is grossly zoned; and the length over which it changes. */
  zoning: 2.2,
  zoningLength: 0.7,
  /** Radius of a polished stone. */
  radius: 0.17,
  /** Largest distance from the middle of the light to the stone's, in stone radii: drawn for every scan, or session. */
  placement: { shaken: 0.9, 'table-up': 0.5, 'culet-focus': 0.75 },
} as const;

/** The positions of stones in the scans of a session of one type. */
interface Seat {
  /** Closeness of the shares of light to their means: the larger, the nearer. */
  mixing: number;
  /** Factor on the light that arrives. */
  signal: number;
  /** Ranges of the light that passes by, and of the factor on what scatters. */
  stray: readonly [number, number];
  scatter: readonly [number, number];
}

/** Cut and position of the stones of a parcel under the microscope. */
export interface Lying {
  /** Of a polished stone, in radii of the rough. */
  radius: number;
  /** Largest distance from the middle of the light to the stone's, in stone radii. */
  placement: Readonly<Record<SessionType, number>>;
  /** Range of the parcels' straight paths, mm. */
  straight: readonly [number, number];
  /** Light is reflected inside: paths in straight ones, and the mean shares of light. */
  paths: readonly number[];
  shares: readonly number[];
  seats: Readonly<Record<SessionType, Seat>>;
}

/** Of every family but `wide`, `shifted` and `third`. */
export const LYING: Lying = {
  radius: DIFFICULTY.radius,
  placement: DIFFICULTY.placement,
  straight: [0.6, 1.6],
  paths: [1, 1.7, 2.5, 3.6, 5.5],
  shares: [0.36, 0.28, 0.19, 0.11, 0.06],
  seats: {
    shaken: { mixing: 60, signal: 1, stray: [0.002, 0.015], scatter: [1, 1] },
    'table-up': { mixing: 300, signal: 1, stray: [0.002, 0.015], scatter: [1, 1] },
    'culet-focus': { mixing: 60, signal: 0.5, stray: [0.02, 0.08], scatter: [3, 5] },
  },
};

/** Stones that are cut and lie in another way, drawn for a parcel. */
export function drawLying(random: Random): Lying {
  const reflected = random.logBetween(0.6, 1.6);
  const bright = random.logBetween(0.5, 1.5);
  const leaky = random.logBetween(0.3, 4);
  const rough = random.logBetween(0.5, 2.5);
  const far = random.between(0.5, 1.2);
  const seat = ({ mixing, signal, stray, scatter }: Seat): Seat => ({
    mixing: mixing * random.logBetween(0.5, 2),
    signal: signal * bright,
    stray: [leaky * stray[0], leaky * stray[1]],
    scatter: [rough * scatter[0], rough * scatter[1]],
  });
  const { seats, placement } = LYING;
  return {
    radius: random.logBetween(0.12, 0.24),
    placement: {
      shaken: far * placement.shaken,
      'table-up': far * placement['table-up'],
      'culet-focus': far * placement['culet-focus'],
    },
    straight: [0.35, 2.6],
    paths: LYING.paths.map((path) => 1 + reflected * (path - 1)),
    shares: dirichlet(LYING.shares, 15, random),
    seats: {
      shaken: seat(seats.shaken),
      'table-up': seat(seats['table-up']),
      'culet-focus': seat(seats['culet-focus']),
    },
  };
}

/** A stone's effect on light, wherever it lies. */
export interface Cut {
  /** Straight path, cm. */
  length: number;
  /** Its own shares of light on the paths. */
  shares: number[];
  /** Unit vector. */
  axis: Float64Array;
}

/** The straight path of a parcel's stones, cm. */
export const drawLength = ({ straight: [shortest, longest] }: Lying, random: Random): number =>
  0.1 * random.logBetween(shortest, longest);

export function drawCut({ shares }: Lying, length: number, random: Random): Cut {
  return {
    length: length * exp(0.12 * random.normal()),
    shares: dirichlet(shares, 60, random),
    axis: unitVector(random),
  };
}

/** The light's path in one scan. */
export interface Glimpse {
  /** Paths in cm and the shares of light that take them. */
  lengths: number[];
  shares: number[];
  /** Middle of the light in stone radii from the stone's, and its direction. */
  at: Float64Array;
  direction: Float64Array;
  /** Light that passes by the stone, of the light through it. */
  stray: number;
  /** Factors on the light that arrives, and on what scatters. */
  signal: number;
  scatter: number;
}

/**
 * Position of a stone in a session: shaken melee lies in another way in every scan; a stone on its table, or with the focus
 * at its culet, is placed once, so that all scans of the session see one spot.
 * @param random of the stone in this session
 * @returns a function of a scan's random numbers: the light's path in that scan
 */
export function placed(
  { seats, placement, paths, shares: means }: Lying,
  type: SessionType,
  cut: Cut,
  random: Random,
): (scan: Random) => Glimpse {
  const { mixing, signal, stray, scatter } = seats[type];
  const spread = placement[type];
  const drawStray = random.between(stray[0], stray[1]);
  const drawScatter = random.between(scatter[0], scatter[1]);
  const common = { stray: drawStray, signal, scatter: drawScatter };
  const lengthsOf = (length: number) => paths.map((path) => path * length);
  if (type === 'shaken')
    return (scan) => ({
      ...common,
      lengths: lengthsOf(cut.length * exp(0.1 * scan.normal())),
      shares: dirichlet(means, mixing, scan),
      at: inBall(spread, scan),
      direction: unitVector(scan),
    });
  const shares = dirichlet(cut.shares, mixing, random);
  const length = cut.length * exp(0.03 * random.normal());
  const at = inBall(spread, random);
  const tilt = inBall(0.2, random);
  const direction = unit(cut.axis.map((v, k) => v + tilt[k]));
  return (scan) => {
    const aside = inBall(0.04, scan);
    return {
      ...common,
      lengths: lengthsOf(length * exp(0.01 * scan.normal())),
      shares,
      at: at.map((v, k) => v + aside[k]),
      direction,
    };
  };
}

/** Place in the rough (radius 1) where a stone was cut; a twin lies next to its sibling, not in it. */
export function drawCentre({ radius }: Lying, random: Random, sibling?: Float64Array): Float64Array {
  for (;;) {
    const centre = inBall(0.95 - radius, random);
    if (!sibling || distance(centre, sibling) >= 2 * radius) return centre;
  }
}

const distance = (a: Float64Array, b: Float64Array) =>
  Math.sqrt(a.reduce((sum, value, k) => sum + (value - b[k]) * (value - b[k]), 0));

export function inBall(radius: number, random: Random): Float64Array {
  for (;;) {
    const point = Float64Array.of(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1));
    if (distance(point, ORIGIN) < 1) return point.map((v) => v * radius);
  }
}
const ORIGIN = new Float64Array(3);

function unitVector(random: Random): Float64Array {
  const height = random.between(-1, 1);
  const angle = random.between(0, 2 * PI);
  const across = Math.sqrt(1 - height * height);
  return Float64Array.of(across * cos(angle), across * sin(angle), height);
}

function unit(vector: Float64Array): Float64Array {
  const length = distance(vector, ORIGIN);
  return vector.map((v) => v / length);
}

/** Shares that add up to 1, `mean` on average; the larger `concentration`, the nearer to it. */
function dirichlet(mean: readonly number[], concentration: number, random: Random): number[] {
  const parts = mean.map((share) => gamma(share * concentration, random));
  const sum = parts.reduce((total, part) => total + part, 0);
  return parts.map((part) => part / sum);
}

/** A number of the gamma distribution (Marsaglia and Tsang, ACM TOMS 26, 363). */
function gamma(shape: number, random: Random): number {
  if (shape < 1) return gamma(shape + 1, random) * power(random.uniform(), 1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = random.normal();
    const v = (1 + c * x) * (1 + c * x) * (1 + c * x);
    if (v > 0 && log(random.uniform()) < 0.5 * x * x + d - d * v + d * log(v)) return d * v;
  }
}
