import type { Gauges } from '#science/spectra/gauges/index';
import type { Side } from '#science/spectra/refusal';
import type { Sampling } from '#science/spectra/sampling';
import { parseAttack } from '../simulator/index.js';
import { drawHeldOut, HeldOutProgram } from './held-out-program.js';
import { drawInstrument, lineWidth } from './instruments.js';
import { OwnProgram } from './own-program.js';
import { gaugesOf } from './study.js';

/** Scans a side: what the intake protocol asks for at least. */
export const SCANS: Readonly<Record<Side, number>> = { rough: 3, polish: 1 };
export const SIDES = ['rough', 'polish'] as const satisfies readonly Side[];

/** Instruments are drawn by a seed, of one of two programs; the gauges were mended by the first alone. */
export interface Family {
  seed: number;
  heldOut: boolean;
}

/** Stones of one instrument, to be gauged; plain data, fit to be sent to a thread. */
export interface InstrumentRun extends Family {
  instrument: number;
  stones: number[];
  /** One of PHYSICS, which is taken away; of the first program alone. */
  without?: string;
  /** An attack by its name in the simulator. */
  attack?: string;
  /** `bridged` is gauged with one look, as before there were two. */
  sampling: Sampling;
}

export interface GaugedSide extends Gauges {
  instrument: number;
  stone: number;
  side: Side;
}

/** Gauges of both sides of each stone: a pure function of its argument. */
export function gaugeInstrument(run: InstrumentRun): GaugedSide[] {
  const { seed, heldOut, instrument, stones, without, sampling } = run;
  const program = heldOut ? new HeldOutProgram(seed, instrument) : new OwnProgram(seed, instrument, without);
  const attack = run.attack === undefined ? null : parseAttack(run.attack);
  return stones.flatMap((stone) =>
    SIDES.map((side) => {
      const measured = program.measure(stone, side, SCANS[side]);
      const id = `${instrument} ${stone} ${side}`;
      const scans = attack ? attack.apply({ id, rough: measured, polish: [] }).rough : measured;
      return { instrument, stone, side, ...gaugesOf({ side, scans, references: [] }, sampling) };
    }),
  );
}

/** What an instrument is like, by kind: the lines of the study's table. */
export function traitsOf({ seed, heldOut }: Family, index: number): Record<string, string> {
  return heldOut ? heldOutTraits(seed, index) : ownTraits(seed, index);
}

const between = (value: number, ends: readonly number[], unit: string): string => {
  const at = ends.findIndex((end) => value < end);
  if (at === 0) return `below ${ends[0]}${unit}`;
  return at < 0 ? `${ends.at(-1)}${unit} and more` : `${ends[at - 1]} to ${ends[at]}${unit}`;
};
const percent = (share: number) => (share === 0 ? 'none' : between(100 * Math.abs(share), [0.1, 0.2], '%'));

function ownTraits(seed: number, index: number): Record<string, string> {
  const drawn = drawInstrument(seed, index);
  return {
    'exported step': between(drawn.step, [1, 2, 4], ' cm^-1'),
    'line width': between(lineWidth(drawn), [4, 8, 12], ' cm^-1'),
    'zero filling': `${drawn.zeroFilling}`,
    apodisation: drawn.apodisation,
    phase: drawn.phase,
    interferogram: drawn.oneSided ? 'one-sided' : 'two-sided',
    detector: drawn.nonLinearity === 0 ? 'linear' : between(100 * Math.abs(drawn.nonLinearity), [0.5, 1.5], '%'),
    fringes: percent(drawn.fringes),
    'noise of an export': between(drawn.noise / Math.sqrt(drawn.averaged), [1e-4, 3e-4], ''),
    decimals: drawn.decimals === 0 ? 'binary' : `${drawn.decimals}`,
    'longest path': between(drawn.rough[1], [2, 5], ' mm'),
  };
}

function heldOutTraits(seed: number, index: number): Record<string, string> {
  const { spectrometer, family, decimals, zeroFilling, paths } = drawHeldOut(seed, index);
  const { resolution, apodisation, transform, nonLinearity = 0, fringes, noise } = spectrometer;
  return {
    stones: family,
    'exported step': between(15_798 / transform, [1, 2, 4], ' cm^-1'),
    'line width': between(resolution, [4, 8, 12], ' cm^-1'),
    'zero filling': `${zeroFilling}`,
    apodisation,
    detector: nonLinearity === 0 ? 'linear' : between(100 * Math.abs(nonLinearity), [0.5, 1.5], '%'),
    fringes: percent(fringes * Math.LN10),
    'noise of an export': between(noise, [1e-4, 3e-4], ''),
    decimals: decimals === 0 ? 'binary' : `${decimals}`,
    'longest path': between(paths[1], [2, 5], ' mm'),
  };
}
