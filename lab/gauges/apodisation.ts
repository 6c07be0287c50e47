/** Apodisations of the instruments that try the gauges: those of the simulator, and the weak and the strong form of Norton and Beer. */
import { WIDTH_TIMES_PATH, windowAt } from '../simulator/instrument.js';

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
  ...WIDTH_TIMES_PATH,
  'norton-beer weak': 0.72,
  'norton-beer medium': 0.845,
  'norton-beer strong': 0.97,
};

/** Weight of the path difference t, in units of the largest. */
export function weight(apodisation: Apodisation, t: number): number {
  const rest = 1 - t * t;
  switch (apodisation) {
    case 'norton-beer weak':
      return 0.384093 - 0.087577 * rest + 0.703484 * rest * rest;
    case 'norton-beer medium':
      return windowAt('norton-beer', t);
    case 'norton-beer strong':
      return 0.045335 + 0.554883 * rest * rest + 0.399782 * rest * rest * rest * rest;
    default:
      return windowAt(apodisation, t);
  }
}
