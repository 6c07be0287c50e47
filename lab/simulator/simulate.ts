import { addPlatelet, type Band } from './absorption.js';
import { type ComponentName, MINOR_CENTRES } from './bands.js';
import { cos, exp, expOfMinus, LN10, PI, sin } from './exact-math.js';
import type { Instrument } from './instrument.js';
import {
  FIRST_MINOR,
  LN_HYDROGEN,
  LN_NITROGEN,
  LOGIT_B,
  type Nuisance,
  PLATELET_LOSS,
  type Population,
  type World,
  worldOf,
} from './populations.js';
import { Random } from './random.js';
import {
  type DiamondType,
  drawStone,
  minorCentre,
  plateletPosition,
  polishChord,
  roughChord,
  type Stone,
  traitsAlong,
} from './stone.js';

export interface SimulatedScan {
  /** As the instrument gives it: ascending or descending, cm^-1. */
  wavenumbers: Float64Array;
  absorbance: Float64Array;
}

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
  /** Scans a side; 6 and 1 unless told. The first scans stay the same whatever the number. */
  roughScans?: number;
  polishScans?: number;
  /** Factor on the population's zoning; 1 unless told. */
  zoning?: number;
  /** Factor on the noise; 0 gives analytic, noise-free traces. */
  noise?: number;
  /** A look-alike: another stone of the same pocket, numbered from 1. */
  lookAlike?: number;
  /** Another session with the same stone: mounted, aligned and measured anew. 0 unless told. */
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
  const zoning = options.zoning ?? 1;
  const world = worldOf(population, seed, stone);
  const twin = options.lookAlike ?? 0;
  const random = (purpose: string, n = 0) => new Random(population.name, seed, stone, twin, purpose, n);
  const original = drawStone(world, new Random(population.name, seed, stone, 0, 'stone', 0), zoning);
  const drawn = twin === 0 ? original : drawStone(world, random('stone'), zoning, original);
  const record = random('record');
  const mispaired = record.chance(0.015);
  const polished = mispaired ? drawStone(world, random('other stone'), zoning) : drawn;
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
  const among = Math.min(population.block, MOST_STONES);
  const other = start + ((stone - start + 1 + random.below(among - 1)) % among);
  return simulateStone(population, seed, other, options);
}
const MOST_STONES = 0x40000000;

/** What one scan shows besides the stone; a session's values are shared by its scans. */
interface ScanState extends Nuisance {
  shift: number;
  /** Phases of the base line's cosines. */
  phases: number[];
}

