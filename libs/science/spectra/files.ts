import { limits as defaultLimits, type Limits } from '#config/limits';
import { sameNumbers } from './axis.js';
import { extensionOf, isScanName, SCAN_FILES } from './names.js';
import { type FileReading, unreadable } from './reading.js';
import { printableName, Refusal, type Side, type Unused } from './refusal.js';
import { readScanFile } from './scan-file.js';
import type { Scan, ScanSet } from './scan-set.js';
import { stonesOf } from './stone-names.js';
import { EMPTY, NO_NUMERIC_ROW } from './text.js';
import { type Budget, budgetOf, type NamedFile, unpackZip } from './zip.js';
import { isZip } from './zip-size.js';

/** Entries of a zip without a scan that its refusal names. */
const NAMED = 5;

/** The contents of one upload, a scan file or a zip of them: a reading, a Refusal or the reason why it holds no scan. */
export async function inspectScanFile(
  name: string,
  data: Uint8Array,
  limits: Limits = defaultLimits,
): Promise<(FileReading | Refusal | Unused)[]> {
  const found: (FileReading | Refusal | Unused)[] = [];
  for await (const reading of readings({ name, data }, budgetOf(limits), limits)) found.push(reading);
  return found;
}

/**
 * Pools all scans of a side's files. Throws the Refusal of the first file that cannot be read, on its side.
 * @param budget of the request, which its other side may have used
 */
export async function readScanFiles(
  side: Side,
  files: NamedFile[],
  limits: Limits = defaultLimits,
  budget?: Budget,
): Promise<ScanSet> {
  const { scans, unused } = await readScans(files, limits, side, budget);
  const { rough: references } = stonesOf({ rough: scans.map(({ file }) => file), polish: [] });
  return { side, scans, references, unused };
}

/**
 * All scans of files, each with its own name, and what beside them holds none. Throws the Refusal of the first file that
 * cannot be read. Nothing touches a disk.
 * @param side to blame
 */
export async function readScans(
  files: NamedFile[],
  limits: Limits = defaultLimits,
  side?: Side,
  budget: Budget = budgetOf(limits),
): Promise<{ scans: (Scan & { file: string })[]; unused: Unused[] }> {
  const tooMany = (what: string) =>
    new Refusal('unparseable', { side, reason: `there are more than ${what}`, fix: 'send fewer' });
  if (files.length === 0) {
    throw new Refusal('unparseable', { side, reason: 'there is no scan file', fix: `send ${SCAN_FILES}` });
  }
  if (files.length > limits.fileScans) throw tooMany(`${limits.fileScans} scans`);
  budget.entries = limits.zipEntries;
  const scans: (Scan & { file: string })[] = [];
  const unused: Unused[] = [];
  for (const file of files) {
    for await (const reading of readings(file, budget, limits)) {
      budget.goOn();
      if (reading instanceof Refusal) throw reading.on(side);
      if (!('scan' in reading)) {
        unused.push(reading);
        continue;
      }
      if (scans.length === limits.fileScans) throw tooMany(`${limits.fileScans} scans`);
      const { scan } = reading;
      budget.points -= reading.points;
      if (budget.points < 0) throw tooMany(`${limits.requestPoints} points in the scans of this request`);
      const before = scans.at(-1)?.wavenumbers;
      if (before && sameNumbers(before, scan.wavenumbers)) scan.wavenumbers = before;
      scans.push({ ...scan, file: reading.file });
    }
  }
  return { scans, unused };
}

async function* readings(
  file: NamedFile,
  budget: Budget,
  limits: Limits,
): AsyncGenerator<FileReading | Refusal | Unused> {
  try {
    if (!isZip(file.data) && extensionOf(file.name) !== 'zip') {
      yield readScanFile(file.name, file.data, limits);
      return;
    }
    const passedOver: Unused[] = [];
    let found = 0;
    for await (const entry of unpackZip(file, budget)) {
      const reading = 'data' in entry ? readEntry(entry, limits) : entry;
      if (reading instanceof Refusal || 'scan' in reading) found++;
      else passedOver.push(reading);
      yield reading;
    }
    if (found === 0) yield nothingIn(file.name, passedOver);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    yield error;
  }
}

function readEntry({ name, data }: NamedFile, limits: Limits): FileReading | Refusal | Unused {
  try {
    return readScanFile(name, data, limits);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { reason } = error;
    return reason !== undefined && isNoScan(name, reason) ? { file: name, reason } : error;
  }
}

/** Text without numbers beside the scans; by their extensions a .dpt, .csv and others are scans. */
const isNoScan = (name: string, reason: string) =>
  (extensionOf(name) === 'txt' || !isScanName(name)) && (reason === NO_NUMERIC_ROW || reason === EMPTY);

function nothingIn(zip: string, passedOver: Unused[]): Refusal {
  const names = passedOver
    .slice(0, NAMED)
    .map(({ file }) => printableName(file.slice(zip.length + 1)))
    .join(', ');
  const more = passedOver.length > NAMED ? ` and ${passedOver.length - NAMED} more` : '';
  const contents = passedOver.length === 0 ? 'it is empty' : `it holds no scan file; passed over: ${names}${more}`;
  return unreadable(zip, contents, 'pack scan files into it');
}
