import { BadInput } from './errors.js';

/** Scans of one side as numbers: one axis in cm^-1, absorbances of each scan. */
export interface ScanNumbers {
  wavenumbers: ArrayLike<number>;
  spectra: readonly ArrayLike<number>[];
  stoneId?: string;
  /** Nothing else is read. */
  unit?: 'absorbance';
}

/** A scan file (OPUS .0, two-column text, JCAMP-DX, .spc, .spa, .sp) or a .zip of them: a File, a Blob with its name, or in Node a path. */
export type ScanFile = File | { blob: Blob; name: string } | string;

export type Side = ScanNumbers | readonly ScanFile[];

const isNumbers = (side: Side): side is ScanNumbers => 'wavenumbers' in side;

/** The body of a claim: JSON of two sides of numbers, a form of two sides of files. */
export async function claimBody(
  rough: Side,
  polish: Side,
  rejectTarget?: number,
  stoneIds?: { rough?: string; polish?: string },
): Promise<string | FormData> {
  if (isNumbers(rough) && isNumbers(polish)) {
    if (stoneIds) throw new BadInput('numbers have their stoneId beside them: stoneIds is of files');
    return JSON.stringify({ rough: plain(rough), polish: plain(polish), reject_target: rejectTarget });
  }
  if (isNumbers(rough) || isNumbers(polish)) throw new BadInput('send both sides as numbers, or both as files');
  const form = new FormData();
  await append(form, 'rough_files', rough);
  await append(form, 'polish_files', polish);
  if (rejectTarget !== undefined) form.append('reject_target', String(rejectTarget));
  for (const side of ['rough', 'polish'] as const)
    if (stoneIds?.[side] !== undefined) form.append(`${side}_stone_id`, stoneIds[side]);
  return form;
}

/** The form of a lot, or of what came back. */
export async function lotBody(
  files: readonly ScanFile[],
  fields: Record<string, string | undefined>,
): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value);
  await append(form, 'files', files);
  return form;
}

async function append(form: FormData, field: string, files: readonly ScanFile[]): Promise<void> {
  if (files.length === 0) throw new BadInput(`${field}: name at least one file`);
  for (const file of files) {
    const { blob, name } = await opened(file);
    form.append(field, blob, name);
  }
}

const plain = ({ wavenumbers, spectra, stoneId, unit }: ScanNumbers) => ({
  wavenumbers: finite(wavenumbers),
  spectra: spectra.map(finite),
  stone_id: stoneId,
  unit,
});

/** JSON has no NaN: sent as null, it would come back as another refusal than the one meant. */
function finite(values: ArrayLike<number>): number[] {
  const numbers = Array.from(values);
  const at = numbers.findIndex((value) => !Number.isFinite(value));
  if (at >= 0) throw new BadInput(`value ${at} is ${numbers[at]}: send finite numbers only`);
  return numbers;
}

async function opened(file: ScanFile): Promise<{ blob: Blob; name: string }> {
  if (typeof file === 'string') return fromPath(file);
  return 'blob' in file ? file : { blob: file, name: file.name };
}

interface NodeFiles {
  promises: { readFile(path: string): Promise<Uint8Array<ArrayBuffer>> };
}

/** Found at run time, so that a bundler for browsers has nothing to resolve. */
async function fromPath(path: string): Promise<{ blob: Blob; name: string }> {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  const files = process?.getBuiltinModule?.('node:fs') as NodeFiles | undefined;
  if (!files) throw new BadInput('a path can only be read in Node: give a File or { blob, name }');
  try {
    const bytes = await files.promises.readFile(path);
    return { blob: new Blob([bytes]), name: path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1) };
  } catch (error) {
    throw new BadInput(`${path} cannot be read: ${(error as Error).message}`);
  }
}
