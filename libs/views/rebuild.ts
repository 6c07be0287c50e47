/** Views made again from the log, up to any moment, while the service runs; and what distinguishes two of them. */

import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { makeFolder } from '#config';
import { isOwnStream } from '#domain';
import { type EventReader, type RecordedEvent, readThrough } from '#event-store';
import { fileName, openReadOnly, readCheckpoint } from './files.js';
import { type Connection, PoisonedEvent, type Projection, poisonForAll } from './projection.js';
import { Skips } from './skips.js';
import { ViewFile } from './view-file.js';

export interface RebuildOptions {
  /** Gives events in their newest version. */
  reader: EventReader;
  projections: readonly Projection[];
  /** Gets the views' files, all of them or none. */
  directory: string;
  /** The last position to fold, or the time that the log's latest time must not pass. Default: all there is. */
  until?: bigint | Date;
  /** Events a transaction: time and memory, never the outcome. */
  batch?: number;
  /** Called after each transaction. */
  onProgress?(position: bigint): void;
}

/** The files to be replaced are open in another process. */
export class ViewsInUse extends Error {
  override readonly name = 'ViewsInUse';
}

const BATCH_EVENTS = 2000;
/** A file that is thrown away on any failure needs no journal and is flushed to the disk once. A larger cache gains nothing. */
const FRESH_FILE = 'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -4096';

/**
 * Folds the log into fresh files and puts them into the directory.
 * @returns the position that the views stand at, and how many events were read
 * @throws PoisonedEvent at an event that no operator has let pass; ViewsInUse; StoreUnavailable
 */
export async function rebuildViews(options: RebuildOptions): Promise<Outcome> {
  const { projections, directory, reader } = options;
  const workshop = join(directory, 'rebuilding');
  const files = projections.map((projection) => fileName(projection));
  const refuseAnyInUse = () => {
    for (const file of files) refuseInUse(join(directory, file));
  };
  makeFolder(directory, 0o700);
  refuseAnyInUse();
  try {
    const outcome = await foldAnew(workshop, options, await Skips.read(reader));
    for (const file of files) flush(join(workshop, file));
    refuseAnyInUse();
    for (const file of files) {
      for (const suffix of ['-wal', '-shm']) rmSync(join(directory, file + suffix), { force: true });
      renameSync(join(workshop, file), join(directory, file));
    }
    return outcome;
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
}

interface Outcome {
  position: bigint;
  events: number;
}

/** @param singlyAfter from where on each event has a transaction of its own */
async function foldAnew(
  workshop: string,
  options: RebuildOptions,
  skips: Skips,
  singlyAfter?: bigint,
): Promise<Outcome> {
  // What a killed rebuild or another attempt left goes first.
  rmSync(workshop, { recursive: true, force: true });
  const views = options.projections.map((projection) => new ViewFile(projection, workshop));
  let whole = 0n;
  try {
    for (const { db } of views) db.exec(FRESH_FILE);
    const onProgress = (position: bigint) => {
      whole = position;
      options.onProgress?.(position);
    };
    const outcome = await foldInto(views, { ...options, onProgress }, skips, singlyAfter);
    for (const view of views) view.finish();
    return outcome;
  } catch (error) {
    if (!(error instanceof PoisonedEvent) || error.forAll || singlyAfter !== undefined) throw error;
  } finally {
    for (const view of views) view.close();
  }
  // A row is refused when it is written, maybe long after its event: one by one they show which it was.
  return foldAnew(workshop, options, skips, whole);
}

async function foldInto(views: ViewFile[], options: RebuildOptions, skips: Skips, singlyAfter?: bigint) {
  const { reader, until, batch = BATCH_EVENTS, onProgress } = options;
  const head = await reader.head();
  const end = typeof until === 'bigint' && until < head ? until : head;
  const latest = until instanceof Date ? until.getTime() : Number.POSITIVE_INFINITY;
  let [position, events, moment] = [0n, 0, 0];
  let gathered: RecordedEvent[] = [];
  // View by view: what one fold needs stays in the processor's caches.
  const commit = () => {
    for (const view of views) {
      for (const event of gathered) if (!skips.pass(view.name, event)) view.take(event);
      view.reach(position);
      view.commit();
    }
    gathered = [];
    onProgress?.(position);
  };
  for await (const event of readThrough(reader)) {
    if (event.position > end) break;
    if (!isOwnStream(event.stream)) continue;
    moment = Math.max(moment, event.recordedAt.getTime());
    if (moment > latest) break;
    const poison = poisonForAll(event);
    if (!poison) gathered.push(event as RecordedEvent);
    else if (!views.every(({ name }) => skips.pass(name, event))) throw poison;
    position = event.position;
    events++;
    if (gathered.length >= batch || (singlyAfter !== undefined && position > singlyAfter)) commit();
  }
  if (latest === Number.POSITIVE_INFINITY) position = end;
  commit();
  return { position, events };
}

/** Leaving the write-ahead log takes the file for itself: refused while anybody else has it open. */
function refuseInUse(file: string): void {
  if (!existsSync(file)) return;
  let db: Connection | undefined;
  try {
    db = new Database(file);
    db.exec('PRAGMA journal_mode = DELETE');
  } catch (error) {
    if (/^SQLITE_BUSY|locked/.test(`${(error as { code?: string }).code} ${(error as Error).message}`)) {
      throw new ViewsInUse(`the view ${file} is in use: stop the service, or rebuild into another directory`);
    }
    // Damaged: it is replaced.
  } finally {
    db?.close();
  }
}

function flush(file: string): void {
  const fd = openSync(file, 'r+');
  fsyncSync(fd);
  closeSync(fd);
}

export interface OpenView {
  db: Connection;
  position: bigint;
  close(): void;
}

/**
 * Opens a view's file to read it as it is now, also while the service keeps it and goes on.
 * @returns undefined where there is none
 */
export function openView(directory: string, projection: Projection): OpenView | undefined {
  const file = join(directory, fileName(projection));
  if (!existsSync(file)) return undefined;
  const db = openReadOnly(file);
  db.exec('BEGIN');
  return {
    db,
    position: readCheckpoint(db),
    close: () => {
      // A close alone lets go of the snapshot only when the statements are collected.
      db.exec('ROLLBACK');
      db.close();
    },
  };
}

/** All that a view holds but its checkpoint, one line a row, in an order of its own: equal views have equal lines. */
export function* dumpView({ db }: { db: Connection }): Generator<string> {
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
    .raw()
    .all() as [string][];
  for (const [table] of tables) {
    if (table === 'checkpoint') continue;
    const columns = db.prepare(`SELECT name FROM pragma_table_info('${table}')`).raw().all() as [string][];
    const order = columns.map((_, i) => i + 1).join(', ');
    const rows = db.prepare(`SELECT * FROM "${table}" ORDER BY ${order}`).raw();
    for (const row of rows.iterate() as Iterable<unknown[]>) {
      const shown = columns.map(([name], i) => [name, ArrayBuffer.isView(row[i]) ? hexOf(row[i]) : row[i]]);
      yield JSON.stringify({ table, ...Object.fromEntries(shown) });
    }
  }
}

const hexOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  Buffer.from(buffer, byteOffset, byteLength).toString('hex');
