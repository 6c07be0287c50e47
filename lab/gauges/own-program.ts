import type { Side } from '#science/spectra/refusal';
import type { Scan } from '#science/spectra/scan-set';
import { airTables, POINTS, STEP } from '../second-family/spectrometer.js';
import { absorptionTables } from '../simulator/absorption.js';
import {
  absorptionAlong,
  drawState,
  type Grid,
  inclusionsMet,
  SCAN_PART,
  together,
  transmit,
} from '../simulator/beam.js';
import { expOfMinus, power } from '../simulator/exact-math.js';
import { POPULATIONS, type World, worldOf } from '../simulator/populations.js';
import { Random } from '../simulator/random.js';
import { light, SIDES } from '../simulator/simulate.js';
import { drawStone, polishChord, roughChord, traitsAlong } from '../simulator/stone.js';
import { drawInstrument, type HonestInstrument, PHYSICS } from './instruments.js';
import { Interferometer } from './interferometer.js';

/** The stones' world, and its bands at multiples of STEP: made once, as they are the same for all instruments. */
interface Mine {
  world: World;
  tables: Grid['instrument']['tables'];
}
let mine: Mine | undefined;

function makeMine(): Mine {
  const world = worldOf(POPULATIONS.calibration, 0, 0);
  const wavenumbers = Float64Array.from({ length: POINTS }, (_, k) => k * STEP);
  return { world, tables: absorptionTables(wavenumbers, world.settings.shapes) };
}

const scatters = new Map<number, Float64Array>();
function scatter(exponent: number): Float64Array {
  let values = scatters.get(exponent);
  if (!values) {
    values = Float64Array.from({ length: POINTS }, (_, k) => power(Math.max(1, k * STEP) / 6000, exponent));
    scatters.set(exponent, values);
  }
  return values;
}

/** An honest laboratory: one instrument that measures stones of the first simulator. */
export class OwnProgram {
  private readonly interferometer: Interferometer;
  private readonly settings: HonestInstrument;
  private readonly air: ReturnType<typeof airTables>;
  private readonly world: World;
  private readonly grid: Grid;

  /** @param without one of PHYSICS, which is taken away */
  constructor(
    private readonly seed: number,
    private readonly index: number,
    without?: string,
  ) {
    const drawn = drawInstrument(seed, index);
    this.settings = without === undefined ? drawn : { ...drawn, ...PHYSICS[without](drawn) };
    this.interferometer = new Interferometer(this.settings);
    this.air = airTables(new Random('honest air', seed, index));
    mine ??= makeMine();
    const { world, tables } = mine;
    const { rough, polish, leak } = this.settings;
    const nuisance = { ...world.settings.nuisance, leak, waterVapour: 0, carbonDioxide: 0 };
    this.world = { ...world, settings: { ...world.settings, nuisance, roughPath: rough, polishPath: polish } };
    this.grid = {
      instrument: { fineFirst: 0, fineStep: STEP, finePoints: POINTS, tables, scatter },
      settings: this.world.settings,
    };
  }

  /** Scans of a side of a stone; the first ones stay the same whatever their number, and whatever is taken away. */
  measure(number: number, side: Side, count: number): Scan[] {
    const { interferometer, settings, world, grid, air } = this;
    const random = (purpose: string, n = 0) => new Random('honest', this.seed, this.index, number, purpose, n);
    const stone = drawStone(world, random('stone'), 1);
    const chance = random(`${side} session`);
    const shared = drawState(SIDES[side], grid, 1, chance);
    const vapour = [settings.air * chance.normal(), settings.air * chance.normal()];
    const session = interferometer.open({ noise: random(`${side} background`), state: chance });
    return Array.from({ length: count }, (_, n): Scan => {
      const state = random(`${side} scan`, n);
      const own = together(shared, drawState(SIDES[side], grid, SCAN_PART, state));
      const path = side === 'rough' ? roughChord(state) : polishChord(stone, state);
      const alpha = absorptionAlong(stone, traitsAlong(stone, path), inclusionsMet(state), grid);
      const transmission = transmit(alpha, grid, own, light(side, stone, 1, state));
      const water = vapour[0] + 0.5 * settings.air * state.normal();
      const dioxide = vapour[1] + 0.5 * settings.air * state.normal();
      for (let k = 0; k < POINTS; k++)
        transmission[k] *= expOfMinus(water * air.water[k] + dioxide * air.carbonDioxide[k]);
      const noise = random(`${side} noise`, n);
      return {
        wavenumbers: interferometer.wavenumbers,
        absorbance: interferometer.scan(transmission, session, { noise, state }),
      };
    });
  }
}
