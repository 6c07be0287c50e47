import { SERIES } from '#pictures';

/** One colour a population in every picture, distinct to the colour-blind too. */
const POPULATIONS = [
  'calibration',
  'client-a',
  'client-b',
  'client-c',
  'instrument-16',
  'low-noise-4',
  'second-plain',
  'second-scatter',
  'second-air',
];

export function colourOf(population: string): string {
  const colour = SERIES[POPULATIONS.indexOf(population)];
  if (colour === undefined) throw new Error(`no picture has a colour for the population ${population} yet`);
  return colour;
}
