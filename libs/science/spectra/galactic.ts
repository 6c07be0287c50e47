import type { Limits } from '#config/limits';
import { latin1, textAt, viewOf } from './bytes.js';
import { checkedReading, checkUnprocessed, evenAxis, type FileReading, said, unreadable } from './reading.js';
import { printableName } from './refusal.js';

/*
 * Galactic SPC, as GRAMS and many instrument programs write it: a header of 512 bytes (of 256 in the older form), the
 * abscissas where they are not even, a header of 32 bytes for each trace, its ordinates, and a log of text. Layout: SPC.H of
 * the Galactic Universal Data Format Specification.
 */
const [NEW, NEW_BIG_ENDIAN, OLD] = [0x4b, 0x4c, 0x4d];
const [HEADER, OLD_HEADER, TRACE_HEADER] = [512, 224, 32];
/** Bits of the first byte: ordinates of 16 bits, several traces, axes named by text, abscissas by trace, abscissas. */
const [SHORT, MULTI, LABELLED, XYXY, XVALUES] = [1, 4, 0x20, 0x40, 0x80];
const FLOAT = -128;
const WAVENUMBER = 1;
const ABSORBANCE = 2;
const X_NAMES: Record<number, string> = {
  0: 'arbitrary units',
  2: 'micrometres',
  3: 'nanometres',
  4: 'seconds',
  13: 'a Raman shift',
  14: 'electronvolts',
  22: 'data points',
  255: 'an interferogram',
};
const Y_NAMES: Record<number, string> = {
  0: 'arbitrary units',
  1: 'an interferogram',
  3: 'Kubelka-Munk',
  4: 'counts',
  10: 'log(1/R)',
  11: 'per cent',
  12: 'intensity',
  13: 'relative intensity',
  14: 'energy',
  128: 'transmittance',
  129: 'reflectance',
  130: 'a single beam',
  131: 'emission',
};
/** Letters of the modification flag, bit 1 for A, that stand for what removes or changes detail. */
const MODIFIED: [letter: string, what: string][] = [
  ['B', 'baseline correction'],
  ['D', 'derivative'],
  ['E', 'resolution enhancement'],
  ['I', 'interpolation'],
  ['N', 'smoothing'],
  ['S', 'subtraction'],
  ['Z', 'removed features'],
];
const FIX = 'export the absorbance spectrum by itself over wavenumbers as SPC, or as two columns';

export const isGalactic = (bytes: Uint8Array): boolean =>
  [NEW, NEW_BIG_ENDIAN, OLD].includes(bytes[1]) &&
  bytes.length >= OLD_HEADER + TRACE_HEADER &&
  bytes.subarray(0, OLD_HEADER).includes(0);

