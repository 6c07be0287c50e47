/** Scan files that an operator drops into the page: they are read in the browser, and nothing is sent. */
import { limits } from '#config/limits';
import { compareSides, type Difference, onReferenceAxis } from '#science/spectra/compare';
import { Refusal } from '#science/spectra/refusal';
import { readScanFile } from '#science/spectra/scan-file';
import { sharedScans } from '#science/spectra/shared-scans';

export type Side = 'rough' | 'polish';

export type Scan = ReturnType<typeof readScanFile>['scan'];

export interface Scans {
  scans: Scan[];
  /** Of each file that is not drawn: its name, the reason and the fix. */
  refused: string[];
}

export const NO_SCANS: Scans = { scans: [], refused: [] };

export async function readScans(files: readonly File[]): Promise<Scans> {
  if (files.length > limits.fileScans)
    return { scans: [], refused: [`${files.length} files are too many: drop ${limits.fileScans} at most.`] };
  const found: Scans = { scans: [], refused: [] };
  let bytes = 0;
  for (const file of files) {
    bytes += file.size;
    if (bytes > limits.claimBytes) {
      found.refused.push(
        `${file.name}: the files are larger than a claim may be, ${limits.claimBytes >> 20} MiB; drop fewer`,
      );
      break;
    }
    try {
      found.scans.push(readScanFile(file.name, await bytesOf(file)).scan);
    } catch (error) {
      found.refused.push(error instanceof Error ? error.message : String(error));
    }
  }
  return found;
}

/** A folder is named among dropped files, and has no bytes. */
const bytesOf = async (file: File): Promise<Uint8Array> => {
  const content = await file.arrayBuffer().catch(() => undefined);
  if (content) return new Uint8Array(content);
  throw new Refusal('unparseable', {
    ...{ file: file.name, reason: 'the browser cannot read it' },
    fix: 'choose the file again, and of a folder the files in it',
  });
};

export interface Drawn {
  rough: Float64Array[];
  polish: Float64Array[];
  differences: Difference[];
  /** Scans of the rough that are scans of the polish too (`sharedScans`). */
  shared: number;
}

/** One side is drawn by itself until the other is there. A scan that a side holds twice is counted once. */
export function drawn(rough: Scans, polish: Scans): Drawn {
  const [a, b] = [rough.scans, polish.scans];
  const { differences, ...curves } = compareSides(a, b);
  return {
    ...curves,
    differences: a.length > 0 && b.length > 0 ? differences : [],
    shared: sharedScans(a.map(onReferenceAxis), b.map(onReferenceAxis)),
  };
}
