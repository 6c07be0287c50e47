import type { Limits } from '#config/limits';
import { extremes } from '#science/numerics/quantile';
import { faultOf } from './physical.js';
import { Refusal } from './refusal.js';
import type { Scan } from './scan-set.js';

/** As the file says it; a text is foreign. */
export interface Acquired {
  /** The sample's, or the spectrum's. */
  name?: string;
  instrument?: string;
  /** Date and time of day. */
  date?: string;
  /** Resolution setting, cm^-1. */
  resolution?: number;
  apodisation?: string;
}

/** Without what the file does not say. */
export const said = (acquired: Acquired): Acquired =>
  Object.fromEntries(Object.entries(acquired).filter(([, value]) => value !== undefined && value !== ''));

/** One scan as read from its file, with the reasons for the choices made. */
export interface FileReading {
  file: string;
  /** What the instrument wrote of itself and of the measurement; what it did not write is missing. */
  acquired?: Acquired;
  format: 'opus' | 'text' | 'jcamp-dx' | 'spc' | 'spa' | 'sp';
  /** The spectrum chosen in the file and the reason, in words. */
  choice: string;
  /** OPUS: the type of the block that was read, as 0x100f. */
  block?: string;
  points: number;
  /** In the file's own order, in cm^-1. */
  firstWavenumber: number;
  lastWavenumber: number;
  min: number;
  max: number;
  scan: Scan;
}

/**
 * A reading of finite numbers in the file's order; the arrays are taken over.
 * @throws Refusal: they are no absorbance over wavenumbers
 */
export function toReading(
  description: Pick<FileReading, 'file' | 'format' | 'choice' | 'block' | 'acquired'>,
  wavenumbers: Float64Array,
  absorbance: Float64Array,
): FileReading {
  const fault = faultOf(wavenumbers, absorbance);
  if (fault) throw unreadable(description.file, fault.reason, fault.fix);
  const points = wavenumbers.length;
  const [firstWavenumber, lastWavenumber] = [wavenumbers[0], wavenumbers[points - 1]];
  const [min, max] = extremes(absorbance);
  if (firstWavenumber > lastWavenumber) {
    wavenumbers.reverse();
    absorbance.reverse();
  }
  const scan = { wavenumbers, absorbance, file: description.file };
  return { ...description, points, firstWavenumber, lastWavenumber, min, max, scan };
}

/** So many evenly spaced wavenumbers. */
export const evenAxis = (first: number, last: number, count: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => first + (i * (last - first)) / (count - 1));

/**
 * The numbers of a format that says which quantities they are, checked. @throws Refusal
 */
export function checkedReading(
  description: Parameters<typeof toReading>[0],
  x: Float64Array,
  y: Float64Array,
  limits: Limits,
): FileReading {
  checkPoints(description.file, x, y, limits);
  return toReading(description, x, y);
}

export const unreadable = (file: string, reason: string, fix: string): Refusal =>
  new Refusal('unparseable', { file, reason, fix });

export const NON_FINITE_FIX = 'export the measured absorbance at every wavenumber';

/** For a format that holds numbers alone. @throws Refusal: one is not finite, or there are too few */
export function checkPoints(file: string, x: Float64Array, y: Float64Array, { minPoints }: Limits): void {
  if (!x.every(Number.isFinite) || !y.every(Number.isFinite))
    throw new Refusal('non_finite', { file, fix: NON_FINITE_FIX });
  if (x.length < minPoints)
    throw unreadable(file, `it has ${x.length} points, fewer than ${minPoints}`, 'send the whole scan');
}

/** Steps that remove or change what the verdict rests on, in the words of instrument programs. */
const PROCESSED =
  /smooth|savitzky|baseline\s*corr|deriv|de-?convol|interpolat|normali[sz]|kubelka|subtract|zap|fourier\s*filter|ATR\s*corr|straight\s*line/i;

/** For a format that keeps a history. @param history what was done to the spectrum @throws Refusal naming the step */
export function checkUnprocessed(file: string, history: string): void {
  const [step] = PROCESSED.exec(history) ?? [];
  if (step !== undefined)
    throw unreadable(
      file,
      `its history names a step of processing (${step})`,
      'send the absorbance as it was measured',
    );
}
