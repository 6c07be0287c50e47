/** One colour a population in every picture, distinct to the colour-blind too. */
const POPULATION_COLOURS: Record<string, string> = {
  calibration: '#0072b2',
  'client-a': '#d55e00',
  'client-b': '#009e73',
  'client-c': '#cc79a7',
  'instrument-16': '#8c6d00',
  'low-noise-4': '#56b4e9',
  'second-plain': '#7a3e9d',
  'second-air': '#444444',
  'second-scatter': '#b22222',
};

export function colourOf(population: string): string {
  const colour = POPULATION_COLOURS[population];
  if (colour === undefined) throw new Error(`no picture has a colour for the population ${population} yet`);
  return colour;
}

/** Of lines that are no populations. */
export const OTHERS = [
  '#1f4e79',
  '#e08214',
  '#2ca25f',
  '#c51b7d',
  '#7f7f7f',
  '#6a51a3',
  '#a6761d',
  '#17becf',
  '#d62728',
  '#9acd32',
  '#000000',
  '#f4a6c0',
];
