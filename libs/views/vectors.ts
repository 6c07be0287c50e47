import { decodeVector, VECTOR_LENGTH } from '#domain';

let latest: { of: Record<string, string>; decoded: Float32Array | undefined } | undefined;

/**
 * The vectors of a banked set after one another, in the order of its encoders; undefined where they are none. Decoded
 * once for all views that fold the event one after the other.
 */
export function bankedVectors(of: Record<string, string>): Float32Array | undefined {
  if (latest?.of !== of) latest = { of, decoded: decode(Object.values(of)) };
  return latest.decoded;
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
