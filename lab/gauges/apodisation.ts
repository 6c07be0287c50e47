import { cos, PI } from '../simulator/exact-math.js';

export const APODISATIONS = [
  'boxcar',
  'triangle',
  'happ-genzel',
  'norton-beer weak',
  'norton-beer medium',
  'norton-beer strong',
  'blackman-harris',
] as const;
export type Apodisation = (typeof APODISATIONS)[number];

/** Full width of the line at half height times the largest optical path difference. */
export const WIDTHS: Record<Apodisation, number> = {
  boxcar: 0.605,
  triangle: 0.886,
  'happ-genzel': 0.91,
  'norton-beer weak': 0.72,
  'norton-beer medium': 0.845,
  'norton-beer strong': 0.97,
  'blackman-harris': 1.15,
};

/** Weight of the path difference t, in units of the largest. */
export function weight(apodisation: Apodisation, t: number): number {
  const rest = 1 - t * t;
  switch (apodisation) {
    case 'boxcar':
      return 1;
    case 'triangle':
      return 1 - t;
    case 'happ-genzel':
      return 0.54 + 0.46 * cos(PI * t);
    case 'norton-beer weak':
      return 0.384093 - 0.087577 * rest + 0.703484 * rest * rest;
    case 'norton-beer medium':
      return 0.152442 - 0.136176 * rest + 0.983734 * rest * rest;
    case 'norton-beer strong':
      return 0.045335 + 0.554883 * rest * rest + 0.399782 * rest * rest * rest * rest;
    case 'blackman-harris':
      return 0.42323 + 0.49755 * cos(PI * t) + 0.07922 * cos(2 * PI * t);
  }
}
