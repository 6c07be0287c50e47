import type { Side } from '#science/spectra/refusal';
import type { Scan } from '#science/spectra/scan-set';
import { type FamilyPopulation, familyPopulation, SECOND_FAMILY } from '../second-family/populations.js';
import { Side as Mounted } from '../second-family/simulate.js';
import { APODISATIONS, Spectrometer, type SpectrometerSettings } from '../second-family/spectrometer.js';
import { drawStone } from '../second-family/stone.js';
import { Random } from '../simulator/random.js';
import { ascending } from './study.js';

/** An instrument of the other program, its export and its stones' paths. */
export interface HeldOutInstrument {
  spectrometer: SpectrometerSettings;
  family: FamilyPopulation['name'];
  averaged: number;
  decimals: number;
  /** Path differences that the transform has room for, against those measured. */
  zeroFilling: number;
  /** Range of the paths through the rough, mm. */
  paths: [number, number];
  stray: number;
}

/** Wavenumber of the laser that samples interferograms, and the largest transform. */
const LASER = 15_798;
const LARGEST = 32_768;

export function drawHeldOut(seed: number, index: number): HeldOutInstrument {
  const random = new Random('held-out instrument', seed, index);
  const resolution = random.logBetween(2, 16);
  const zeroFilling = random.pick([1, 2, 4, 8]);
  let transform = 2048;
  while (transform < (2.1 * LASER) / resolution) transform *= 2;
  const averaged = 1 + random.below(16);
  const shortest = random.logBetween(0.3, 3);
  return {
    spectrometer: {
      resolution,
      apodisation: random.pick(APODISATIONS),
      transform: Math.min(LARGEST, transform * zeroFilling),
      range: [random.between(390, 480), random.between(6000, 7400)],
      descending: random.chance(0.5),
      noise: random.logBetween(1.5e-4, 1.5e-3) / Math.sqrt(averaged),
      flickerCorner: random.logBetween(200, 1600),
      bits: random.pick([18, 20, 22]),
      cutOff: [random.between(400, 620), random.between(20, 40)],
      nonLinearity: random.chance(0.5) ? random.between(-0.03, 0.03) : 0,
      source: random.between(1100, 1500),
      fringes: random.between(0, 1.3e-3),
      scale: random.between(5, 60),
      air: [random.logBetween(0.01, 0.2), random.logBetween(0.005, 0.1)],
      drift: random.between(0.004, 0.012),
    },
    family: random.pick(SECOND_FAMILY),
    averaged,
    decimals: random.pick([0, 3, 4, 5, 6]),
    zeroFilling,
    paths: [shortest, Math.min(8, shortest * random.between(1.5, 5))],
    stray: random.pick([0, 0.1, 1]),
  };
}

/** A laboratory of the second family's stones and spectrometer: another program than the one the gauges were mended by. */
export class HeldOutProgram {
  private readonly settings: HeldOutInstrument;
  private readonly population: FamilyPopulation;

  constructor(
    private readonly seed: number,
    private readonly index: number,
  ) {
    this.settings = drawHeldOut(seed, index);
    const { family, spectrometer, stray } = this.settings;
    const base = familyPopulation(family);
    const [rough, polish] = base.optics.stray;
    this.population = {
      ...base,
      optics: { ...base.optics, stray: [stray * rough, stray * polish] },
      instrument: new Spectrometer(spectrometer, new Random('held-out air', seed, index)),
    };
  }

  measure(number: number, side: Side, count: number): Scan[] {
    const { population, settings } = this;
    const random = (purpose: string, n = 0) => new Random('held-out', this.seed, this.index, number, purpose, n);
    const drawn = drawStone(population.statistics, population.name, random('stone'));
    // Paths are in cm, and a scan's differs from its stone's by a fifth.
    const stone = { ...drawn, thickness: 0.1 * random('path').logBetween(...settings.paths) };
    const mounted = new Mounted(population, side, stone, random(`${side} session`), 1);
    return Array.from({ length: count }, (_, n) => {
      const scan = ascending(mounted.scan(random(side, n)));
      const scale = 10 ** settings.decimals;
      const absorbance = scan.absorbance.map((v) => (settings.decimals > 0 ? Math.round(v * scale) / scale : v));
      return { ...scan, absorbance };
    });
  }
}
