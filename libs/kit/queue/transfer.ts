/** An upload in the terms of a pool of threads: memory that is moved or shared, and a share of a turn. */
import { isArrayBuffer } from 'node:util/types';
import { bytesUnpacked } from '#science/spectra/zip-size';
import type { Upload } from './upload.js';

/** From this size on an upload never takes every thread, and shares its turn with no other. */
const LARGE_BYTES = 1024 * 1024;
/** The minimal cost of an upload: its encoding does not depend on its size. */
const MIN_COST_BYTES = 64 * 1024;

/** The memory that an upload lies in. */
export const dataOf = (upload: Upload): Uint8Array[] =>
  upload.kind === 'json' ? [upload.body] : [...upload.rough, ...upload.polish].map(({ data }) => data);

/** What there is to read: a zip counts for what it unpacks to. */
const sizeOf = (arrays: Uint8Array[]): number => arrays.reduce((sum, data) => sum + bytesUnpacked(data), 0);

export function costOf(arrays: Uint8Array[]): { large: boolean; cost: number } {
  const size = sizeOf(arrays);
  return { large: size > LARGE_BYTES, cost: Math.max(size, MIN_COST_BYTES) };
}

/** An upload takes a place for each of so many bytes: large ones keep every stage busy for longer. */
const PLACE_BYTES = 1024 * 1024;

/** Places that the claim of an upload takes among those in work. */
export const placesOf = (upload: Upload): number => Math.max(1, Math.ceil(sizeOf(dataOf(upload)) / PLACE_BYTES));

/** Each array's memory, to be transferred; of a slice of a pool the bytes are copied, and shared memory stays where it is. */
export function buffersOf(arrays: (Uint8Array | Float32Array)[]): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  for (const { buffer, byteLength } of arrays) {
    if (isArrayBuffer(buffer) && buffer.byteLength === byteLength) buffers.add(buffer);
  }
  return [...buffers];
}
