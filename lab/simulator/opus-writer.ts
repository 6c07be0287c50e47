/** Writes Bruker OPUS files block by block: of simulated scans, and of every layout and corruption the tests need. */

export interface OpusBlock {
  type: number;
  bytes: Uint8Array;
  /** Directory entry where it is to differ from the truth. */
  words?: number;
  offset?: number;
}

/** Whole numbers are stored as i32 where the key is one of counts, all other numbers as f64. */
export type OpusParameters = Record<string, number | string>;
const COUNTS = new Set(['DPF', 'NPT', 'NSN']);

/** Block types: the absorbance, its status bit, the flag of the as-measured original. */
export const OPUS = { absorbance: 0x100f, status: 0x10, original: 0x40000000, directory: 0x3400 } as const;

/** A file of header, directory (its first entry unless `bare`) and blocks, each padded to whole words. */
export function opusFile(blocks: OpusBlock[], { bare = false } = {}): Uint8Array {
  const entries = bare ? blocks : [{ type: OPUS.directory, bytes: new Uint8Array(40 * 12) }, ...blocks];
  const directory = 24;
  const room = Math.max(40, entries.length) * 12;
  const padded = blocks.map(({ bytes }) => Math.ceil(bytes.length / 4) * 4);
  const file = Buffer.alloc(directory + room + padded.reduce((sum, length) => sum + length, 0));
  file.writeUInt32LE(0xfefe0a0a, 0);
  file.writeDoubleLE(920622, 4);
  file.writeInt32LE(directory, 12);
  file.writeInt32LE(room / 12, 16);
  file.writeInt32LE(entries.length, 20);
  let offset = directory + room;
  for (const [i, entry] of entries.entries()) {
    const isDirectory = !bare && i === 0;
    const at = directory + 12 * i;
    file.writeUInt32LE(entry.type, at);
    file.writeInt32LE(entry.words ?? Math.ceil(entry.bytes.length / 4), at + 4);
    file.writeInt32LE(isDirectory ? directory : (entry.offset ?? offset), at + 8);
    if (isDirectory) continue;
    file.set(entry.bytes, offset);
    offset += Math.ceil(entry.bytes.length / 4) * 4;
  }
  return new Uint8Array(file);
}

/** A parameter block: keys of three letters, ended by END. */
export function opusParameters(parameters: OpusParameters): Uint8Array {
  const parts = Object.entries(parameters).map(([key, value]) => {
    const text = typeof value === 'string';
    const size = text ? 2 * Math.ceil((value.length + 1) / 2) : COUNTS.has(key) ? 4 : 8;
    const part = Buffer.alloc(8 + size);
    part.write(key, 0, 'latin1');
    part.writeUInt16LE(text ? 2 : Number(!COUNTS.has(key)), 4);
    part.writeUInt16LE(size / 2, 6);
    if (text) part.write(value, 8, 'latin1');
    else if (COUNTS.has(key)) part.writeInt32LE(value, 8);
    else part.writeDoubleLE(value, 8);
    return part;
  });
  return new Uint8Array(Buffer.concat([...parts, Buffer.from('END\0\0\0\0\0', 'latin1')]));
}

/** The status of values that run evenly from the first to the last wavenumber. */
export function opusStatus(values: Float32Array, first: number, last: number, scale = 1): OpusParameters {
  let largest = Number.NEGATIVE_INFINITY;
  let smallest = Number.POSITIVE_INFINITY;
  for (const value of values) {
    largest = Math.max(largest, scale * value);
    smallest = Math.min(smallest, scale * value);
  }
  const range = { NPT: values.length, FXV: first, LXV: last, CSF: scale };
  return { DPF: 1, ...range, MXY: largest, MNY: smallest, DXU: 'WN' };
}

export const opusData = (values: Float32Array): Uint8Array => new Uint8Array(values.slice().buffer);

/** An absorbance file as an instrument exports it: the data block and its status. */
export function opusScan(absorbance: Float32Array, first: number, last: number): Uint8Array {
  return opusFile([
    { type: OPUS.absorbance, bytes: opusData(absorbance) },
    { type: OPUS.absorbance | OPUS.status, bytes: opusParameters(opusStatus(absorbance, first, last)) },
  ]);
}
