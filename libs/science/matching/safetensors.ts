import { LITTLE_ENDIAN } from '#science/numerics/little-endian';
/**
 * The safetensors format, as far as models need it: 8 bytes header length (little-endian), a JSON header
 * `{name: {dtype, shape, data_offsets}, __metadata__: {text: text}}`, then the tensors' bytes. Only F32 here.
 */
export interface Tensor {
  shape: number[];
  data: Float32Array;
}
export interface TensorFile {
  tensors: Map<string, Tensor>;
  metadata: Record<string, string>;
}

/** The file cannot be read as a model; the message is a whole sentence. */
export class ModelFileError extends Error {}

const HEADER_LIMIT = 1 << 20;
const METADATA = '__metadata__';

/** Between little-endian float32 and the machine's own. A start reads megabytes of them, and one by one they take most of it. */
const swapped = (bytes: Uint8Array): Uint8Array => (LITTLE_ENDIAN ? bytes : Buffer.from(bytes).swap32());

/** Canonical bytes: names in code-unit order, metadata likewise, tensors without gaps, header padded to 8 bytes. */
export function writeSafetensors({ tensors, metadata }: TensorFile): Uint8Array {
  const header: Record<string, unknown> = {
    [METADATA]: Object.fromEntries(Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
  const names = [...tensors.keys()].sort();
  let end = 0;
  for (const name of names) {
    const { shape, data } = tensors.get(name)!;
    header[name] = { dtype: 'F32', shape, data_offsets: [end, end + data.length * 4] };
    end += data.length * 4;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const start = 8 + Math.ceil(text.length / 8) * 8;
  const file = new Uint8Array(start + end).fill(0x20, 8, start);
  const view = new DataView(file.buffer);
  view.setBigUint64(0, BigInt(start - 8), true);
  file.set(text, 8);
  let at = start;
  for (const name of names) {
    const { data } = tensors.get(name)!;
    file.set(swapped(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)), at);
    at += data.byteLength;
  }
  return file;
}

/** Reads any bytes or throws ModelFileError; takes no more memory than the file has. */
export function readSafetensors(file: Uint8Array): TensorFile {
  const bytes = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < 8) throw new ModelFileError('The model file is shorter than a safetensors header.');
  const length = bytes.getBigUint64(0, true);
  if (length > HEADER_LIMIT || 8 + Number(length) > file.length) {
    throw new ModelFileError('The model file is cut off or no safetensors file: its header does not fit.');
  }
  const start = 8 + Number(length);
  const header = parseHeader(file.subarray(8, start));
  const tensors = new Map<string, Tensor>();
  const spans: [number, number][] = [];
  let metadata: Record<string, string> = {};
  for (const [name, entry] of Object.entries(header)) {
    if (name === METADATA) {
      metadata = readMetadata(entry);
      continue;
    }
    const { shape, from, to } = readEntry(name, entry, file.length - start);
    const data = new Float32Array((to - from) / 4);
    new Uint8Array(data.buffer).set(swapped(file.subarray(start + from, start + to)));
    tensors.set(name, { shape, data });
    spans.push([from, to]);
  }
  // Tensors cover the data exactly once, so that nothing hides between them and no byte is read twice.
  let end = 0;
  for (const [from, to] of spans.sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    if (from !== end) throw new ModelFileError('The model file has gaps or overlaps between its tensors.');
    end = to;
  }
  if (end !== file.length - start) throw new ModelFileError('The model file has bytes that belong to no tensor.');
  return { tensors, metadata };
}

function parseHeader(bytes: Uint8Array): Record<string, unknown> {
  try {
    const header: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (isObject(header)) return header;
  } catch {
    // reported below
  }
  throw new ModelFileError('The model file is no safetensors file: its header is not a JSON object.');
}

function readMetadata(entry: unknown): Record<string, string> {
  if (!isObject(entry) || !Object.values(entry).every((value) => typeof value === 'string')) {
    throw new ModelFileError('The metadata of the model file are not texts.');
  }
  return entry as Record<string, string>;
}

function readEntry(name: string, entry: unknown, limit: number): { shape: number[]; from: number; to: number } {
  const wrong = (why: string) => new ModelFileError(`Tensor ${JSON.stringify(name.slice(0, 80))} ${why}.`);
  if (!isObject(entry)) throw wrong('has no description');
  const { dtype, shape, data_offsets: offsets } = entry;
  if (dtype !== 'F32') throw wrong('is not of type F32');
  if (!isSizes(shape) || shape.length > 4) throw wrong('has no usable shape');
  if (!isSizes(offsets) || offsets.length !== 2) throw wrong('has no usable offsets');
  const [from, to] = offsets;
  const size = shape.reduce((product, side) => product * side, 4);
  if (from > to || to > limit || to - from !== size) throw wrong('does not fill its place in the file');
  return { shape, from, to };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isSizes = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((side) => Number.isSafeInteger(side) && side >= 0);
