import bands = require('./bands.json');

import { expOfMinus, LN2 } from './exact-math.js';

/** [shape, position in cm^-1, full width at half maximum in cm^-1, height]; gauss or lorentz. */
export type Peak = readonly [shape: 'g' | 'l', position: number, width: number, height: number];

/** A band system: peaks inside limits where they matter, and an optional edge above which it ends. */
export interface Component {
  peaks: readonly Peak[];
  edge?: readonly [position: number, width: number];
  from?: number;
  to?: number;
}

// The compiler takes a tuple of a data file for a list.
const { components, nuisances }: Record<string, unknown> = bands;

/** The mean shapes of natural diamond's absorption, around which every world draws its own. */
export const COMPONENTS = components as Record<keyof typeof bands.components, Component>;

export type ComponentName = keyof typeof COMPONENTS | 'brown';
export const MINOR_CENTRES = [
  'centre3236',
  'centre1430',
  'centre1450',
  'centreAmber',
  'centre1480',
  'centreY',
  'centre3123',
  'centre1594',
] as const satisfies readonly ComponentName[];

/** Films and residual gases. */
export const NUISANCES = {
  waterVapour: { peaks: vapourLines() },
  ...(nuisances as Record<keyof typeof bands.nuisances, Component>),
};
export type NuisanceName = keyof typeof NUISANCES;

/** A regular stand-in for the rotational structure of water vapour around 1595 and 3756 cm^-1. */
function vapourLines(): Peak[] {
  const peaks: Peak[] = [];
  for (const [centre, strength] of [
    [1595, 1],
    [3756, 0.8],
  ] as const) {
    for (let line = -14; line <= 14; line++) {
      if (line === 0) continue;
      const envelope = (Math.abs(line) / 6) * expOfMinus((line * line) / 72 - 0.5);
      const spread = line % 3 === 0 ? 0.55 : line % 2 === 0 ? 1 : 0.75;
      peaks.push(['l', centre + line * 17.3 + (line % 5) * 3.1, 3.2, strength * envelope * spread]);
    }
  }
  return peaks;
}

/** A peak of height 1 and width 1 at a distance z from its middle. */
export function shapeAt(shape: 'g' | 'l', z: number): number {
  return shape === 'g' ? expOfMinus(4 * LN2 * z * z) : 1 / (1 + 4 * z * z);
}
