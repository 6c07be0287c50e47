import type { Limits } from '#config/limits';
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

/** A reading of numbers in the file's order, on a strictly rising or falling axis; the arrays are taken over. */
export function toReading(
  description: Pick<FileReading, 'file' | 'format' | 'choice' | 'block' | 'acquired'>,
  wavenumbers: Float64Array,
  absorbance: Float64Array,
): FileReading {
  const points = wavenumbers.length;
  const [firstWavenumber, lastWavenumber] = [wavenumbers[0], wavenumbers[points - 1]];
  let min = absorbance[0];
  let max = absorbance[0];
  for (let i = 1; i < points; i++) {
    if (absorbance[i] < min) min = absorbance[i];
    else if (absorbance[i] > max) max = absorbance[i];
  }
  if (firstWavenumber > lastWavenumber) {
    wavenumbers.reverse();
    absorbance.reverse();
  }
  const scan = { wavenumbers, absorbance, file: description.file };
  return { ...description, points, firstWavenumber, lastWavenumber, min, max, scan };
}

export const unreadable = (file: string, reason: string, fix: string): Refusal =>
  new Refusal('unparseable', { file, reason, fix });

export const NON_FINITE_FIX = 'export the measured absorbance at every wavenumber';
export const TO_ABSORBANCE = 'convert the spectrum to absorbance and export it again';
/** Absorbance beyond it says that the values are per cent. */
const PLAINLY_PER_CENT = 20;

/** For a format that holds numbers alone. @throws Refusal: one is not finite, or there are too few */
export function checkPoints(file: string, x: Float64Array, y: Float64Array, { minPoints }: Limits): void {
  if (!x.every(Number.isFinite) || !y.every(Number.isFinite))
    throw new Refusal('non_finite', { file, fix: NON_FINITE_FIX });
  if (x.length < minPoints)
    throw unreadable(file, `it has ${x.length} points, fewer than ${minPoints}`, 'send the whole scan');
}

/** For a format that holds its axis. @throws Refusal: it repeats, turns round, or counts points */
export function checkAxis(file: string, x: Float64Array, y: Float64Array, fix: string): void {
  const rising = x[1] > x[0];
  let counts = x[0] === 0;
  for (let i = 1; i < x.length; i++) {
    if (x[i] === x[i - 1]) throw unreadable(file, `a wavenumber repeats at data row ${i + 1}`, fix);
    if (x[i] > x[i - 1] !== rising) throw unreadable(file, `the wavenumbers turn round at data row ${i + 1}`, fix);
    counts &&= x[i] === i;
  }
  if (!counts) return;
  const mean = y.reduce((sum, value) => sum + value, 0) / y.length;
  const largest = y.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  throw unreadable(
    file,
    Math.abs(mean) < 0.1 * largest
      ? 'it is an interferogram: the first column counts points and the values are centred on zero'
      : 'the first column counts points from 0 where wavenumbers are needed',
    'process the measurement to an absorbance spectrum and export that over wavenumbers in cm^-1',
  );
}

/** For a format that does not name the unit of its values. @throws Refusal: they are no absorbance */
export function checkAbsorbance(file: string, y: Float64Array): void {
  const large = y.reduce((count, value) => count + Number(value > PLAINLY_PER_CENT), 0);
  if (2 * large > y.length) throw unreadable(file, 'its values are plainly per-cent transmittance', TO_ABSORBANCE);
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
