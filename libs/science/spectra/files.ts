import { limits as defaultLimits, type Limits } from '#config/limits';
import { sameNumbers } from './axis.js';
import { extensionOf, referenceFromFileName, SCAN_FILES } from './names.js';
import { type FileReading, unreadable } from './reading.js';
import { printableName, Refusal, type Side } from './refusal.js';
import { isZip, readScanFile } from './scan-file.js';
import type { Scan, ScanSet } from './scan-set.js';
import { EMPTY, NO_NUMERIC_ROW } from './text.js';
import { type NamedFile, unpackZip, type ZipBudget, zipBudget } from './zip.js';

/** Ignored entries of a zip that a refusal names. */
const NAMED = 5;

/** The contents of one upload, a scan file or a zip of them: a reading or a Refusal for each. */
export async function inspectScanFile(
  name: string,
  data: Uint8Array,
  limits: Limits = defaultLimits,
): Promise<(FileReading | Refusal)[]> {
  const found: (FileReading | Refusal)[] = [];
  for await (const reading of readings({ name, data }, zipBudget(limits), limits)) found.push(reading);
  return found;
}

/** Pools all scans of a side's files. Throws the Refusal of the first file that cannot be read, on its side. */
export async function readScanFiles(side: Side, files: NamedFile[], limits: Limits = defaultLimits): Promise<ScanSet> {
  const scans = await readScans(files, limits, side);
  const references = new Set(scans.map(({ file }) => referenceFromFileName(file)));
  references.delete('');
  return { side, scans, references: [...references] };
}

/**
 * All scans of files, each with its own name. Throws the Refusal of the first file that cannot be read. Nothing touches a
 * disk.
 * @param side to blame
 */
export async function readScans(
  files: NamedFile[],
  limits: Limits = defaultLimits,
  side?: Side,
): Promise<(Scan & { file: string })[]> {
  const tooMany = () =>
    new Refusal('unparseable', { side, reason: `there are more than ${limits.fileScans} scans`, fix: 'send fewer' });
  if (files.length === 0) {
    throw new Refusal('unparseable', { side, reason: 'there is no scan file', fix: `send ${SCAN_FILES}` });
  }
  if (files.length > limits.fileScans) throw tooMany();
  const budget = zipBudget(limits);
  const scans: (Scan & { file: string })[] = [];
  for (const file of files) {
    for await (const reading of readings(file, budget, limits)) {
      if (reading instanceof Refusal) throw reading.on(side);
      if (scans.length === limits.fileScans) throw tooMany();
      const { scan } = reading;
      const before = scans.at(-1)?.wavenumbers;
      if (before && sameNumbers(before, scan.wavenumbers)) scan.wavenumbers = before;
      scans.push({ ...scan, file: reading.file });
    }
  }
  return scans;
}

async function* readings(file: NamedFile, budget: ZipBudget, limits: Limits): AsyncGenerator<FileReading | Refusal> {
  try {
    if (!isZip(file.data) && extensionOf(file.name) !== 'zip') {
      yield readScanFile(file.name, file.data, limits);
      return;
    }
    const ignored: string[] = [];
    let found = 0;
    for await (const entry of unpackZip(file, budget, ignored)) {
      try {
        const reading = readScanFile(entry.name, entry.data, limits);
        found++;
        yield reading;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (isReadMe(entry, error)) ignored.push(entry.name);
        else {
          found++;
          yield error;
        }
      }
    }
    if (found === 0) yield nothingIn(file.name, ignored);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    yield error;
  }
}

/** A text file without numbers beside the scans in a zip; by its extension a .dpt or .csv is a scan. */
const isReadMe = ({ name }: NamedFile, { reason }: Refusal) =>
  extensionOf(name) === 'txt' && (reason === NO_NUMERIC_ROW || reason === EMPTY);

function nothingIn(zip: string, ignored: string[]): Refusal {
  const names = ignored
    .slice(0, NAMED)
    .map((name) => printableName(name))
    .join(', ');
  const more = ignored.length > NAMED ? ` and ${ignored.length - NAMED} more` : '';
  const contents = ignored.length === 0 ? 'it is empty' : `it holds no scan file; ignored: ${names}${more}`;
  return unreadable(zip, contents, 'pack scan files into it');
}
