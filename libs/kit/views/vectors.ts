import { decodeVector } from '#domain/vectors';
import { VECTOR_LENGTH } from '#science/calibration/evidence';

const decoded = new WeakMap<Record<string, string>, Float32Array | undefined>();

/**
 * The vectors of a banked set after one another, in the order of its encoders; undefined where they are malformed. Decoded
 * once for all views that fold the same event.
 */
export function bankedVectors(of: Record<string, string>): Float32Array | undefined {
  if (!decoded.has(of)) decoded.set(of, decode(Object.values(of)));
  return decoded.get(of);
}

function decode(texts: string[]): Float32Array | undefined {
  const all = new Float32Array(texts.length * VECTOR_LENGTH);
  for (const [i, text] of texts.entries()) {
    const vector = decodeVector(text);
    if (!vector) return undefined;
    all.set(vector, i * VECTOR_LENGTH);
  }
  return all;
}
