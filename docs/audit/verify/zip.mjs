/**
 * The files of a bundle as it was written: a zip that is stored, not compressed, one file after the other and nothing in
 * between. Needs no Node: reading is handed in.
 */
import { MOST_ENTRIES } from './grammar.mjs';
import { shown } from './text.mjs';

const [LOCAL, CENTRAL, END] = [0x04034b50, 0x02014b50, 0x06054b50];
const END_BYTES = 22;
const PIECE_BYTES = 1 << 20;
const names = new TextDecoder('utf-8', { ignoreBOM: true });

/** The numbers of a piece of a zip, least significant byte first. */
const numbersOf = (bytes) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { at16: (at) => view.getUint16(at, true), at32: (at) => view.getUint32(at, true) };
};

/**
 * @param size bytes of the zip
 * @param read takes a place and a length, and promises just so many bytes
 * @throws Error where no export wrote it
 */
export async function zipFiles(size, read) {
  if (size < END_BYTES) noZip('it is too short');
  const { at16, at32 } = numbersOf(await read(size - END_BYTES, END_BYTES));
  const [count, bytes, from] = [at16(10), at32(12), at32(16)];
  if (at32(0) !== END || at16(20) !== 0) noZip('it has no end, or something behind it');
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

/** The place of each file's bytes; every byte before the directory belongs to one of them. */
async function placesIn(directory, count, end, read) {
  const places = new Map();
  const { at16, at32 } = numbersOf(directory);
  let [at, next] = [0, 0];
  for (let i = 0; i < count; i++) {
    if (at + 46 > directory.length || at32(at) !== CENTRAL) noZip('its directory is damaged');
    const [flags, method] = [at16(at + 8), at16(at + 10)];
    const [packed, bytes] = [at32(at + 20), at32(at + 24)];
    const [named, extra, comment] = [28, 30, 32].map((offset) => at16(at + offset));
    const name = names.decode(directory.subarray(at + 46, at + 46 + named));
    if (method !== 0 || (flags & 1) !== 0 || packed !== bytes) noZip(`${shown(name)} is compressed or encrypted`);
    if (at32(at + 42) !== next) noZip(`something lies before ${shown(name)}`);
    const local = numbersOf(await read(next, 30));
    const head = 30 + local.at16(26) + local.at16(28);
    const localName = names.decode(await read(next + 30, local.at16(26)));
    if (local.at32(0) !== LOCAL || localName !== name) noZip(`${shown(name)} is another file where it lies`);
    if (places.has(name)) noZip('it holds a file twice');
    places.set(name, { from: next + head, bytes });
    // A descriptor of the sizes follows where the head did not know them.
    next += head + bytes + ((flags & 8) !== 0 ? 16 : 0);
    at += 46 + named + extra + comment;
  }
  if (next !== end || at !== directory.length) noZip('something lies before its directory');
  return places;
}

export function noZip(what) {
  throw new Error(`it is no zip that an export wrote: ${what}`);
}
