/** Views as one file, to be handed to another replica of the same log, which then folds only what came since. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Static, Type } from 'typebox';
import { faultOf } from '#domain/guard';
import type { EventReader } from '#kit/log/port';
import { fileName, isDiskTrouble, mark, missing, openFile, openReadOnly, readCheckpoint, readMark } from './files.js';
import type { Connection, Projection } from './projection.js';
import { replaceFiles } from './replacing.js';

const FORMAT = 1;

/** The first line of a snapshot; after it come the files' bytes, one file after the other. */
const header = Type.Object({
  mvs_views: Type.Integer(),
  views: Type.Array(
    Type.Object({
      name: Type.String(),
      /** Name of its file, which says by what fold and tables it was made. */
      file: Type.String(),
      bytes: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
      sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    }),
    { minItems: 1 },
  ),
});
type Header = Static<typeof header>;
/** Some views of some hundred bytes each. */
const MAX_HEADER_BYTES = 65_536;

/** The file is no whole snapshot, or not of these views and this log. */
export class BadSnapshot extends Error {
  override readonly name = 'BadSnapshot';
}

/** There is no file of this view to export. */
export class NoView extends Error {
  override readonly name = 'NoView';
  constructor(readonly view: string) {
    super(`there is no view ${view}`);
  }
}

export interface SnapshotSummary {
  /** Of the snapshot. */
  bytes: number;
  views: { name: string; position: bigint }[];
}

/**
 * Writes views as they are now into one file, whole or not at all; the service may keep them and go on meanwhile.
 * @throws NoView
 */
export async function exportViews(
  directory: string,
  projections: readonly Projection[],
  out: string,
): Promise<SnapshotSummary> {
  const workshop = mkdtempSync(`${resolve(out)}.`);
  try {
    const views: Header['views'] = [];
    const positions: bigint[] = [];
    for (const projection of projections) {
      const file = fileName(projection);
      const copy = join(workshop, file);
      if (!copyView(join(directory, file), copy)) throw new NoView(projection.name);
      positions.push(inView(copy, readCheckpoint));
      const sha256 = await hashed(createReadStream(copy));
      views.push({ name: projection.name, file, bytes: statSync(copy).size, sha256 });
    }
    const whole = join(workshop, basename(out));
    const written = createWriteStream(whole, { mode: 0o600, flush: true });
    await pipeline(async function* () {
      yield `${JSON.stringify({ mvs_views: FORMAT, views } satisfies Header)}\n`;
      for (const { file } of views) yield* createReadStream(join(workshop, file));
    }, written);
    renameSync(whole, out);
    return { bytes: written.bytesWritten, views: views.map(({ name }, i) => ({ name, position: positions[i] })) };
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
}

/** @returns whether it is there */
function copyView(file: string, copy: string): boolean {
  if (!statSync(file, { throwIfNoEntry: false })) return false;
  const db = openReadOnly(file);
  try {
    // One read of the file, whatever is written to it meanwhile.
    db.prepare('VACUUM INTO ?').run(copy);
  } finally {
    db.close();
  }
  return true;
}

/**
 * Puts the views of a snapshot into a directory in place of those that stand there, all of them or none.
 * @param log that they have to be views of
 * @throws BadSnapshot, ViewsInUse, StoreUnavailable
 */
export async function importViews(
  snapshot: string,
  { directory, projections, log }: { directory: string; projections: readonly Projection[]; log: EventReader },
): Promise<SnapshotSummary> {
  const { views, begin, bytes } = await readHeader(snapshot);
  const made = views.map(({ name, file }) => projectionOf(projections, name, file));
  const files = views.map(({ file }) => file);
  if (new Set(files).size < files.length) throw new BadSnapshot('it holds a view twice');
  return replaceFiles(directory, files, async (workshop) => {
    const positions: bigint[] = [];
    let start = begin;
    for (const [i, { name, file, bytes, sha256 }] of views.entries()) {
      const copy = join(workshop, file);
      const part = bytes === 0 ? Readable.from([]) : createReadStream(snapshot, { start, end: start + bytes - 1 });
      start += bytes;
      if ((await hashed(part, copy)) !== sha256)
        throw new BadSnapshot(`the bytes of view ${name} are not those that were exported`);
      positions.push(await checked(copy, made[i], log));
    }
    return { bytes, views: views.map(({ name }, i) => ({ name, position: positions[i] })) };
  });
}

async function readHeader(snapshot: string): Promise<Header & { begin: number; bytes: number }> {
  const file = await open(snapshot);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new BadSnapshot('it is no file');
    const { size } = stats;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0);
    const end = buffer.subarray(0, bytesRead).indexOf('\n');
    const { views } = parseHeader(end < 0 ? '' : buffer.toString('utf8', 0, end));
    const said = views.reduce((sum, { bytes }) => sum + bytes, end + 1);
    if (size < said) throw new BadSnapshot(`it is cut off: ${size} of ${said} bytes are there`);
    if (size > said) throw new BadSnapshot(`${size - said} bytes follow its end`);
    return { mvs_views: FORMAT, views, begin: end + 1, bytes: size };
  } finally {
    await file.close();
  }
}

