/**
 * The colours of every picture, and how each looks where a reader prefers dark pages. Distinct to the colour-blind (after Okabe
 * and Ito), and by dash or word besides wherever two colours carry a meaning.
 */

export const INK = { paper: '#ffffff', text: '#1c1b1f', muted: '#555b65', axis: '#8a9099', grid: '#e1e4e8' } as const;

/** Series, in their order. */
export const SERIES = [
  '#0072b2',
  '#d55e00',
  '#009e73',
  '#cc79a7',
  '#8c6d00',
  '#56b4e9',
  '#7a3e9d',
  '#b22222',
  '#4d4d4d',
  '#17868f',
  '#a05195',
  '#6b8e23',
] as const;

export const GENUINE = SERIES[0];
export const WRONG = SERIES[1];

/** Outcomes: the ground and the line of each. */
export const GOOD = { fill: '#e3f1e6', line: '#2f7d46' } as const;
export const DOUBT = { fill: '#fff3d6', line: '#a86b00' } as const;
export const ASK = { fill: '#e8eefc', line: '#2456b3' } as const;
export const BAD = { fill: '#fbe4e1', line: '#b3261e' } as const;

/** Each colour on a dark ground. */
const DARK: Record<string, string> = {
  [INK.paper]: '#15171c',
  [INK.text]: '#ececf0',
  [INK.muted]: '#a9afba',
  [INK.axis]: '#7d8590',
  [INK.grid]: '#2b3038',
  '#0072b2': '#5ab4f0',
  '#d55e00': '#ff9447',
  '#009e73': '#3fd0a4',
  '#cc79a7': '#e8a5c8',
  '#8c6d00': '#d9b64a',
  '#56b4e9': '#9fd8ff',
  '#7a3e9d': '#c79be6',
  '#b22222': '#ff8a80',
  '#4d4d4d': '#bfc4cc',
  '#17868f': '#5fd3dd',
  '#a05195': '#dd8fd3',
  '#6b8e23': '#b4d65c',
  [GOOD.fill]: '#15301f',
  [GOOD.line]: '#7ed09a',
  [DOUBT.fill]: '#3a2c0a',
  [DOUBT.line]: '#f0bf5a',
  [ASK.fill]: '#172443',
  [ASK.line]: '#9cb8f5',
  [BAD.fill]: '#3d1714',
  [BAD.line]: '#ff9d94',
};

/** The same colour on a dark ground. */
export const onDark = (colour: string): string => DARK[colour] ?? colour;

/** Adds the colours for a dark page to a picture. A viewer that does not know such rules shows the light ones. */
export function inBothSchemes(svg: string): string {
  const rules = Object.entries(DARK)
    .filter(([light]) => svg.includes(light))
    .map(([light, dark]) => `[fill="${light}"]{fill:${dark}}[stroke="${light}"]{stroke:${dark}}`);
  return svg.replace(
    /<svg\b[^>]*>/,
    (head) => `${head}\n<style>@media (prefers-color-scheme:dark){${rules.join('')}}</style>`,
  );
}
