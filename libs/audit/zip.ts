/** The bundle as a zip, and what else the zip itself may hold: nothing. */
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { PreparedBundle, Sink } from './writing.js';

/** Stored, not compressed, of one time and mode: so the files alone decide every byte of the zip. */
const ENTRY = { date: new Date(Date.UTC(1980, 0, 1)), mode: 0o644, store: true };

/** A zip of what `write` puts into its sink, made as it is read. `done` is what `write` answers. */
export async function zipOf<T>(write: (sink: Sink) => Promise<T>): Promise<{ zip: Readable; done: Promise<T> }> {
  // Loaded for a bundle: a start is a tenth of a second shorter without it.
  const { ZipArchive } = await import('archiver');
  const archive = new ZipArchive({ store: true });
  const sink: Sink = async (path, pieces) => {
    const source = Readable.from(pieces, { objectMode: false });
    const read = finished(source);
    archive.append(source, { ...ENTRY, name: path });
    try {
      await Promise.race([read, closed]);
    } catch (error) {
      source.destroy();
      throw error;
    }
  };
  const closed = new Promise<never>((_, reject) => {
    archive.once('close', () => reject(new Error('the reader of the bundle went away')));
  });
  closed.catch(() => {});
  const done = write(sink).then(async (answer) => {
    await archive.finalize();
    return answer;
  });
  done.catch((error) => archive.destroy(error));
  return { zip: archive, done };
}

/** `name` is the file's, `signedBy` the key of its signature. */
export async function zipOfPrepared({ name, signedBy, write }: PreparedBundle) {
  return { name, signedBy, ...(await zipOf(write)) };
}
