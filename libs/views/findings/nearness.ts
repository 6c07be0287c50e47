/**
 * Whether two scan sets show the same stone, from their banked vectors. A set's sketch is small and exact in integers,
 * so that every machine finds the same; a 64-bit signature makes looking through a window of sets cheap.
 */
import { decodeVector } from '#domain';

/**
 * When two sets of one side are taken for the same stone: mean cosine over the encoders, how many of the key's latest
 * sets are looked at, and in how many of 64 bits their signatures may differ (2.9 and 7.1 are expected at these
 * cosines). The rates of right and wrong are in docs/findings.md.
 */
export const NEAR = {
  /** A copy: the same scans, written anew or slightly changed. */
  copy: { cosine: 0.99, latest: 1024, slack: 10 },
  /** Another session with the same polish; not believed where both were confirmed, each by a rough of its own. */
  rescan: { cosine: 0.94, latest: 64, slack: 18 },
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
  const parts = Object.values(vectors).map((text) => {
    const vector = decodeVector(text);
    if (!vector) throw new TypeError('a banked vector cannot be read');
    return vector;
  });
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  const all = new Float64Array(2 ** Math.ceil(Math.log2(Math.max(size, 64))));
  let most = 0;
  let at = 0;
  for (const part of parts) for (const value of part) all[at++] = value;
  for (let i = 0; i < size; i++) most = Math.max(most, Math.abs(all[i]));
  const values = new Int8Array(size);
  for (let i = 0; i < size; i++) values[i] = most === 0 ? 0 : Math.round((all[i] / most) * 127);
  return { ...signature(all), values };
}

/** Two rounds of random signs and a Walsh-Hadamard transform: random enough projections, for a few thousand additions. */
function signature(vector: Float64Array): { low: number; high: number } {
  let state = 0x2545f491;
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < vector.length; i++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      if (state < 0) vector[i] = -vector[i];
    }
    for (let half = 1; half < vector.length; half *= 2) {
      for (let from = 0; from < vector.length; from += 2 * half) {
        for (let i = from; i < from + half; i++) {
          const a = vector[i];
          const b = vector[i + half];
          vector[i] = a + b;
          vector[i + half] = a - b;
        }
      }
    }
  }
  const bits = (from: number) => {
    let word = 0;
    for (let i = 0; i < 32; i++) word = (word << 1) | (vector[from + i] > 0 ? 1 : 0);
    return word;
  };
  return { low: bits(0), high: bits(32) };
}

/** Mean cosine over the encoders, to about 1e-3. */
export function similarity(a: Int8Array, b: Int8Array): number {
  if (a.length !== b.length) return 0;
  let product = 0;
  let squareA = 0;
  let squareB = 0;
  for (let i = 0; i < a.length; i++) {
    product += a[i] * b[i];
    squareA += a[i] * a[i];
    squareB += b[i] * b[i];
  }
  return product === 0 ? 0 : product / Math.sqrt(squareA * squareB);
}

type Signature = Pick<Sketch, 'low' | 'high'>;

export const differingBits = (a: Signature, b: Signature): number => ones(a.low ^ b.low) + ones(a.high ^ b.high);

function ones(word: number): number {
  let n = word - ((word >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

const WINDOW_SETS = NEAR.copy.latest;

/** The latest sets of one key, model and side by signature; a ring, so that memory and time are bounded. */
export class NearWindow {
  private readonly low = new Int32Array(WINDOW_SETS);
  private readonly high = new Int32Array(WINDOW_SETS);
  private readonly sets = new Float64Array(WINDOW_SETS);
  private count = 0;

  add(set: number, { low, high }: Signature): void {
    const at = this.count++ % WINDOW_SETS;
    this.low[at] = low;
    this.high[at] = high;
    this.sets[at] = set;
  }

  /** Sets whose signature is near, latest first. */
  candidates(sketch: Signature, { latest, slack }: { latest: number; slack: number }): number[] {
    const found: number[] = [];
    for (let back = 1; back <= Math.min(this.count, latest); back++) {
      const at = (this.count - back) % WINDOW_SETS;
      if (ones(sketch.low ^ this.low[at]) + ones(sketch.high ^ this.high[at]) <= slack) found.push(this.sets[at]);
    }
    return found;
  }
}