/** Reads the one absorbance spectrum of an SPC file. Throws a Refusal that names the file. */
export function readGalactic(file: string, bytes: Uint8Array, limits: Limits): FileReading {
  const fail = (reason: string, fix = FIX): never => {
    throw unreadable(file, reason, fix);
  };
  const truncated = () => fail('it is truncated or inconsistent', 'send the file again whole');
  const view = viewOf(bytes);
  const flags = bytes[0];
  const isOld = bytes[1] === OLD;
  const little = bytes[1] !== NEW_BIG_ENDIAN;
  if (!isOld && bytes.length < HEADER + TRACE_HEADER) truncated();
  const [count, first, last] = isOld
    ? [view.getFloat32(4, true), view.getFloat32(8, true), view.getFloat32(12, true)]
    : [view.getUint32(4, little), view.getFloat64(8, little), view.getFloat64(16, little)];
  const traces = isOld ? 1 : view.getUint32(24, little);
  if (flags & (MULTI | XYXY) || traces > 1) fail('it holds several spectra, not one', 'export each spectrum by itself');
  const [xType, yType] = isOld ? [bytes[16], bytes[17]] : [bytes[28], bytes[29]];
  const labels = textLabels(bytes, isOld ? 194 : 218);
  const byText = (flags & LABELLED) !== 0;
  if (byText ? !/cm|wave\s*num/i.test(labels[0]) || /raman/i.test(labels[0]) : xType !== WAVENUMBER)
    fail(`its axis is ${byText ? printableName(labels[0]) : (X_NAMES[xType] ?? `of type ${xType}`)}, not wavenumbers`);
  if (byText ? !/^abs/i.test(labels[1]) : yType !== ABSORBANCE)
    fail(`its values are ${byText ? printableName(labels[1]) : (Y_NAMES[yType] ?? `of type ${yType}`)}, no absorbance`);
  const modified = isOld ? 0 : view.getUint32(252, little);
  for (const [letter, what] of MODIFIED)
    if ((modified >>> (letter.charCodeAt(0) - 64)) & 1)
      fail(`it says that it was modified (${letter}: ${what})`, 'send the absorbance as it was measured');
  const factor = isOld ? 1 : view.getFloat32(260, little);
  if (factor !== 0 && factor !== 1) fail('its values carry a concentration factor');
  if (!Number.isInteger(count) || count < 2 || count > limits.maxPoints)
    fail(`it says that it has ${count} points, more than ${limits.maxPoints} or none`);

  const hasX = !isOld && (flags & XVALUES) !== 0;
  const size = flags & SHORT ? 2 : 4;
  const trace = isOld ? OLD_HEADER : HEADER + (hasX ? 4 * count : 0);
  const data = trace + TRACE_HEADER;
  if (data + size * count > bytes.length) truncated();
  const own = view.getInt8(trace + 1);
  const exponent = own !== 0 ? own : isOld ? view.getInt16(2, true) : view.getInt8(3);
  const scale = 2 ** (exponent - 8 * size);
  const valueAt = (at: number): number => {
    if (size === 2) return scale * view.getInt16(at, little);
    if (isOld) return scale * (view.getInt16(at, true) * 65_536 + view.getUint16(at + 2, true));
    return exponent === FLOAT ? view.getFloat32(at, little) : scale * view.getInt32(at, little);
  };
  const y = Float64Array.from({ length: count }, (_, i) => valueAt(data + size * i));
  const x = hasX
    ? Float64Array.from({ length: count }, (_, i) => view.getFloat32(HEADER + 4 * i, little))
    : evenAxis(first, last, count);
  const log = isOld ? '' : logOf(bytes, view, little);
  checkUnprocessed(file, log);
  const resolution = Number.parseFloat(textAt(bytes, isOld ? 24 : 36, 8));
  const acquired = said({
    name: textAt(bytes, isOld ? 64 : 88, 130).trim(),
    instrument: isOld ? undefined : textAt(bytes, 45, 9).trim(),
    date: isOld ? undefined : dateOf(view.getUint32(32, little)),
    resolution: resolution > 0 ? resolution : undefined,
    apodisation: /apodi[sz]ation[^=:\r\n]*[=:]\s*([^\r\n]+)/i.exec(log)?.[1].trim(),
  });
  const choice = `the absorbance, ${isOld ? 'older ' : ''}SPC, ${hasX ? 'with its own axis' : 'evenly spaced'}`;
  return checkedReading({ file, format: 'spc', choice, acquired }, x, y, limits);
}

/** Names of the axes x and y: three texts in 30 bytes, each up to its NUL. */
const textLabels = (bytes: Uint8Array, at: number): string[] =>
  latin1(bytes.subarray(at, at + 30))
    .split('\0')
    .concat('', '');

function logOf(bytes: Uint8Array, view: DataView, little: boolean): string {
  const at = view.getUint32(248, little);
  if (at === 0 || at + 64 > bytes.length) return '';
  const [size, text] = [view.getUint32(at, little), view.getUint32(at + 8, little)];
  return textAt(bytes, at + text, Math.max(0, Math.min(size - text, 64 * 1024)));
}

/** Bits from the lowest: minutes 6, hour 5, day 5, month 4, year 12. */
function dateOf(bits: number): string | undefined {
  const part = (shift: number, count: number) => String((bits >>> shift) & (2 ** count - 1)).padStart(2, '0');
  return bits === 0 ? undefined : `${part(20, 12)}-${part(16, 4)}-${part(11, 5)} ${part(6, 5)}:${part(0, 6)}`;
}
