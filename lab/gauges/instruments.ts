import { Random } from '../simulator/random.js';
import { APODISATIONS, type Apodisation, WIDTHS } from './apodisation.js';

/** An honest laboratory's instrument, its export and its stones' paths, drawn at random. */
export interface HonestInstrument {
  /** Of the exported axis, cm^-1. */
  step: number;
  /** Points of the transform against those that the interferogram needs: 1 is none. */
  zeroFilling: number;
  apodisation: Apodisation;
  /** `power` is the magnitude of the complex spectrum; it cannot be negative. */
  phase: 'mertz' | 'forman' | 'power';
  /** Interferograms reach far to one side of the centreburst alone. */
  oneSided: boolean;
  /** Radians by which the phase correction is off. */
  phaseError: number;
  /** Standard deviation of one scan's noise, of the signal where the single beam peaks. */
  noise: number;
  /** Scans that are averaged for an export. */
  averaged: number;
  /** Below this wavenumber noise of 1/f outweighs the white one, cm^-1; 0 for none. */
  flicker: number;
  /** Bits of the converter, for a range that the centreburst fills. */
  bits: number;
  /** The detector reads I - k I^2 of an interferogram whose centreburst is 1. */
  nonLinearity: number;
  /** Amplitude of each of two fringes, of the transmission, and their periods, cm^-1. */
  fringes: number;
  periods: [number, number];
  /** Standard deviations of the air in the beam, as the second family's. */
  air: number;
  /** Decimals of the export; 0 where it is binary. */
  decimals: number;
  /** Largest absorbance that the program writes. */
  ceiling: number;
  /** Light that passes by the stone, against the simulator's. */
  leak: number;
  /** Ranges of the optical paths, mm. */
  rough: [number, number];
  polish: [number, number];
  range: [number, number];
  cutOff: number;
  rise: number;
  best: number;
  rollOff: number;
}

/** Broadest line, cm^-1: the class of instrument that the contract is for is 8. */
const BROADEST = 18;

/** Full width at half height of an instrument's lines, cm^-1. */
export const lineWidth = ({ step, zeroFilling, apodisation }: HonestInstrument): number =>
  2 * step * zeroFilling * WIDTHS[apodisation];

export function drawInstrument(seed: number, index: number): HonestInstrument {
  const random = new Random('honest instrument', seed, index);
  const optics = drawOptics(random);
  const shortest = random.logBetween(0.3, 3);
  const polish = random.logBetween(0.3, 1.5);
  const mct = random.chance(0.5);
  return {
    ...optics,
    phase: random.pick(['mertz', 'mertz', 'forman', 'power']),
    oneSided: random.chance(0.5),
    phaseError: 0.003 * random.normal(),
    noise: random.logBetween(1.5e-4, 1.5e-3),
    averaged: Math.floor(random.logBetween(1, 16.99)),
    flicker: random.chance(0.5) ? random.logBetween(200, 1600) : 0,
    bits: random.pick([16, 18, 20, 24]),
    nonLinearity: mct ? (random.chance(0.5) ? 1 : -1) * random.logBetween(1e-3, 3e-2) : 0,
    fringes: random.chance(0.25) ? 0 : random.between(0, 3e-3),
    periods: [random.logBetween(12, 60), random.logBetween(30, 250)],
    air: random.logBetween(0.01, 0.2),
    decimals: random.pick([0, 3, 4, 5, 6]),
    ceiling: random.pick([3, 3.7, 4.5, 6]),
    leak: random.pick([0, 0.1, 1]),
    rough: [shortest, Math.min(8, shortest * random.between(1.5, 5))],
    polish: [polish, Math.min(8, polish * random.between(1.5, 5))],
    range: [random.between(360, 490), random.between(5991, 7400)],
    cutOff: mct ? random.between(520, 660) : random.between(400, 480),
    rise: random.logBetween(14, 40),
    best: random.between(1500, 2600),
    rollOff: random.logBetween(1200, 3500),
  };
}

function drawOptics(random: Random): Pick<HonestInstrument, 'step' | 'zeroFilling' | 'apodisation'> {
  for (;;) {
    const step = random.logBetween(0.5, 10);
    const zeroFilling = random.pick([1, 2, 4, 8]);
    const apodisation = random.pick(APODISATIONS);
    if (2 * step * zeroFilling * WIDTHS[apodisation] <= BROADEST) return { step, zeroFilling, apodisation };
  }
}

/** Physics that can be taken away from an instrument, each alone. */
export const PHYSICS: Readonly<Record<string, (of: HonestInstrument) => Partial<HonestInstrument>>> = {
  'detector linear': () => ({ nonLinearity: 0 }),
  'no fringes': () => ({ fringes: 0 }),
  'no air': () => ({ air: 0 }),
  'all decimals': () => ({ decimals: 0 }),
  'single scans': () => ({ averaged: 1 }),
  'paths of 1 mm': () => ({ rough: [1, 1], polish: [1, 1] }),
  'perfect phase, two-sided': () => ({ phase: 'mertz', phaseError: 0, oneSided: false }),
  'Happ-Genzel': () => ({ apodisation: 'happ-genzel' }),
  'no zero filling': ({ step, zeroFilling }) => ({ step: Math.min(10, step * zeroFilling), zeroFilling: 1 }),
  'fine converter': () => ({ bits: 32 }),
  'white noise': () => ({ flicker: 0 }),
  'no largest absorbance': () => ({ ceiling: 12 }),
};
