/** Views made anew from the log, up to any moment, beside whatever serves meanwhile; and what tells two of them apart. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { isKnownEvent, streams, type ViewSkipped } from '#domain';
import { type EventReader, type RecordedEvent, UnreadableEvent } from '#event-store';
import { type Connection, PoisonedEvent, type Projection } from './projection.js';
import { fileName, openReadOnly, readCheckpoint, ViewFile } from './view-file.js';

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
  /** Told after each transaction. */
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
export async function rebuildViews(options: RebuildOptions): Promise<{ position: bigint; events: number }> {
  const { projections, directory, reader } = options;
  const target = (projection: Projection) => join(directory, fileName(projection));
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const projection of projections) refuseInUse(target(projection));
  // What a killed rebuild left goes first.
  const workshop = join(directory, 'rebuilding');
  rmSync(workshop, { recursive: true, force: true });
  const views = projections.map((projection) => new ViewFile(projection, workshop));
  for (const { db } of views) db.exec(FRESH_FILE);
  let outcome: { position: bigint; events: number };
  try {
    outcome = await foldInto(views, options, await skippedIn(reader));
    for (const view of views) view.finish();
  } catch (error) {
    for (const view of views) view.close();
    rmSync(workshop, { recursive: true, force: true });
    throw error;
  }
  for (const view of views) view.close();
  for (const projection of projections) {
    refuseInUse(target(projection));
    for (const suffix of ['-wal', '-shm']) rmSync(target(projection) + suffix, { force: true });
    const made = join(workshop, fileName(projection));
    flush(made);
    renameSync(made, target(projection));
  }
  rmSync(workshop, { recursive: true, force: true });
  return outcome;
}

async function foldInto(views: ViewFile[], options: RebuildOptions, skipped: ReadonlySet<bigint>) {
  const { reader, until, batch = BATCH_EVENTS, onProgress } = options;
  const head = await reader.head();
  const end = typeof until === 'bigint' && until < head ? until : head;
  const latest = until instanceof Date ? until.getTime() : Number.POSITIVE_INFINITY;
  let [position, events, moment] = [0n, 0, 0];
  let gathered: RecordedEvent[] = [];
  // View by view: what one fold needs stays in the processor's caches.
  const commit = () => {
    for (const view of views) {
      for (const event of gathered) view.take(event);
      view.reach(position);
      view.commit();
    }
    gathered = [];
    onProgress?.(position);
  };
  for await (const event of readPast(reader, skipped)) {
    moment = Math.max(moment, event.recordedAt.getTime());
    if (event.position > end || moment > latest) break;
    if (!skipped.has(event.position)) {
      if (!isKnownEvent(event)) {
        throw new PoisonedEvent(event.position, event.stream, event.type, `unknown type or version ${event.version}`);
      }
      gathered.push(event);
    }
    position = event.position;
    events++;
    if (gathered.length >= batch) commit();
  }
  if (latest === Number.POSITIVE_INFINITY) position = end;
  commit();
  return { position, events };
}

/** The whole log; an event that cannot be read is passed over where an operator said so. */
async function* readPast(reader: EventReader, skipped: ReadonlySet<bigint>): AsyncGenerator<RecordedEvent> {
  for (let after = 0n; ; ) {
    try {
      for await (const event of reader.readAll({ after })) {
        after = event.position;
        yield event;
      }
      return;
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error;
      const { position, stream, type, message } = error;
      if (!skipped.has(position)) throw new PoisonedEvent(position, stream, type, message);
      after = position;
    }
  }
}

async function skippedIn(reader: EventReader): Promise<ReadonlySet<bigint>> {
  const events = (await reader.readStream(streams.views())) as unknown as ViewSkipped[];
  return new Set(events.map(({ data }) => BigInt(data.position)));
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

/** Opens a view's file to read it, also beside the service that keeps it. @returns undefined where there is none */
export function openView(directory: string, projection: Projection): { db: Connection; position: bigint } | undefined {
  const file = join(directory, fileName(projection));
  if (!existsSync(file)) return undefined;
  const db = openReadOnly(file);
  return { db, position: readCheckpoint(db) };
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
