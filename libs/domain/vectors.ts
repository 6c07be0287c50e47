/** Vectors as events hold them: base64 of little-endian float32. */
import { VECTOR_LENGTH } from '#science/calibration/evidence';
import { LOT_VECTOR } from '#science/lots/model';
import { LITTLE_ENDIAN, littleEndian } from '#science/numerics/little-endian';

/** 256 float32 as base64 of their little-endian bytes. */
export const encodeVector = (vector: Float32Array): string => encodeFloats(vector, VECTOR_LENGTH);

/** Undefined where the text is not 256 finite float32. */
export const decodeVector = (text: string): Float32Array | undefined => decodeFloats(text, VECTOR_LENGTH);

/** True if the text is 256 finite float32. */
export const isVector = (text: string): boolean => floatsIn(text, VECTOR_LENGTH) !== undefined;

/** 96 float32 as base64 of their little-endian bytes. */
export const encodeLotVector = (vector: Float32Array): string => encodeFloats(vector, LOT_VECTOR);

/** Undefined where the text is not 96 finite float32. */
export const decodeLotVector = (text: string): Float32Array | undefined => decodeFloats(text, LOT_VECTOR);

/** So many float32 as base64. @throws RangeError where there are not as many */
export function encodeFloats(vector: Float32Array, count: number): string {
  if (vector.length !== count) throw new RangeError(`a vector of ${vector.length} values, not ${count}`);
  return vectorBytes(vector).toString('base64');
}

/** Little-endian, in memory of their own. */
export const vectorBytes = (vector: Float32Array): Buffer => littleEndian(vector.slice());

/** So many finite float32 out of base64; undefined where the text holds anything else. */
export const decodeFloats = (text: string, count: number): Float32Array | undefined => floatsIn(text, count)?.slice();

/** Memory for decoded texts, used again and again: each vector is looked at several times before it is stored. */
let scratch = Buffer.from(new ArrayBuffer(4096));

/** The same, until the next call. */
function floatsIn(text: string, count: number): Float32Array | undefined {
  const length = 4 * count;
  // One byte more than there may be shows a longer text.
  if (scratch.length <= length) scratch = Buffer.from(new ArrayBuffer(length + 4));
  if (scratch.write(text, 0, length + 1, 'base64') !== length) return undefined;
  if (!LITTLE_ENDIAN) scratch.subarray(0, length).swap32();
  const floats = new Float32Array(scratch.buffer, 0, count);
  for (let i = 0; i < count; i++) if (!Number.isFinite(floats[i])) return undefined;
  return floats;
}