/** Rough surfaces scatter strongly, polished ones weakly; light passes beside a polished stone more easily. */
const SIDES = {
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
/** Share of a nuisance's spread that changes from scan to scan. */
const SCAN_PART = 0.4;

/** Cosines of a curved base line over the axis. */
const RIPPLES = 4;

function drawState(side: 'rough' | 'polish', world: World, part: number, random: Random): ScanState {
  const typical = SIDES[side];
  const { nuisance: k, shift } = world.settings;
  return {
    level: typical.level * part * k.level * Math.abs(random.normal()),
    slope: typical.slope * part * k.slope * random.normal(),
    curve: typical.curve * part * k.curve * random.normal(),
    ripple: typical.ripple * part * k.ripple * Math.abs(random.normal()),
    scatter: typical.scatter * part * k.scatter * random.uniform(),
    offset: 2.5e-4 * part * k.offset * random.normal(),
    leak: typical.leak * part * k.leak * exp(0.8 * random.normal()),
    waterVapour: 0.002 * part * k.waterVapour * random.normal(),
    carbonDioxide: 0.004 * part * k.carbonDioxide * random.normal(),
    hydrocarbon: typical.hydrocarbon * part * k.hydrocarbon * Math.abs(random.normal()),
    waterFilm: typical.waterFilm * part * k.waterFilm * Math.abs(random.normal()),
    shift: shift * part * random.normal(),
    phases: Array.from({ length: RIPPLES }, () => random.between(0, 2 * PI)),
  };
}

/** The session's state and the scan's own part together; the base line keeps the session's phases. */
function together(session: ScanState, scan: ScanState): ScanState {
  const sum = { ...session };
  for (const key of Object.keys(scan) as (keyof ScanState)[]) if (key !== 'phases') sum[key] += scan[key];
  return sum;
}

function scanSide(
  world: World,
  stone: Stone,
  side: 'rough' | 'polish',
  { count, noise: noiseFactor, session: number }: { count: number; noise: number; session: number },
  random: (purpose: string, n?: number) => Random,
): SimulatedScan[] {
  const { instrument, settings } = world;
  const session = random(`${side} session`, number);
  const shared = drawState(side, world, 1, session);
  const noise = settings.noise * exp(0.15 * session.normal()) * noiseFactor;
  const short = session.chance(settings.shortCoverage);
  const background = instrument.background(0.7 * noise, random(`${side} background`, number));
  const scans: SimulatedScan[] = [];
  for (let n = 1; n <= count; n++) {
    const scan = random(`${side} scan`, number * SCANS_A_SESSION + n);
    const own = together(shared, drawState(side, world, SCAN_PART, scan));
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

function asExported(instrument: Instrument, absorbance: Float64Array, short: boolean): SimulatedScan {
  let wavenumbers = instrument.axis;
  if (short) {
    const end = wavenumbers.findIndex((w) => w > 4000);
    wavenumbers = wavenumbers.subarray(0, end);
    absorbance = absorbance.slice(0, end);
  }
  return instrument.settings.descending
    ? { wavenumbers: wavenumbers.toReversed(), absorbance: absorbance.reverse() }
    : { wavenumbers: wavenumbers.slice(), absorbance };
}

/** Optical paths in cm and the shares of light that take them. */
type Light = { lengths: [number, number, number]; shares: [number, number, number] };

function light(side: 'rough' | 'polish', stone: Stone, reflections: number, random: Random): Light {
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

type Met = Record<keyof Stone['inclusions'], number>;

/** How much of the stone's inclusions the light meets: they sit here and there, not everywhere. */
function inclusionsMet(random: Random): Met {
  const share = () => exp(0.8 * random.normal());
  return { carbonDioxide: share(), carbonate: share(), fluidWater: share(), silicate: share() };
}

/** Absorption coefficient in cm^-1 (base e) on the instrument's fine grid; the buffer is overwritten by the next call. */
function absorptionAlong(stone: Stone, traits: Float64Array, met: Met, world: World): Float64Array {
  const { instrument } = world;
  const alpha = buffer('alpha', instrument.finePoints);
  const { components } = instrument.tables;
  alpha.fill(0);
  const add = (name: ComponentName, amount: number, shift = 0) => {
    if (amount > 1e-6) addBand(alpha, components[name], amount, Math.round(shift / instrument.fineStep));
  };
  const nitrogen = Math.max(0, exp(traits[LN_NITROGEN]) - stone.nitrogenC);
  const aggregated = 1 / (1 + exp(-traits[LOGIT_B]));
  const b = nitrogen * aggregated;
  const remaining = exp(Math.min(0, traits[PLATELET_LOSS]));
  add('lattice', 1);
  add('nitrogenA', (nitrogen - b) / 16.5);
  add('nitrogenB', b / 79.4);
  add('nitrogenC', stone.nitrogenC / 25);
  add('nitrogenX', stone.nitrogenX / 5.5);
  add('nitrogenD', 0.36 * (b / 79.4) * remaining);
  add('hydrogen', exp(traits[LN_HYDROGEN]));
  for (let k = 0; k < MINOR_CENTRES.length; k++) add(MINOR_CENTRES[k], minorCentre(traits[FIRST_MINOR + k]));
  for (const kind of ['carbonDioxide', 'carbonate', 'fluidWater', 'silicate'] as const)
    add(kind, stone.inclusions[kind].amount * met[kind], stone.inclusions[kind].shift);
  add('brown', stone.brown);
  add('boron', stone.boron);
  const grid = { first: instrument.fineFirst, step: instrument.fineStep };
  addPlatelet(alpha, grid, plateletPosition(traits), 64 * (b / 79.4) * remaining, world.settings.shapes.platelet);
  return alpha;
}

/** Adds a band, moved by whole grid points. */
function addBand(target: Float64Array, { from, values }: Band, amount: number, moved = 0): void {
  const start = from + moved;
  const end = Math.min(values.length, target.length - start);
  for (let i = Math.max(0, -start); i < end; i++) target[start + i] += amount * values[i];
}

/** T = [sum of shares x e^(-alpha length)] x 10^-E + leak + offset, on the fine grid. */
function transmit(alpha: Float64Array, world: World, state: ScanState, { lengths, shares }: Light) {
  const { instrument } = world;
  const { nuisances } = instrument.tables;
  const extra = buffer('extra', alpha.length);
  const scatter = instrument.scatter(world.settings.scatterPower);
  for (let i = 0; i < extra.length; i++) {
    const u = (instrument.fineFirst + i * instrument.fineStep) / 6000;
    extra[i] = state.level + (state.slope + state.curve * (u - 0.5)) * (u - 0.5) + state.scatter * scatter[i];
  }
  for (let k = 0; k < RIPPLES; k++) addCosine(extra, instrument, state.ripple / (k + 1), k + 1, state.phases[k]);
  addBand(extra, nuisances.waterVapour, state.waterVapour);
  addBand(extra, nuisances.gasCarbonDioxide, state.carbonDioxide);
  addBand(extra, nuisances.hydrocarbon, state.hydrocarbon);
  addBand(extra, nuisances.waterFilm, state.waterFilm);
  const transmission = buffer('transmission', alpha.length);
  const floor = state.leak + state.offset;
  for (let i = 0; i < alpha.length; i++) {
    const passed =
      shares[0] * expOfMinus(alpha[i] * lengths[0]) +
      shares[1] * expOfMinus(alpha[i] * lengths[1]) +
      shares[2] * expOfMinus(alpha[i] * lengths[2]);
    transmission[i] = passed * expOfMinus(LN10 * extra[i]) + floor;
  }
  return transmission;
}

/** Adds height cos(pi turns w / 6000 + phase), by turning a pointer from point to point. */
function addCosine(target: Float64Array, instrument: Instrument, height: number, turns: number, phase: number): void {
  const at = (wavenumber: number) => (PI * turns * wavenumber) / 6000;
  const stepRe = cos(at(instrument.fineStep));
  const stepIm = sin(at(instrument.fineStep));
  let re = height * cos(at(instrument.fineFirst) + phase);
  let im = height * sin(at(instrument.fineFirst) + phase);
  for (let i = 0; i < target.length; i++) {
    target[i] += re;
    const next = re * stepRe - im * stepIm;
    im = re * stepIm + im * stepRe;
    re = next;
  }
}

const buffers = new Map<string, Float64Array>();
function buffer(purpose: string, length: number): Float64Array {
  const key = `${purpose} ${length}`;
  const found = buffers.get(key) ?? new Float64Array(length);
  buffers.set(key, found);
  return found;
}
