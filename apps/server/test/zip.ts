import { buffer } from 'node:stream/consumers';
import { ZipArchive } from 'archiver';

/** A zip in memory. */
export async function zipOf(files: { name: string; data: Uint8Array | string }[]): Promise<Uint8Array<ArrayBuffer>> {
  const zip = new ZipArchive({ zlib: { level: 6 } });
  for (const { name, data } of files) zip.append(Buffer.from(data as Uint8Array), { name });
  const [bytes] = await Promise.all([buffer(zip), zip.finalize()]);
  return new Uint8Array(bytes);
}
