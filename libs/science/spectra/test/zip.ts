/** Zips for tests. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  name: string | Buffer;
  /** As the directory says it: the bytes of the entry of this number. */
  at?: number;
  content: string | Uint8Array;
  store?: boolean;
  flags?: number;
  method?: number;
  mode?: number;
  size?: number;
  sum?: number;
}

/** A zip written by hand: any field may lie. */
export function zip(entries: ZipEntry[], count = entries.length): Uint8Array<ArrayBuffer> {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  const offsets: number[] = [];
  for (const {
    name,
    content,
    at,
    store = false,
    flags = 0x800,
    method = store ? 0 : 8,
    mode = 0,
    size,
    sum,
  } of entries) {
    const data = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    const packed = store ? data : deflateRawSync(data);
    const path = Buffer.from(name as string);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(flags, 2);
    shared.writeUInt16LE(method, 4);
    shared.writeUInt32LE(sum ?? crc32(data), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(size ?? data.length, 18);
    shared.writeUInt16LE(path.length, 22);
    const central = Buffer.alloc(14);
    central.writeUInt32LE((mode << 16) >>> 0, 6);
    central.writeUInt32LE(at === undefined ? offset : offsets[at], 10);
    offsets.push(offset);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), shared, path, packed]);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), shared, central, path]));
    locals.push(local);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return new Uint8Array(Buffer.concat([...locals, index, end]));
}
