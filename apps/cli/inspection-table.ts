/** What `mvs inspect` says of several files: a table that a laboratory keeps, and its counts. */
import type { Acquired } from '#science/spectra/reading';
import { printableName } from '#science/spectra/refusal';
import type { Range } from '#science/spectra/sampling';

/** One file as `--json` prints it; one that is refused or not used has a reason and no numbers. */
export interface Inspection {
  file: string;
  format: string | null;
  accepted: boolean;
  reason?: string;
  /** The stone reference in its name. */
  stone?: string;
  /** Beside scans, and holds none. */
  unused?: true;
  /** Of a file that is used: what a person should know of it. */
  notes?: string[];
  block?: string;
  points: number | null;
  first_wavenumber: number | null;
  last_wavenumber: number | null;
  min: number | null;
  max: number | null;
  /** Mean step of the axis, cm^-1. */
  step?: number;
  /** Stretches of the reference axis that it lacks, cm^-1. */
  missing?: Range[];
  /** What the file says of the measurement. */
  acquired?: Acquired;
  /** With what the service lets pass without a word; null where there is no such end. */
  gauges?: Record<'sharpness' | 'detail_residual' | 'locally_polynomial', { value: number; band: Band }>;
}
export type Band = [low: number | null, high: number | null];

const COLUMNS: [head: string, cell: (found: Inspection) => string | undefined][] = [
  ['file', ({ file }) => file],
  ['stone', ({ stone }) => stone],
  ['kind', ({ format }) => format ?? undefined],
  ['points', ({ points }) => points?.toString()],
  ['from', ({ first_wavenumber }) => rounded(first_wavenumber, 6)],
  ['to cm^-1', ({ last_wavenumber }) => rounded(last_wavenumber, 6)],
  ['step', ({ step }) => rounded(step, 4)],
  ['absorbance', ({ min, max }) => (min === null ? undefined : `${rounded(min, 3)} to ${rounded(max, 3)}`)],
  ['resolution', ({ acquired }) => acquired?.resolution?.toString()],
  ['name', ({ acquired }) => acquired?.name],
  ['date', ({ acquired }) => acquired?.date],
  ['instrument', ({ acquired }) => acquired?.instrument],
  ['apodisation', ({ acquired }) => acquired?.apodisation],
  ['result', resultOf],
];
/** Characters of a cell that are shown, but for the file and the result. */
const WIDEST = 24;

/** Lines of one width a column; a column that would be empty is left out. */
export function inspectionTable(all: readonly Inspection[]): string {
  const folder = sharedFolder(all.map(({ file }) => file));
  const found = all.map(({ file, reason, ...one }) => ({
    ...one,
    file: file.slice(folder.length),
    // The file stands in the first column.
    reason: reason?.startsWith(`${printableName(file)}: `) ? reason.slice(printableName(file).length + 2) : reason,
  }));
  const columns = COLUMNS.map(([head, cell]) => [
    head,
    ...found.map((one) => {
      const text = (cell(one) ?? '').replace(/\s+/g, ' ');
      return head === 'file' || head === 'result' || text.length <= WIDEST ? text : `${text.slice(0, WIDEST - 3)}...`;
    }),
  ]).filter(([, ...cells]) => cells.some((text) => text !== ''));
  const widths = columns.map((cells) => Math.max(...cells.map((text) => text.length)));
  const lines = columns[0].map((_, row) =>
    columns
      .map((cells, i) => cells[row].padEnd(widths[i]))
      .join('  ')
      .trimEnd(),
  );
  const head = folder === '' ? [] : [`files in ${folder}`, ''];
  return [...head, ...lines, '', countsOf(found)].join('\n');
}

/** The longest beginning of all paths that ends with a slash. */
function sharedFolder([first, ...others]: readonly string[]): string {
  let length = first.lastIndexOf('/') + 1;
  for (const other of others)
    while (length > 0 && !other.startsWith(first.slice(0, length))) length = first.lastIndexOf('/', length - 2) + 1;
  return first.slice(0, length);
}

function resultOf({ accepted, unused, reason = '', notes = [] }: Inspection): string {
  if (accepted) return ['used', ...notes].join('; ');
  return `${unused ? 'not used' : 'refused'}: ${reason}`;
}

function countsOf(found: readonly Inspection[]): string {
  const used = found.filter(({ accepted }) => accepted);
  const unused = found.filter((one) => one.unused).length;
  const kinds = [...new Set(used.map(({ format }) => format))].map(
    (kind) => `${used.filter(({ format }) => format === kind).length} ${kind}`,
  );
  const of = kinds.length === 0 ? '' : ` (${kinds.join(', ')})`;
  return `${found.length} files: ${used.length} used${of}, ${found.length - used.length - unused} refused, ${unused} not used`;
}

/** To so many digits that count. */
export const rounded = (value: number | null | undefined, digits: number): string | undefined =>
  value === null || value === undefined ? undefined : String(Number(value.toPrecision(digits)));
