import { cos, exp, expOfMinus, LN10, log, PI } from '../simulator/exact-math.js';
import type { SimulatedScan, SimulatedStone, SimulationOptions } from '../simulator/index.js';
import { Random } from '../simulator/random.js';
import { type FamilyPopulation, familyPopulation, type SecondFamilyName } from './populations.js';
import { POINTS, STEP } from './spectrometer.js';
import { drawStone, type Mixture, mixtureAlong, type Stone } from './stone.js';

/** Share of the records that name the wrong rough. */
const MISPAIRED = 0.01;
/** Scans of different sessions are numbered apart. */
const SCANS_A_SESSION = 1000;
/** Beyond these the single beam is dark, cm^-1. */
const DARK = [330, 7600];

/** One stone's scans: a pure function of its arguments, like the first simulator's. */
export function simulateSecondFamily(
  name: SecondFamilyName,
  seed: number,
  stone: number,
  options: SimulationOptions = {},
): SimulatedStone {
  const population = familyPopulation(name);
  const twin = options.lookAlike ?? 0;
  const session = options.session ?? 0;
  const random = (purpose: string, n = 0) => new Random('second family', name, seed, stone, twin, purpose, n);
  const draw = (source: Random, mate?: Stone) => drawStone(population.statistics, name, source, mate);
  const original = draw(new Random('second family', name, seed, stone, 0, 'stone', 0));
  const rough = twin === 0 ? original : draw(random('stone'), original);
  const record = random('record');
  const mispaired = record.chance(MISPAIRED);
  const polished = mispaired ? draw(random('other stone')) : rough;
  const measure = (side: 'rough' | 'polish', of: Stone, scans: number): SimulatedScan[] => {
    const state = new Side(population, side, of, random(`${side} session`, session), options.noise ?? 1);
    return Array.from({ length: scans }, (_, n) => state.scan(random(side, session * SCANS_A_SESSION + n)));
  };
  return {
    id: `${population.code}${seed}N${stone}${twin === 0 ? '' : `L${twin}`}`,
    population: name,
    mine: rough.deposit,
    pocket: rough.parcel,
    type: rough.type,
    mispaired,
    grosslyZoned: rough.grosslyZoned,
    rough: measure('rough', rough, options.roughScans ?? 6),
    polish: measure('polish', polished, options.polishScans ?? 1),
  };
}

/** A path through a stone: the share of light that takes it, its length in cm and the materials it meets. */
export interface Path {
  share: number;
  length: number;
  mixture: Mixture;
}

/** Adds exp(-alpha l) of one path. */
export function addPath(
  { tables, platelets: lines }: Pick<FamilyPopulation, 'tables' | 'platelets'>,
  transmission: Float64Array,
  { share, length, mixture: { bands, platelets } }: Path,
): void {
  const depth = new Float64Array(POINTS);
  const add = (table: Float64Array, height: number) => {
    const factor = height * length;
    for (let k = FROM; k < TO; k++) depth[k] += factor * table[k];
  };
  for (const [band, height] of bands) {
    const table = tables.get(band);
    if (table && height > 1e-6) add(table, height);
  }
  for (const [size, area] of platelets.entries()) if (area > 1e-6) add(lines[size], area);
  for (let k = FROM; k < TO; k++) transmission[k] += share * expOfMinus(depth[k]);
}

/** A stone on the stage: the values that its scans share. */
export class Side {
  private readonly session;
  private readonly scatter: number;
  private readonly power: number;
  private readonly oil: number;
  private readonly water: number;
  private readonly ripple: { period: number; phase: number; size: number };

  constructor(
    private readonly population: FamilyPopulation,
    private readonly side: 'rough' | 'polish',
    private readonly stone: Stone,
    random: Random,
    private readonly noise: number,
  ) {
    const { scatter, power, ripple } = population.optics;
    const [median, spread] = scatter[side];
    this.session = population.instrument.open(random, noise);
    this.scatter = median * exp(spread * random.normal());
    this.power = random.between(power[0], power[1]);
    this.ripple = {
      period: random.logBetween(900, 3500),
      phase: 2 * PI * random.uniform(),
      size: ripple * random.normal(),
    };
    this.oil = random.chance(0.4) ? 0.01 * exp(0.9 * random.normal()) : 0;
    this.water = random.chance(0.3) ? 0.006 * exp(0.9 * random.normal()) : 0;
  }

  /** Mounts the stone again and measures it once. */
  scan(random: Random): SimulatedScan {
    const { population, stone, side } = this;
    const transmission = new Float64Array(POINTS + 1);
    const paths: Path[] = [];
    if (side === 'rough') {
      const ball = { centre: [0, 0, 0], radius: 1 };
      const length = stone.thickness * exp(0.2 * random.normal());
      paths.push({ share: 1, length, mixture: mixtureAlong(stone, ball, 3, random) });
    } else {
      const length = stone.thickness * stone.polished.radius * exp(0.12 * random.normal());
      const [straight, twice] = [random.between(0.3, 0.8), random.between(1.5, 2.3)];
      const mixture = () => mixtureAlong(stone, stone.polished, 4, random);
      paths.push({ share: straight, length, mixture: mixture() });
      paths.push({ share: 0.8 * (1 - straight), length: twice * length, mixture: mixture() });
      paths.push({ share: 0.2 * (1 - straight), length: 3.2 * length, mixture: mixture() });
    }
    for (const path of paths) addPath(population, transmission, path);
    this.addSurface(transmission, random);
    return population.instrument.scan(transmission, this.session, random, this.noise);
  }

  /** Losses at the surfaces, films on them, scatter; and the light that passes by. */
  private addSurface(transmission: Float64Array, random: Random): void {
    const { tables, optics } = this.population;
    const stray = optics.stray[this.side === 'rough' ? 0 : 1] * random.uniform();
    const loss = this.side === 'rough' ? random.between(0.2, 0.9) : random.between(0.15, 0.6);
    const scatter = this.scatter * exp(0.15 * random.normal());
    const { period, phase, size } = this.ripple;
    const oil = tables.get('skinOil') as Float64Array;
    const water = tables.get('adsorbedWater') as Float64Array;
    for (let k = FROM; k < TO; k++) {
      const wavenumber = k * STEP;
      const slope = exp(this.power * log(wavenumber / 2500));
      const ripple = 1 + size * cos((2 * PI * wavenumber) / period + phase);
      const films = this.oil * oil[k] + this.water * water[k];
      const lost = loss + Math.min(scatter * slope, 2.2) * ripple + films;
      transmission[k] = transmission[k] * (1 - stray) * expOfMinus(LN10 * lost) + stray * expOfMinus(LN10 * loss);
    }
  }
}

export const FROM = Math.floor(DARK[0] / STEP);
export const TO = Math.ceil(DARK[1] / STEP);
