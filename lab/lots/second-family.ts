/**
 * Melee of the second simulator: its stones of growth shells, its bands and its spectrometers, under a microscope. Nothing
 * of it is fitted, trained or chosen on. It shares with the first family what a parcel is and how stones lie
 * (parcel.ts): a model's figures on it say nothing about those.
 */

import { type FamilyPopulation, familyPopulation, SECOND_FAMILY } from '../second-family/populations.js';
import { addPath, FROM, TO } from '../second-family/simulate.js';
import { POINTS, type Session, Spectrometer, STEP } from '../second-family/spectrometer.js';
import { drawStone, mixtureAlong, type Stone } from '../second-family/stone.js';
import { cos, exp, expOfMinus, LN10, log, PI } from '../simulator/exact-math.js';
import type { SimulatedScan } from '../simulator/index.js';
import { Random } from '../simulator/random.js';
import { drawCentre, drawCut, drawLength, LYING, type Lying, type Parcel, placed, ROUGHS, roughOf } from './parcel.js';

/** Rays that each path through a stone is made of. */
const RAYS = 2;
/** Part of a stone's radius that light at one spot passes. */
const SPOT = 0.5;

/** Stones of growth shells, their bands and their spectrometer. */
export type GrownPopulation = Omit<FamilyPopulation, 'name' | 'code' | 'instrument'> & { name: string };

const microscopes = new Map<string, Spectrometer>();
/** The population's spectrometer with a detector of mercury cadmium telluride. */
function microscopeOf({ name, spectrometer }: GrownPopulation): Spectrometer {
  const made =
    microscopes.get(name) ??
    new Spectrometer(
      { ...spectrometer, cutOff: [660, spectrometer.cutOff[1] / 2], noise: 1.2 * spectrometer.noise },
      new Random(name, 'microscope air'),
    );
  microscopes.set(name, made);
  return made;
}

/** Parcels take turns among the three populations, each with its own bands, statistics and spectrometer. */
export const secondParcel = (seed: number, parcel: number): Parcel =>
  grownParcel(familyPopulation(SECOND_FAMILY[parcel % SECOND_FAMILY.length]), LYING, ['second melee', seed, parcel]);

/** @param of what its random numbers come from */
export function grownParcel(population: GrownPopulation, lying: Lying, of: (number | string)[]): Parcel {
  const microscope = microscopeOf(population);
  const random = (...purpose: (number | string)[]) => new Random(...of, ...purpose);
  const sieve = random('sieve');
  const length = drawLength(lying, sieve);
  const deposits = Array.from({ length: 3 + sieve.below(4) }, () => ({
    deposit: sieve.below(population.statistics.deposits),
    parcel: sieve.below(6),
  }));
  const sessions = new Map<string, MicroscopeSession>();
  const stoneOf = (number: number): Stone => {
    const own = random('stone', roughOf(number));
    return drawStone(population.statistics, population.name, own, own.pick(deposits));
  };
  const centreOf = (number: number) => {
    const first = drawCentre(lying, random('centre', roughOf(number)));
    return number < ROUGHS ? first : drawCentre(lying, random('twin', number), first);
  };
  return {
    scans(number, visit, type, count) {
      const key = `${visit} ${type}`;
      const session = sessions.get(key) ?? openSession(population, microscope, random('session', visit, type));
      sessions.set(key, session);
      const stone = stoneOf(number);
      const centre = centreOf(number);
      const glimpse = placed(
        lying,
        type,
        drawCut(lying, length, random('cut', number)),
        random('seat', number, visit, type),
      );
      return Array.from({ length: count }, (_, n): SimulatedScan => {
        const scan = random('scan', number, visit, type, n);
        const { lengths, shares, at, stray, signal, scatter } = glimpse(scan);
        const { radius } = lying;
        const spot = { centre: Array.from(centre, (v, k) => v + radius * at[k]), radius: SPOT * radius };
        // A stone that is placed once shows the same spot in every scan; another draw of rays would be another spot.
        const rays = type === 'shaken' ? scan : random('rays', number, visit, type);
        const mixture = mixtureAlong(stone, spot, RAYS, rays);
        const transmission = new Float64Array(POINTS + 1);
        for (const [k, path] of lengths.entries())
          addPath(population, transmission, { share: shares[k], length: path, mixture });
        addSurface(transmission, population, session, stray, scatter, scan);
        return microscope.scan(transmission, session.instrument, scan, 1 / signal);
      });
    },
  };
}

/** The values that all scans of a session share. */
interface MicroscopeSession {
  instrument: Session;
  scatter: number;
  power: number;
  ripple: { period: number; phase: number; size: number };
  ice: number;
}

function openSession({ optics }: GrownPopulation, microscope: Spectrometer, random: Random): MicroscopeSession {
  const [median, spread] = optics.scatter.polish;
  return {
    instrument: microscope.open(random, 1),
    scatter: median * exp(spread * random.normal()),
    power: random.between(optics.power[0], optics.power[1]),
    ripple: {
      period: random.logBetween(900, 3500),
      phase: 2 * PI * random.uniform(),
      size: optics.ripple * random.normal(),
    },
    ice: 0.01 * Math.abs(random.normal()),
  };
}

/** Losses at facets, ice and films, scatter; and the light that passes by. */
function addSurface(
  transmission: Float64Array,
  { tables }: GrownPopulation,
  session: MicroscopeSession,
  stray: number,
  scatter: number,
  random: Random,
): void {
  const oil = tables.get('skinOil') as Float64Array;
  const water = tables.get('adsorbedWater') as Float64Array;
  const [oils, waters] = [random, random].map((one) => 0.004 * Math.abs(one.normal()));
  const loss = random.between(0.15, 0.6);
  const scattered = scatter * session.scatter * exp(0.15 * random.normal());
  const { period, phase, size } = session.ripple;
  for (let k = FROM; k < TO; k++) {
    const wavenumber = k * STEP;
    const slope = exp(session.power * log(wavenumber / 2500));
    const ripple = 1 + size * cos((2 * PI * wavenumber) / period + phase);
    const away = (wavenumber - 3230) / 110;
    const films = oils * oil[k] + waters * water[k] + session.ice / (1 + away * away * away * away);
    const lost = loss + Math.min(scattered * slope, 2.2) * ripple + films;
    transmission[k] = transmission[k] * (1 - stray) * expOfMinus(LN10 * lost) + stray * expOfMinus(LN10 * loss);
  }
}
