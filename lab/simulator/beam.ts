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
  type PopulationSettings,
} from './populations.js';
import type { Random } from './random.js';
import { minorCentre, plateletPosition, type Stone } from './stone.js';

/** The part of a world that light meets: a grid of wavenumbers with its bands, and the population's nuisances. */
export interface Grid {
  instrument: Pick<Instrument, 'fineFirst' | 'fineStep' | 'finePoints' | 'tables' | 'scatter'>;
  settings: Pick<PopulationSettings, 'nuisance' | 'shift' | 'scatterPower' | 'shapes'>;
}

export interface SimulatedScan {
  /** As the instrument gives it: ascending or descending, cm^-1. */
  wavenumbers: Float64Array;
  absorbance: Float64Array;
}

export const ascending = (scan: SimulatedScan): SimulatedScan =>
  scan.wavenumbers[0] < scan.wavenumbers[1]
    ? scan
    : { wavenumbers: scan.wavenumbers.toReversed(), absorbance: scan.absorbance.toReversed() };

/** A scan's signal besides the stone; a session's values are shared by its scans. */
export interface BeamState extends Nuisance {
  shift: number;
  /** Phases of the baseline's cosines. */
  phases: number[];
}

/** Share of a nuisance's spread that changes from scan to scan. */
export const SCAN_PART = 0.4;

/** Typical nuisances on one kind of stone. */
export type Typical = Pick<
  Nuisance,
  'level' | 'slope' | 'curve' | 'ripple' | 'scatter' | 'leak' | 'hydrocarbon' | 'waterFilm'
>;

/** Cosines of a curved baseline over the axis. */
const RIPPLES = 4;

/** @param part of the spread: 1 for a session, SCAN_PART for the share that varies from scan to scan */
export function drawState(typical: Typical, world: Grid, part: number, random: Random): BeamState {
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

/** The session's state and the scan's own part together; the baseline keeps the session's phases. */
export function together(session: BeamState, scan: BeamState): BeamState {
  const sum = { ...session };
  for (const key of Object.keys(scan) as (keyof BeamState)[]) if (key !== 'phases') sum[key] += scan[key];
  return sum;
}

/** Optical paths in cm and the shares of light that take them. */
export interface Light {
  lengths: number[];
  shares: number[];
}

export type Met = Record<keyof Stone['inclusions'], number>;

/** Share of the stone's inclusions that the light meets: they sit here and there, not everywhere. */
export function inclusionsMet(random: Random): Met {
  const share = () => exp(0.8 * random.normal());
  return { carbonDioxide: share(), carbonate: share(), fluidWater: share(), silicate: share() };
}

/** Absorption coefficient in cm^-1 (base e) on the instrument's fine grid; the buffer is overwritten by the next call. */
export function absorptionAlong(stone: Stone, traits: Float64Array, met: Met, world: Grid): Float64Array {
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

/** A band in the beam besides those of every instrument, and its height. */
export interface Film {
  band: Band;
  height: number;
}

/** T = [sum of shares x e^(-alpha length)] x 10^-E + leak + offset, on the fine grid; overwritten by the next call. */
export function transmit(
  alpha: Float64Array,
  world: Grid,
  state: BeamState,
  { lengths, shares }: Light,
  films: readonly Film[] = [],
): Float64Array {
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
  for (const { band, height } of films) addBand(extra, band, height);
  const transmission = buffer('transmission', alpha.length).fill(0);
  for (const [k, length] of lengths.entries()) {
    const share = shares[k];
    for (let i = 0; i < alpha.length; i++) transmission[i] += share * expOfMinus(alpha[i] * length);
  }
  const floor = state.leak + state.offset;
  for (let i = 0; i < alpha.length; i++) transmission[i] = transmission[i] * expOfMinus(LN10 * extra[i]) + floor;
  return transmission;
}

/** Adds height cos(pi turns w / 6000 + phase), by turning a pointer from point to point. */
function addCosine(
  target: Float64Array,
  instrument: Grid['instrument'],
  height: number,
  turns: number,
  phase: number,
): void {
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
/** On the instrument's axis; `short` where it stops at 4000 cm^-1. */
export function asExported(instrument: Instrument, absorbance: Float64Array, short: boolean): SimulatedScan {
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
