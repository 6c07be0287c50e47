import { Readable } from 'node:stream';
import { constants, crc32, createInflateRaw, inflateRawSync } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import type { Limits } from '#config/limits';
import { extensionOf, isScanName, lastPart } from './names.js';
import { isOpus } from './opus.js';
import { unreadable } from './reading.js';
import { isZip } from './scan-file.js';

/** A file in memory. */
export interface NamedFile {
  name: string;
  data: Uint8Array;
}

/** Bytes and entries that the zips of one side may still hold; all of them share it. */
export interface ZipBudget {
  entries: number;
  bytes: number;
}
export const zipBudget = ({ zipEntries, unpackedBytes }: Limits): ZipBudget => ({
  entries: zipEntries,
  bytes: unpackedBytes,
});

const ARCHIVES = new Set(['zip', '7z', 'rar', 'gz', 'tgz', 'tar', 'bz2', 'xz', 'zst']);
const CHUNK_BYTES = 256 * 1024;
/** Compressed bytes that give the first bytes of an entry. */
const HEAD_BYTES = 64;
const [STORED, DEFLATED] = [0, 8];
const FIX = 'pack plain scan files into one zip';

/**
 * The scan files in a zip, unpacked one at a time. The whole directory is checked before anything is unpacked: sizes
 * and numbers against the budget, paths, links, encryption, archives in the archive. Entries that are no scan files go
 * into `ignored`. Throws a Refusal that names the zip or the entry.
 */
export async function* unpackZip(
  { name, data }: NamedFile,
  budget: ZipBudget,
  ignored: string[],
): AsyncGenerator<NamedFile> {
  const fail = (reason: string, fix = FIX) => unreadable(name, reason, fix);
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.length);
  const zip = await openZip(buffer, fail);
  const entries: Entry[] = [];
  // Twice the entries, as macOS adds a companion to each; those do not count.
  if (zip.entryCount > 2 * budget.entries) throw fail('it holds more entries than allowed', 'send fewer files at once');
  try {
    for await (const entry of zip.eachEntry()) {
      if (isCompanion(entry.fileName)) continue;
      if (--budget.entries < 0) throw fail('it holds more entries than allowed', 'send fewer files at once');
      if (entry.fileName.endsWith('/')) continue;
      budget.bytes -= entry.uncompressedSize;
      if (budget.bytes < 0) throw fail('it unpacks to more bytes than allowed', 'send fewer files at once');
      checkEntry(`${name}/${entry.fileName}`, entry);
      entries.push(entry);
    }
  } catch (error) {
    throw translated(error, fail);
  }
  for (const entry of entries) {
    const path = `${name}/${entry.fileName}`;
    const packed = await packedBytes(zip, entry, buffer, path);
    if (isScanName(entry.fileName) || isOpus(firstBytes(entry, packed))) {
      const content = await unpack(entry, packed, path);
      if (isZip(content)) throw nested(path);
      yield { name: path, data: content };
    } else ignored.push(entry.fileName);
  }
}

type Fail = (reason: string, fix?: string) => Error;

async function openZip(buffer: Buffer, fail: Fail): Promise<ZipFile> {
  try {
    return await fromBufferPromise(buffer);
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

const isCompanion = (path: string) => /(^|\/)__MACOSX\//.test(path) || lastPart(path).startsWith('._');

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

function firstBytes({ compressionMethod }: Entry, packed: Buffer): Uint8Array {
  if (compressionMethod === STORED) return packed.subarray(0, HEAD_BYTES);
  try {
    return inflateRawSync(packed.subarray(0, HEAD_BYTES), { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return new Uint8Array(0);
  }
}

/** The entry's bytes, of the length and the checksum that the directory gives, or a Refusal. */
async function unpack(entry: Entry, packed: Buffer, path: string): Promise<Uint8Array> {
  const damaged = () => unreadable(path, 'its packed bytes are damaged', 'send the zip again');
  const content = Buffer.allocUnsafe(entry.uncompressedSize);
  let length = 0;
  let sum = 0;
  try {
    for await (const chunk of chunksOf(entry, packed)) {
      if (length + chunk.length > content.length) throw damaged();
      content.set(chunk, length);
      length += chunk.length;
      sum = crc32(chunk, sum);
    }
  } catch {
    throw damaged();
  }
  if (length !== content.length || sum !== entry.crc32) throw damaged();
  return content;
}

function chunksOf({ compressionMethod }: Entry, packed: Buffer): AsyncIterable<Buffer> {
  if (compressionMethod === DEFLATED) {
    const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
    inflate.end(packed);
    return inflate;
  }
  return Readable.from(
    (function* () {
      for (let at = 0; at < packed.length; at += CHUNK_BYTES) yield packed.subarray(at, at + CHUNK_BYTES);
    })(),
    { objectMode: true },
  );
}
