import { Refusal } from './refusal.js';
import type { Scan } from './scan-set.js';

/** One scan as read from its file, with the reasons for the choices made. */
export interface FileReading {
  file: string;
  format: 'opus' | 'text';
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
  description: Pick<FileReading, 'file' | 'format' | 'choice' | 'block'>,
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