function parseHeader(line: string): Header {
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch {
    said = undefined;
  }
  const format = (said as Partial<Header> | undefined | null)?.mvs_views;
  if (typeof format !== 'number') throw new BadSnapshot('it is no snapshot of views: mvs views export writes one');
  if (format !== FORMAT) throw new BadSnapshot(`it has format ${format}; this release reads format ${FORMAT}`);
  const fault = faultOf(header, said, 'header');
  if (fault) throw new BadSnapshot(`its first line does not say which views follow: it ${fault}`);
  return said as Header;
}

function projectionOf(projections: readonly Projection[], name: string, file: string): Projection {
  const found = projections.find((projection) => fileName(projection) === file && projection.name === name);
  if (found) return found;
  const own = projections.find((projection) => projection.name === name);
  throw new BadSnapshot(
    own
      ? `its view ${name} is of another version (${file}; this release has ${fileName(own)}): export with the same release`
      : `this release has no view ${name}`,
  );
}

/** @returns SHA-256 of what was read, in hex */
async function hashed(from: Readable, into?: string): Promise<string> {
  const hash = createHash('sha256');
  const through = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  if (into !== undefined) await pipeline(from, through, createWriteStream(into, { mode: 0o600 }));
  else for await (const chunk of from) hash.update(chunk);
  return hash.digest('hex');
}

function inView<T>(file: string, work: (db: Connection) => T): T {
  const db = openReadOnly(file);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/**
 * That the file is a sound database with the view's tables and nothing else, and a view of this log.
 * @returns the position that it goes on from
 */
async function checked(file: string, projection: Projection, log: EventReader): Promise<bigint> {
  const { name, version } = projection;
  const bad = (why: string) => new BadSnapshot(`view ${name} ${why}`);
  const look = (db: Connection) => {
    const [found] = db.prepare('PRAGMA user_version').raw().get() as [number];
    if (found !== version) throw bad(`is of version ${found}, not ${version}`);
    if (tablesOf(db) !== expectedTables(projection)) throw bad('has other tables than this release');
    const [sound] = db.prepare('PRAGMA quick_check(1)').raw().get() as [string];
    if (sound !== 'ok') throw bad(`is damaged: ${sound}`);
    const latest = readMark(db);
    const fault = latest && faultOf(mark, latest, 'checkpoint');
    if (fault) throw bad(fault);
    return { position: readCheckpoint(db), latest };
  };
  let held: ReturnType<typeof look>;
  try {
    held = inView(file, look);
  } catch (error) {
    throw error instanceof BadSnapshot || isDiskTrouble(error)
      ? error
      : bad(`cannot be read: ${(error as Error).message}`);
  }
  if (!held.latest) return 0n;
  const why = await missing(log, held.latest);
  if (why) throw bad(`is of another log: ${why}`);
  return held.position;
}

const tablesOf = (db: Connection): string =>
  JSON.stringify(db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').raw().all());

function expectedTables(projection: Projection): string {
  const db = openFile(':memory:', projection);
  try {
    return tablesOf(db);
  } finally {
    db.close();
  }
}
