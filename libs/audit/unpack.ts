/** Verifies a bundle as a zip: its files by docs/audit/verify.mjs, and that the zip is what an export writes of them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { MANIFEST, VERIFIER } from './bundle.js';
import { zipOf } from './zip.js';

/** The file is none that an export wrote. */
export class NoBundle extends Error {
  override readonly name = 'NoBundle';
}

export interface Verification {
  /** As verify.mjs exits: 0 sound, 1 something differs, 2 it cannot be read. */
  code: number;
  /** What it says of it, line by line. */
  says: string;
  /** Further remarks: the root digest, or why it cannot be read. */
  remarks: string;
}

const PATH = /^[\w-]+([./][\w-]+)*$/;
const MOST_ENTRIES = 1000;

/**
 * The program's own verifier runs, never the bundle's.
 * @param root the root digest to hold it to
 * @param tell takes a line now and then of how far it is
 * @throws NoBundle
 */
export async function verifyBundle(
  file: string,
  root?: string,
  tell: (line: string) => void = () => {},
): Promise<Verification> {
  const folder = await mkdtemp(join(tmpdir(), 'mvs-audit-'));
  try {
    const zip = await opened(file);
    let entries: Entry[];
    try {
      entries = await entriesOf(zip);
      for (const entry of entries) {
        const path = join(folder, entry.fileName);
        await mkdir(dirname(path), { recursive: true });
        try {
          await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(path));
        } catch (error) {
          const says = `${entry.fileName}: cannot be read out of the zip: ${(error as Error).message}\n`;
          return { code: 1, says, remarks: '' };
        }
      }
    } finally {
      zip.close();
    }
    const found = await runVerifier(folder, root, tell);
    if (found.code !== 0) return found;
    const differs = await differsFromExport(file, folder, entries);
    return differs === undefined ? found : { code: 1, says: `${differs}\n`, remarks: '' };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function opened(file: string): Promise<ZipFile> {
  try {
    return await openPromise(file, { autoClose: false });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new NoBundle(code?.startsWith('E') ? `it cannot be read (${code})` : `it is no zip: ${message}`);
  }
}

async function entriesOf(zip: ZipFile): Promise<Entry[]> {
  const entries: Entry[] = [];
  if (zip.entryCount > MOST_ENTRIES) throw new NoBundle('it holds more files than a bundle does');
  try {
    for await (const entry of zip.eachEntry()) entries.push(entry);
  } catch (error) {
    throw new NoBundle(`its directory is damaged: ${(error as Error).message}`);
  }
  for (const { fileName, compressionMethod, generalPurposeBitFlag } of entries) {
    if (!PATH.test(fileName)) throw new NoBundle(`it holds ${JSON.stringify(fileName.slice(0, 80))}`);
    // Nothing is compressed, so nothing unpacks to more than the zip itself.
    if (compressionMethod !== 0 || (generalPurposeBitFlag & 1) !== 0)
      throw new NoBundle(`${fileName} in it is compressed or encrypted`);
  }
  const names = new Set(entries.map(({ fileName }) => fileName));
  if (names.size !== entries.length) throw new NoBundle('it holds a file twice');
  if (!names.has(MANIFEST)) throw new NoBundle(`it holds no ${MANIFEST}`);
  return entries;
}

async function runVerifier(
  folder: string,
  root: string | undefined,
  tell: (line: string) => void,
): Promise<Verification> {
  const args = [VERIFIER, ...(root === undefined ? [] : [root])];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  let remarks = '';
  // The last line is a remark, those before it tell of progress.
  createInterface(child.stderr).on('line', (line) => {
    if (remarks !== '') tell(remarks);
    remarks = `${line}\n`;
  });
  const says = await text(child.stdout);
  const [code] = await ended;
  return { code: code ?? 2, says, remarks };
}

/** Where the zip differs from the one that an export writes of the same files. */
async function differsFromExport(file: string, folder: string, entries: Entry[]): Promise<string | undefined> {
  const { zip, done } = zipOf(async (sink) => {
    for (const { fileName } of entries) await sink(fileName, createReadStream(join(folder, fileName)));
  });
  done.catch(() => {});
  const handle = await open(file);
  let at = 0;
  try {
    for await (const piece of zip as AsyncIterable<Buffer>) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(piece.length), 0, piece.length, at);
      if (buffer.equals(piece)) {
        at += bytesRead;
        continue;
      }
      let same = 0;
      while (buffer[same] === piece[same]) same++;
      return located(at + same, entries);
    }
    const { size } = await handle.stat();
    return size === at ? undefined : `the zip goes on after its end, at byte ${at}`;
  } finally {
    await handle.close();
  }
}

function located(byte: number, entries: Entry[]): string {
  const [first, ...more] = entries.map(({ relativeOffsetOfLocalHeader: from, fileName }) => ({ from, fileName }));
  const entry = more.reduce((last, one) => (one.from <= byte ? one : last), first);
  return `the zip differs from what an export writes at byte ${byte}, in or after ${entry.fileName}`;
}
