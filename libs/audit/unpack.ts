/**
 * Verifies a bundle, a folder or a zip: its files by the verifier of docs/audit, and of a zip that it is what an export
 * writes of them. Nothing is unpacked: the files are read where they stand in the zip.
 */
import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { MANIFEST, VERIFIER_PARTS } from './writing.js';
import { zipOf } from './zip.js';

/** The file was not written by an export. */
export class NoBundle extends Error {
  override readonly name = 'NoBundle';
}

export interface Verification {
  /** As verify.mjs exits: 0 sound, 1 something differs. */
  code: number;
  /** Its answer, line by line. */
  says: string;
  /** The roots and the signature, line by line. */
  remarks: string;
  /** Public key of the signature of a sound bundle, where it has one. */
  signed_by?: string;
}

export interface VerifyOptions {
  /** The root digest to hold it to. */
  root?: string;
  /** The public key that it has to be signed by. */
  key?: string;
  /** A chain root noted earlier that its decisions have to continue. */
  continues?: string;
  /** Takes a sentence now and then of how far it is. */
  report?: (line: string) => void;
}

/** The part of docs/audit/verify that is used here: it stands outside of the build, as an auditor has it. */
interface BundleFiles {
  sizes: Map<string, number>;
  folders: string[];
  pieces(path: string): AsyncIterable<Uint8Array>;
}
interface Verifier {
  Differs: new () => Error;
  verify(
    files: BundleFiles,
    sha256: unknown,
    options: { root?: string; key?: string; continues?: string; score?: unknown },
  ): Promise<Found>;
  remarksOf(found: Found): string[];
}
interface Found {
  root: string;
  chain: string;
  signature: { key: string } | null;
}
interface VerifierInNode {
  filesAt(path: string): Promise<BundleFiles>;
  sha256: unknown;
  onThreads(report: (line: string) => void): unknown;
}
const part = <T>(name: string) => import(pathToFileURL(join(VERIFIER_PARTS, name)).href) as Promise<T>;

const MAX_ENTRIES = 1000;
const LOCAL_HEADER_BYTES = 30;

/**
 * The program's own verifier runs, never the bundle's.
 * @throws NoBundle
 */
export async function verifyBundle(file: string, options: VerifyOptions = {}): Promise<Verification> {
  const { root, key, continues, report = () => {} } = options;
  const { Differs, remarksOf, verify } = await part<Verifier>('bundle.mjs');
  const { filesAt, sha256, onThreads } = await part<VerifierInNode>('node.mjs');
  const held = { root, key, continues, score: onThreads(report) };
  const saysOf = (found: Found): Verification => ({
    code: 0,
    says: 'OK\n',
    remarks: `${remarksOf(found).join('\n')}\n`,
    ...(found.signature && { signed_by: found.signature.key }),
  });
  try {
    if (await isFolder(file)) {
      const files = await filesAt(file).catch((error: unknown) => {
        throw error instanceof Differs ? error : new NoBundle((error as Error).message);
      });
      return saysOf(await verify(files, sha256, held));
    }
    const handle = await opened(file);
    try {
      const zip = await zipIn(handle);
      const entries = await entriesOf(zip);
      const byPath = new Map(entries.map((entry) => [entry.fileName, entry]));
      const sizes = new Map(entries.map(({ fileName, uncompressedSize }) => [fileName, uncompressedSize]));
      const pieces = (path: string) => piecesOf(zip, byPath.get(path)!);
      const found = await verify({ sizes, folders: [], pieces }, sha256, held);
      await refuseOther(handle, pieces, entries);
      return saysOf(found);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!(error instanceof Differs || error instanceof Unlike)) throw error;
    return { code: 1, says: `${error.message}\n`, remarks: '' };
  }
}

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() ?? false;

async function opened(file: string): Promise<FileHandle> {
  try {
    // Opens nothing that waits for a writer.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
  } catch (error) {
    throw new NoBundle(`it cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  throw new NoBundle('it is no regular file');
}

async function zipIn(handle: FileHandle): Promise<ZipFile> {
  try {
    return await fromFdPromise(handle.fd, { autoClose: false });
  } catch (error) {
    throw new NoBundle(`it is no zip: ${(error as Error).message}`);
  }
}

async function entriesOf(zip: ZipFile): Promise<Entry[]> {
  const entries: Entry[] = [];
  if (zip.entryCount > MAX_ENTRIES) throw new NoBundle('it holds more files than a bundle does');
  try {
    for await (const entry of zip.eachEntry()) entries.push(entry);
  } catch (error) {
    throw new NoBundle(`its directory is damaged: ${(error as Error).message}`);
  }
  let end = 0;
  for (const entry of entries) {
    const { fileName, fileNameLength, compressionMethod, generalPurposeBitFlag } = entry;
    const shown = JSON.stringify(fileName.slice(0, 80));
    // Nothing is compressed and nothing stands in another's place, so nothing is more than the zip itself.
    if (compressionMethod !== 0 || (generalPurposeBitFlag & 1) !== 0)
      throw new NoBundle(`${shown} in it is compressed or encrypted`);
    if (entry.compressedSize !== entry.uncompressedSize) throw new NoBundle(`${shown} in it has two sizes`);
    if (entry.relativeOffsetOfLocalHeader < end) throw new NoBundle(`${shown} in it overlaps another file`);
    end = entry.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES + fileNameLength + entry.compressedSize;
  }
  const names = new Set(entries.map(({ fileName }) => fileName));
  if (names.size !== entries.length) throw new NoBundle('it holds a file twice');
  if (!names.has(MANIFEST)) throw new NoBundle(`it holds no ${MANIFEST}`);
  return entries;
}

/** The zip is not what an export writes of its files. */
class Unlike extends Error {}

async function* piecesOf(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of await zip.openReadStreamPromise(entry)) yield piece as Uint8Array;
  } catch (error) {
    throw new Unlike(`${entry.fileName}: cannot be read out of the zip: ${(error as Error).message}`);
  }
}

/** @throws Unlike where the zip differs from the one that an export writes of the same files */
async function refuseOther(handle: FileHandle, pieces: BundleFiles['pieces'], entries: Entry[]): Promise<void> {
  const { zip, done } = await zipOf(async (sink) => {
    for (const { fileName } of entries) await sink(fileName, pieces(fileName));
  });
  done.catch(() => {});
  let at = 0;
  for await (const piece of zip as AsyncIterable<Buffer>) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(piece.length), 0, piece.length, at);
    if (buffer.equals(piece)) {
      at += bytesRead;
      continue;
    }
    let same = 0;
    while (buffer[same] === piece[same]) same++;
    throw new Unlike(located(at + same, entries));
  }
  const { size } = await handle.stat();
  if (size !== at) throw new Unlike(`the zip goes on after its end, at byte ${at}`);
}

function located(byte: number, entries: Entry[]): string {
  const [first, ...more] = entries.map(({ relativeOffsetOfLocalHeader: from, fileName }) => ({ from, fileName }));
  const entry = more.reduce((last, one) => (one.from <= byte ? one : last), first);
  return `the zip differs from what an export writes at byte ${byte}, in or after ${entry.fileName}`;
}
