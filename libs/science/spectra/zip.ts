import { isUtf8 } from 'node:buffer';
import { crc32, inflateRaw } from 'node:zlib';
import { type Entry, fromBufferPromise, getFileNameLowLevel, validateFileName, type ZipFile } from 'yauzl';
import type { Limits } from '#config/limits';
import { extensionOf, reasonUnread } from './names.js';
import { unreadable } from './reading.js';
import { printableName, type Unused } from './refusal.js';
import { DIRECTORY_ENTRY, isZip } from './zip-size.js';

/** A file in memory. */
export interface NamedFile {
  name: string;
  data: Uint8Array;
}

/** What the files of one request may still hold; both sides share it, but for the entries, which are counted anew. */
export interface Budget {
  /** Entries of zips, and bytes once unpacked. */
  entries: number;
  bytes: number;
  /** Points of all scans. */
  points: number;
  /** Called between scans. Throws where the answer is no longer wanted. */
  goOn(): void;
}
export const budgetOf = ({ zipEntries, unpackedBytes, requestPoints }: Limits, goOn = () => {}): Budget => ({
  entries: zipEntries,
  bytes: unpackedBytes,
  points: requestPoints,
  goOn,
});

const ARCHIVES = new Set(['zip', '7z', 'rar', 'gz', 'tgz', 'tar', 'bz2', 'xz', 'zst']);
const CHUNK_BYTES = 256 * 1024;
const [STORED, DEFLATED] = [0, 8];
const FIX = 'pack plain scan files into one zip';

/** An entry whose packed bytes lie in the archive, and nowhere in another's. */
interface Packed {
  path: string;
  entry: Entry;
  bytes: Buffer;
}

/**
 * The files in a zip that may hold scans, unpacked one at a time, and those that do not. The whole directory is checked
 * before anything is unpacked: sizes and numbers against the budget, paths, links, encryption, archives in the archive,
 * entries that share bytes. Throws a Refusal that names the zip or the entry.
 */
export async function* unpackZip({ name, data }: NamedFile, budget: Budget): AsyncGenerator<NamedFile | Unused> {
  const fail = (reason: string, fix = FIX) => unreadable(name, reason, fix);
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.length);
  const zip = await openZip(buffer, fail);
  const entries: Packed[] = [];
  // Twice the entries, as macOS adds a companion to each; those do not count.
  if (zip.entryCount > 2 * budget.entries) throw fail('it holds more entries than allowed', 'send fewer files at once');
  try {
    for await (const entry of zip.eachEntry()) {
      const inside = nameOf(entry);
      const invalid = validateFileName(inside);
      if (invalid) throw new Error(invalid);
      if (reasonUnread(inside) === '') continue;
      if (--budget.entries < 0) throw fail('it holds more entries than allowed', 'send fewer files at once');
      if (inside.endsWith('/')) continue;
      budget.bytes -= entry.uncompressedSize;
      if (budget.bytes < 0) throw fail('it unpacks to more bytes than allowed', 'send fewer files at once');
      const path = `${name}/${inside}`;
      checkEntry(path, entry);
      entries.push({ path, entry, bytes: NOTHING });
    }
  } catch (error) {
    throw translated(error, fail);
  }
  // The reader types the place at which it stopped as a boolean.
  const end = Number(zip.readEntryCursor);
  if (end + 4 <= buffer.length && buffer.readUInt32LE(end) === DIRECTORY_ENTRY)
    throw fail('its directory holds more entries than its end says', 'pack it again');
  for (const packed of entries) packed.bytes = await packedBytes(zip, packed.entry, buffer, packed.path);
  checkApart(entries);
  for (const packed of entries) {
    const { path } = packed;
    const reason = reasonUnread(path);
    if (reason !== undefined) {
      yield { file: path, reason };
      continue;
    }
    const content = await unpack(packed);
    if (isZip(content)) throw nested(path);
    yield { name: path, data: content };
  }
}

const NOTHING = Buffer.alloc(0);

/** In UTF-8 where its bytes are that, flagged or not, as macOS leaves the flag out; else in the zip's own code page. */
function nameOf({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  if (isUtf8(fileNameRaw)) return fileNameRaw.toString('utf8').replaceAll('\\', '/');
  return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
}

/** @throws Refusal: two entries lie on the same bytes, so that a small archive unpacks to much */
function checkApart(entries: readonly Packed[]): void {
  const inOrder = entries
    .filter(({ bytes }) => bytes.length > 0)
    .sort((a, b) => a.bytes.byteOffset - b.bytes.byteOffset);
  for (const [i, { path, bytes }] of inOrder.slice(1).entries()) {
    const before = inOrder[i];
    if (before.bytes.byteOffset + before.bytes.length > bytes.byteOffset)
      throw unreadable(path, `it lies on the same bytes of the zip as ${printableName(before.path)}`, FIX);
  }
}

type Fail = (reason: string, fix?: string) => Error;

async function openZip(buffer: Buffer, fail: Fail): Promise<ZipFile> {
  try {
    return await fromBufferPromise(buffer, { decodeStrings: false });
  } catch {
    throw fail('it is no readable zip archive, or a part of one', 'send the whole zip again');
  }
}

/** Our own refusals unchanged; the zip reader's errors in our words. */
function translated(error: unknown, fail: Fail): Error {
  const { name, message } = error as Error;
  if (name === 'Refusal') return error as Error;
  if (/relative path|absolute path|invalid characters/.test(message))
    return fail('it holds a path that leads outside it');
  if (/encryption/.test(message)) return fail('it is encrypted', 'send it without a password');
  return fail('its directory is damaged', 'send the zip again');
}

const nested = (path: string) => unreadable(path, 'it is an archive in an archive', FIX);

function checkEntry(path: string, entry: Entry): void {
  const fileType = (entry.externalFileAttributes >>> 16) & 0o170000;
  if (fileType !== 0 && fileType !== 0o100000) throw unreadable(path, 'it is a link and no file', FIX);
  if (entry.isEncrypted()) throw unreadable(path, 'it is encrypted', 'send it without a password');
  if (ARCHIVES.has(extensionOf(path))) throw nested(path);
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
    throw unreadable(path, 'it is packed by an unusual method', 'pack it by the usual one (deflate)');
  }
}

async function packedBytes(zip: ZipFile, entry: Entry, buffer: Buffer, path: string): Promise<Buffer> {
  try {
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
    return buffer.subarray(fileDataStart, fileDataStart + entry.compressedSize);
  } catch {
    throw unreadable(path, 'its place in the zip is damaged', 'send the zip again');
  }
}

/** The entry's bytes, of the length and the checksum that the directory gives, or a Refusal. */
async function unpack({ entry, bytes, path }: Packed): Promise<Uint8Array> {
  const { compressionMethod, uncompressedSize } = entry;
  // At most one byte more than the directory says is made.
  const content = compressionMethod === STORED ? bytes : await inflated(bytes, uncompressedSize + 1);
  if (content?.length !== uncompressedSize || crc32(content) !== entry.crc32)
    throw unreadable(path, 'its packed bytes are damaged', 'send the zip again');
  return content;
}

const inflated = (packed: Buffer, maxOutputLength: number): Promise<Buffer | undefined> =>
  new Promise((resolve) => {
    inflateRaw(packed, { maxOutputLength, chunkSize: CHUNK_BYTES }, (error, content) =>
      resolve(error ? undefined : content),
    );
  });
