/** The edge of the verifier in Node: the files of a folder or a zip, SHA-256, and threads that score pairs. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { isPathOfAny, MOST_ENTRIES, SIGNATURE } from './grammar.mjs';
import { fillSteps, ROWS, stepsOf } from './method.mjs';
import { differs, shown } from './text.mjs';
import { noZip, zipFiles } from './zip.mjs';

/** Fewer pairs are scored faster than threads start. */
const MANY_PAIRS = 1e6;
const PIECE_BYTES = 1 << 20;

export async function sha256(pieces) {
  const hash = createHash('sha256');
  for await (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

/** The files of a bundle in a folder or a zip. @throws Error where there is none */
export async function filesAt(path) {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) {
    if (await lstat(`${path}/manifest.json`).catch(() => undefined)) return folderFiles(path);
    throw new Error('there is no manifest.json here: this is no audit bundle');
  }
  if (!found?.isFile()) throw new Error(`${shown(path)} is no folder and no file`);
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const { size } = await handle.stat();
  return zipFiles(size, async (from, bytes) => {
    const piece = new Uint8Array(bytes);
    for (let at = 0; at < bytes; ) {
      const { bytesRead } = await handle.read(piece, at, bytes - at, from + at);
      if (bytesRead === 0) noZip('it is cut');
      at += bytesRead;
    }
    return piece;
  });
}

/** The files below a folder: regular ones, or it is no bundle. No link is followed. @throws Differs */
async function folderFiles(root) {
  const sizes = new Map();
  const folders = [];
  for (const waiting = ['']; waiting.length > 0; ) {
    const folder = waiting.pop();
    for (const entry of await readdir(`${root}/${folder}`, { withFileTypes: true })) {
      const path = `${folder}${entry.name}`;
      if (sizes.size + folders.length >= MOST_ENTRIES) differs('the bundle', 'holds more files than a bundle does');
      if (entry.isDirectory()) {
        folders.push(path);
        // No file of a bundle lies deeper.
        if (path.split('/').length < 3) waiting.push(`${path}/`);
      } else if (entry.isFile()) {
        const isRead = path === SIGNATURE || isPathOfAny(path);
        sizes.set(path, isRead ? await sizeOf(root, path) : 0);
      } else differs(shown(path).slice(1, -1), 'is no regular file');
    }
  }
  return { sizes, folders, pieces: (path) => piecesOf(root, path, sizes.get(path)) };
}

/** Opens nothing that waits for a writer, also where the entry was exchanged after it was listed. */
async function opened(root, path) {
  const handle = await open(`${root}/${path}`, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  const found = await handle.stat();
  if (found.isFile()) return { handle, size: found.size };
  await handle.close();
  return differs(path, 'is no regular file');
}

async function sizeOf(root, path) {
  const { handle, size } = await opened(root, path);
  await handle.close();
  return size;
}

/** As many bytes as the file had when it was listed. */
async function* piecesOf(root, path, size) {
  const { handle } = await opened(root, path);
  try {
    for (let at = 0; at < size; ) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(PIECE_BYTES, size - at)));
      if (bytesRead === 0) throw new Error(`${path} was cut while it was read`);
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/**
 * Scores pairs on as many threads as there are cores.
 * @param tell takes a sentence now and then of how far it is
 */
export const onThreads = (tell) => async (task) => {
  if (task.pairs < MANY_PAIRS) return stepsOf(task);
  const { polish, rough, pairs } = task;
  const values = new Float64Array(new SharedArrayBuffer(task.values.byteLength));
  values.set(task.values);
  const steps = new Uint16Array(new SharedArrayBuffer(2 * pairs));
  const taken = new Int32Array(new SharedArrayBuffer(4));
  const told = setInterval(() => {
    const percent = Math.min(100, Math.floor((100 * ROWS * taken[0]) / polish.length));
    tell(`${polish.length} x ${rough.length} stones: ${percent}% of the pairs scored`);
  }, 2000);
  const threads = Array.from(
    { length: availableParallelism() },
    () =>
      new Promise((resolve, reject) => {
        const worker = new Worker(new URL(import.meta.url), { workerData: { ...task, values, steps, taken } });
        worker.once('error', reject);
        worker.once('exit', (code) => (code === 0 ? resolve() : reject(new Error('a thread ended early'))));
      }),
  );
  await Promise.all(threads).finally(() => clearInterval(told));
  return steps;
};

if (!isMainThread && workerData?.taken && workerData.steps)
  fillSteps(workerData, () => Atomics.add(workerData.taken, 0, 1));
