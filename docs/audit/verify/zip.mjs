/** A bundle as it was written: a zip that is stored, not compressed, one file after the other and nothing in between. */
import { constants } from 'node:fs';
import { lstat, open, stat } from 'node:fs/promises';
import { MOST_ENTRIES } from './grammar.mjs';
import { folderFiles } from './node.mjs';
import { shown } from './text.mjs';

const [LOCAL, CENTRAL, END] = [0x04034b50, 0x02014b50, 0x06054b50];
const END_BYTES = 22;
const PIECE_BYTES = 1 << 20;

/** The files of a bundle in a folder or a zip. @throws Error where there is none */
export async function filesAt(path) {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) {
    if (await lstat(`${path}/manifest.json`).catch(() => undefined)) return folderFiles(path);
    throw new Error('there is no manifest.json here: this is no audit bundle');
  }
  if (found?.isFile()) return zipFiles(path);
  throw new Error(`${shown(path)} is no folder and no file`);
}

async function zipFiles(path) {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const { size } = await handle.stat();
  const read = async (from, bytes) => {
    const piece = Buffer.alloc(bytes);
    let at = 0;
    while (at < bytes) {
      const { bytesRead } = await handle.read(piece, at, bytes - at, from + at);
      if (bytesRead === 0) noZip('it is cut');
      at += bytesRead;
    }
    return piece;
  };
  if (size < END_BYTES) noZip('it is too short');
  const end = await read(size - END_BYTES, END_BYTES);
  const [count, bytes, from] = [end.readUInt16LE(10), end.readUInt32LE(12), end.readUInt32LE(16)];
  if (end.readUInt32LE(0) !== END || end.readUInt16LE(20) !== 0) noZip('it has no end, or something behind it');
  if (count > MOST_ENTRIES) noZip('it holds more files than a bundle does');
  if (from + bytes + END_BYTES !== size) noZip('its directory is not before its end');
  const places = await placesIn(await read(from, bytes), count, from, read);
  return {
    sizes: new Map([...places].map(([name, place]) => [name, place.bytes])),
    folders: [],
    async *pieces(name) {
      const place = places.get(name);
      for (let at = 0; at < place.bytes; at += PIECE_BYTES)
        yield await read(place.from + at, Math.min(PIECE_BYTES, place.bytes - at));
    },
  };
}

/** Where each file's bytes are; every byte before the directory belongs to one of them. */
async function placesIn(directory, count, end, read) {
  const places = new Map();
  let [at, next] = [0, 0];
  for (let i = 0; i < count; i++) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== CENTRAL) noZip('its directory is damaged');
    const [flags, method] = [directory.readUInt16LE(at + 8), directory.readUInt16LE(at + 10)];
    const [packed, bytes] = [directory.readUInt32LE(at + 20), directory.readUInt32LE(at + 24)];
    const [named, extra, comment] = [28, 30, 32].map((offset) => directory.readUInt16LE(at + offset));
    const name = directory.subarray(at + 46, at + 46 + named).toString('utf8');
    if (method !== 0 || (flags & 1) !== 0 || packed !== bytes) noZip(`${shown(name)} is compressed or encrypted`);
    if (directory.readUInt32LE(at + 42) !== next) noZip(`something lies before ${shown(name)}`);
    const local = await read(next, 30);
    const head = 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
    const localName = (await read(next + 30, local.readUInt16LE(26))).toString('utf8');
    if (local.readUInt32LE(0) !== LOCAL || localName !== name) noZip(`${shown(name)} is another file where it lies`);
    if (places.has(name)) noZip('it holds a file twice');
    places.set(name, { from: next + head, bytes });
    // A descriptor of the sizes follows where the head did not know them.
    next += head + bytes + ((flags & 8) !== 0 ? 16 : 0);
    at += 46 + named + extra + comment;
  }
  if (next !== end || at !== directory.length) noZip('something lies before its directory');
  return places;
}

function noZip(what) {
  throw new Error(`it is no zip that an export wrote: ${what}`);
}
