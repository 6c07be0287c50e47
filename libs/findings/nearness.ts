/**
 * Tells from banked vectors if two scan sets show the same stone. A set's sketch is small and exact in integers, so that
 * every machine finds the same; a 64-bit signature makes looking through a window of sets cheap.
 */
import { bankedVectors } from '#kit/views/vectors';

/**
 * Limits within which two sets of one side are taken for the same stone: mean cosine over the encoders, number of the key's
 * latest sets that are looked at, and number of 64 bits in which their signatures may differ (1.3 and 5.0 are expected at
 * these cosines). How they were chosen, and the rates of right and wrong, are in reports/findings.md.
 */
export const NEAR = {
  /** A copy: the same scans, written again or slightly changed. */
  copy: { cosine: 0.998, latest: 1024, slack: 10 },
  /** Another session with the same polish. */
  rescan: { cosine: 0.97, latest: 32, slack: 18 },
  /**
   * p_match_5050 from which on a polish was plausibly cut from the rough that it was claimed for. Two such polishes with
   * a rough each are two stones that resemble each other, not one that was sent twice: of wrong claims one in eight is so.
   */
  plausible: 0.05,
} as const;

/** Cosine from which on a rough is one that was claimed for the same polish before, and where it bears that one's reference. */
export const SAME_ROUGH = { cosine: 0.8, withReference: 0.6, latest: 16 } as const;

export interface Sketch {
  /** Signs of 64 random projections. */
  low: number;
  high: number;
  /** The encoders' unit vectors after one another, to 8 bits. */
  values: Int8Array;
}

/** @param vectors by encoder, as they are banked. @throws TypeError */
export function sketchOf(vectors: Record<string, string>): Sketch {
  const banked = bankedVectors(vectors);
  if (!banked) throw new TypeError('a banked vector cannot be read');
  const { length } = banked;
  const all = roomFor(length);
  let max = 0;
  for (let i = 0; i < length; i++) {
    const value = banked[i];
    all[i] = value;
    max = Math.max(max, Math.abs(value));
  }
  all.fill(0, length);
  const values = new Int8Array(length);
  if (max > 0) for (let i = 0; i < length; i++) values[i] = Math.floor((all[i] / max) * 127 + 0.5);
  return { ...signature(all), values };
}

let room = new Float64Array(64);

/** So many numbers of float64, padded to a power of two; the same ones each time. */
function roomFor(length: number): Float64Array {
  const padded = 2 ** Math.ceil(Math.log2(Math.max(length, 64)));
  if (room.length !== padded) room = new Float64Array(padded);
  return room;
}

/** Two rounds of random signs and a Walsh-Hadamard transform: random enough projections, for a few thousand additions. */
function signature(vector: Float64Array): { low: number; high: number } {
  const { length } = vector;
  const signs = signsFor(length);
  for (let i = 0; i < length; i++) vector[i] *= signs[i];
  transform(vector, length);
  for (let i = 0; i < length; i++) vector[i] *= signs[length + i];
  // Only the first 64 are read: of the stages that join blocks of 64 their sums suffice.
  transform(vector, 64);
  for (let half = 64; half < length; half *= 2) {
    for (let from = 0; from < length; from += 2 * half) {
      for (let i = from; i < from + 64; i++) vector[i] += vector[i + half];
    }
  }
  const bits = (from: number) => {
    let word = 0;
    for (let i = from; i < from + 32; i++) word = (word << 1) | (vector[i] > 0 ? 1 : 0);
    return word;
  };
  return { low: bits(0), high: bits(32) };
}

/** Walsh-Hadamard transforms of blocks of `size`, a power of two; three stages at a time while there are three. */
function transform(v: Float64Array, size: number): void {
  let h = 1;
  for (; 8 * h <= size; h *= 8) {
    for (let from = 0; from < v.length; from += 8 * h) {
      for (let i = from; i < from + h; i++) {
        const a = v[i] + v[i + h];
        const b = v[i] - v[i + h];
        const c = v[i + 2 * h] + v[i + 3 * h];
        const d = v[i + 2 * h] - v[i + 3 * h];
        const e = v[i + 4 * h] + v[i + 5 * h];
        const f = v[i + 4 * h] - v[i + 5 * h];
        const g = v[i + 6 * h] + v[i + 7 * h];
        const k = v[i + 6 * h] - v[i + 7 * h];
        v[i] = a + c + (e + g);
        v[i + h] = b + d + (f + k);
        v[i + 2 * h] = a - c + (e - g);
        v[i + 3 * h] = b - d + (f - k);
        v[i + 4 * h] = a + c - (e + g);
        v[i + 5 * h] = b + d - (f + k);
        v[i + 6 * h] = a - c - (e - g);
        v[i + 7 * h] = b - d - (f - k);
      }
    }
  }
  for (; h < size; h *= 2) {
    for (let from = 0; from < v.length; from += 2 * h) {
      for (let i = from; i < from + h; i++) {
        const a = v[i];
        const b = v[i + h];
        v[i] = a + b;
        v[i + h] = a - b;
      }
    }
  }
}

const signsOf = new Map<number, Float64Array>();

/** The signs of both rounds, from a small generator (xorshift). */
function signsFor(length: number): Float64Array {
  let signs = signsOf.get(length);
  if (!signs) {
    let state = 0x2545f491;
    signs = Float64Array.from({ length: 2 * length }, () => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return state < 0 ? -1 : 1;
    });
    signsOf.set(length, signs);
  }
  return signs;
}

/** A sketch's values as a table holds them. */
export const valuesOf = (blob: Uint8Array): Int8Array => new Int8Array(blob.buffer, blob.byteOffset, blob.byteLength);

/** Sum of the products, a whole number below 2^27. The length is even: encoders have 256 values each. */
export function productOf(a: Int8Array, b: Int8Array): number {
  let [even, odd] = [0, 0];
  for (let i = 0; i < a.length; i += 2) {
    even = (even + Math.imul(a[i], b[i])) | 0;
    odd = (odd + Math.imul(a[i + 1], b[i + 1])) | 0;
  }
  return even + odd;
}

/**
 * Mean cosine over the encoders, to about 1e-3, of whole numbers, so that every machine has the same bits.
 * @param squares of both, where they are known
 */
export function similarity(a: Int8Array, b: Int8Array, squares = productOf(a, a) * productOf(b, b)): number {
  if (a.length !== b.length) return 0;
  const product = productOf(a, b);
  return product === 0 ? 0 : product / Math.sqrt(squares);
}

export type Signature = Pick<Sketch, 'low' | 'high'>;

/** @param low,high of another signature */
export const differingBits = (a: Signature, low: number, high: number): number =>
  ones(a.low ^ low) + ones(a.high ^ high);

function ones(word: number): number {
  let n = word - ((word >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
