/** One scan file of whatever format. It knows no zip, no kernel and no Node, and runs in a browser too. */
import { limits as defaultLimits, type Limits } from '#config/limits';
import { isGalactic, readGalactic } from './galactic.js';
import { isJcamp, readJcamp } from './jcamp.js';
import { exportOf, extensionOf } from './names.js';
import { isOmnic, readOmnic } from './omnic.js';
import { isOpus, readOpus } from './opus.js';
import { isPerkinElmer, readPerkinElmer } from './perkin-elmer.js';
import { type FileReading, unreadable } from './reading.js';
import { printableName } from './refusal.js';
import { readText } from './text.js';
import { isZip } from './zip-size.js';

/** Reads one scan file that is no zip. Throws a Refusal that names it, the reason and the fix. */
export function readScanFile(name: string, data: Uint8Array, limits: Limits = defaultLimits): FileReading {
  if (isOpus(data)) return readOpus(name, data, limits);
  if (isZip(data)) throw unreadable(name, 'it is a zip archive', 'unpack it first');
  if (isJcamp(data)) return readJcamp(name, data, limits);
  if (isOmnic(data)) return readOmnic(name, data, limits);
  if (isPerkinElmer(data)) return readPerkinElmer(name, data, limits);
  if (isGalactic(data)) return readGalactic(name, data, limits);
  const other = exportOf(name);
  if (other) {
    const extension = printableName(extensionOf(name));
    throw unreadable(name, `.${extension} is not a supported extension: ${other.what}`, other.how);
  }
  return readText(name, data, limits);
}
