import type { Limits } from '#config/limits';
import { textAt, viewOf } from './bytes.js';
import { checkedReading, checkUnprocessed, evenAxis, type FileReading, said, unreadable } from './reading.js';

/*
 * Thermo OMNIC SPA: a title, a directory of entries of 16 bytes (kind, place and size of a block), a block that says what
 * the spectrum is, one of its float32 ordinates, and a text of its history. Little-endian. The layout is not published;
 * this is what open readers (SpectroChemPy among them) agree on.
 */
const MAGIC = 'Spectral Data File';
const TITLE = 30;
const DATE = 296;
const DIRECTORY = 304;
const ENTRY_BYTES = 16;
const MAX_ENTRIES = 128;
const [SPECTRUM, ORDINATES, HISTORY] = [2, 3, 27];
/** Entries that hold nothing end the directory. */
const ENDS = [0, 1];
/** Of a spectrum's block. */
const HEADER_BYTES = 56;
const [WAVENUMBERS, ABSORBANCE] = [1, 17];
const X_NAMES: Record<number, string> = { 2: 'data points', 3: 'nanometres', 4: 'micrometres', 32: 'a Raman shift' };
const Y_NAMES: Record<number, string> = {
  11: 'reflectance',
  12: 'log(1/R)',
  16: 'transmittance',
  20: 'Kubelka-Munk',
  22: 'an interferogram',
  26: 'photoacoustic',
  31: 'Raman intensity',
};
/** Seconds from 1899-12-31 to 1970-01-01. */
const EPOCH = 25_568 * 86_400;
const FIX = 'in OMNIC set the spectrum to absorbance over wavenumbers and save it as SPA, or as CSV text';

export const isOmnic = (bytes: Uint8Array): boolean => textAt(bytes, 0, MAGIC.length) === MAGIC;

/** Reads the absorbance spectrum of an SPA file. Throws a Refusal that names the file. */
export function readOmnic(file: string, bytes: Uint8Array, limits: Limits): FileReading {
  const fail = (reason: string, fix = FIX): never => {
    throw unreadable(file, reason, fix);
  };
  const view = viewOf(bytes);
  const blocks = new Map<number, { at: number; size: number }>();
  for (let i = 0, at = DIRECTORY; i < MAX_ENTRIES && at + ENTRY_BYTES <= bytes.length; i++, at += ENTRY_BYTES) {
    const kind = bytes[at];
    if (ENDS.includes(kind)) break;
    if (kind === ORDINATES && blocks.has(kind)) fail('it holds several spectra', 'save each spectrum by itself');
    blocks.set(kind, { at: view.getUint32(at + 2, true), size: view.getUint32(at + 6, true) });
  }
  const [header, ordinates] = [blocks.get(SPECTRUM), blocks.get(ORDINATES)];
  if (!header || !ordinates) return fail('it holds no spectrum, or is truncated');
  if (header.at + HEADER_BYTES > bytes.length || ordinates.at + ordinates.size > bytes.length)
    fail('it is truncated or inconsistent', 'send the file again whole');
  const [count, xUnit, yUnit] = [view.getUint32(header.at + 4, true), bytes[header.at + 8], bytes[header.at + 12]];
  if (xUnit !== WAVENUMBERS) fail(`its axis is ${X_NAMES[xUnit] ?? `of type ${xUnit}`}, not wavenumbers`);
  if (yUnit !== ABSORBANCE) fail(`its values are ${Y_NAMES[yUnit] ?? `of type ${yUnit}`}, no absorbance`);
  if (count < 2 || count > limits.maxPoints || 4 * count !== ordinates.size)
    fail(`it says that it has ${count} points, and has ${ordinates.size / 4}`, 'send the file again whole');
  const [first, last] = [view.getFloat32(header.at + 16, true), view.getFloat32(header.at + 20, true)];
  const y = Float64Array.from({ length: count }, (_, i) => view.getFloat32(ordinates.at + 4 * i, true));
  const history = textAt(bytes, blocks.get(HISTORY)?.at ?? bytes.length, 64 * 1024);
  checkUnprocessed(file, history);
  const found = (label: string) => new RegExp(`${label}[^:\\r\\n]*:\\s*([^\\r\\n]+)`, 'i').exec(history)?.[1].trim();
  const [seconds, resolution] = [view.getUint32(DATE, true), Number.parseFloat(found('resolution') ?? '')];
  const acquired = said({
    name: textAt(bytes, TITLE, 256).trim(),
    instrument: found('bench serial number'),
    date: seconds > EPOCH ? new Date((seconds - EPOCH) * 1000).toISOString().slice(0, 16).replace('T', ' ') : undefined,
    resolution: resolution > 0 ? resolution : undefined,
    apodisation: found('apodi[sz]ation'),
  });
  const description = { file, format: 'spa' as const, choice: 'the absorbance', acquired };
  return checkedReading(description, evenAxis(first, last, count), y, limits);
}
