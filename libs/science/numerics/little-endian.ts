/** Floats as files, digests and events hold them: least significant byte first, whatever the machine's own order. */

export const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** The bytes of float32 values; on most machines they share the values' memory. */
export function littleEndian(values: Float32Array): Buffer {
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return LITTLE_ENDIAN ? bytes : Buffer.from(bytes).swap32();
}

/** The values of such bytes: a copy, so that it lies on a bound of four bytes and no caller can change it. */
export function floatsOf(bytes: Uint8Array): Float32Array {
  const copy = Buffer.from(new Uint8Array(bytes).buffer);
  if (!LITTLE_ENDIAN) copy.swap32();
  return new Float32Array(copy.buffer, 0, Math.floor(bytes.length / 4));
}
