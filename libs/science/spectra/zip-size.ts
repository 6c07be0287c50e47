/** What a zip unpacks to, without a reader of what is in it. */
import { limits } from '#config/limits';

export const DIRECTORY_ENTRY = 0x02014b50;
const [DIRECTORY_END, DIRECTORY_END_BYTES, MAX_COMMENT_BYTES] = [0x06054b50, 22, 0xffff];

export const isZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && ((bytes[2] === 3 && bytes[3] === 4) || (bytes[2] === 5 && bytes[3] === 6));

/**
 * Bytes that a file unpacks to, by its directory where it is a zip; nothing is unpacked. It is what the work on the file
 * costs: whether the directory is right is found when it is unpacked.
 */
export function bytesUnpacked(data: Uint8Array, most = limits.unpackedBytes): number {
  if (!isZip(data)) return data.length;
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.length);
  const last = buffer.length - DIRECTORY_END_BYTES;
  let end = last;
  while (end >= 0 && end >= last - MAX_COMMENT_BYTES && buffer.readUInt32LE(end) !== DIRECTORY_END) end--;
  if (end < 0 || buffer.readUInt32LE(end) !== DIRECTORY_END) return data.length;
  let at = buffer.readUInt32LE(end + 16);
  let sum = data.length;
  while (sum < most && at + 46 <= end && buffer.readUInt32LE(at) === DIRECTORY_ENTRY) {
    sum += buffer.readUInt32LE(at + 24);
    at += 46 + buffer.readUInt16LE(at + 28) + buffer.readUInt16LE(at + 30) + buffer.readUInt16LE(at + 32);
  }
  return Math.min(sum, most);
}
