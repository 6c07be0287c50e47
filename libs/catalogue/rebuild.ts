/** Views made again from the log, up to any moment, while the service runs; and what distinguishes two of them. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isOwnStream } from '#domain/streams';
import { findingsProjection } from '#findings/view';
import type { EventReader, RecordedEvent } from '#kit/log/port';
import { readThrough } from '#kit/log/read-through';
import { openSqliteEventReader } from '#kit/log/sqlite/store';
import { ThreadPool } from '#kit/threads/pool';
import { fileName, openReadOnly, readCheckpoint, remove } from '#kit/views/files';
import { type Connection, PoisonedEvent, type Projection, poisonForAll } from '#kit/views/projection';
import { replaceFiles } from '#kit/views/replacing';
import { Skips } from '#kit/views/skips';
import { ViewFile } from '#kit/views/view-file';
import { PROJECTIONS } from './projections.js';
import { isKnownEvent, upcast } from './upcast.js';

export interface RebuildOptions {
  /** Gives events in their newest version. */
  reader: EventReader;
  /** Folder of the SQLite log that it reads: then a part of the views is folded on a thread that reads it too. */
  log?: string;
  /** Of that log's seals; left out: the one that lies beside it. */
  secrets?: readonly string[];
  projections: readonly Projection[];
  /** Gets the views' files, all of them or none. */
  directory: string;
  /** The last position to fold, or the time that the log's latest time must not pass. Default: all there is. */
  until?: bigint | Date;
  /** Events a transaction: time and memory, never the outcome. */
  batch?: number;
  /** Called after each transaction, of the views that take longest. */
  onProgress?(position: bigint): void;
}

const BATCH_EVENTS = 2000;
/** A file that is thrown away on any failure needs no journal and is flushed to the disk once. A larger cache gains nothing. */
const FRESH_FILE = 'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -4096';

/**
 * Folds the log into fresh files and puts them into the directory.
 * @returns the position that the views stand at, and how many events were read
 * @throws PoisonedEvent at an event that no operator has let pass; ViewsInUse; StoreUnavailable
 */
export function rebuildViews(options: RebuildOptions): Promise<Outcome> {
  const { projections, directory, reader, log } = options;
  const files = projections.map((projection) => fileName(projection));
  const [longest, others] = [projections.filter(isLongest), projections.filter((one) => !isLongest(one))];
  return replaceFiles(directory, files, async (workshop) => {
    const head = await reader.head();
    if (log === undefined || longest.length === 0 || others.length === 0)
      return foldAnew(workshop, { ...options, head });
    const { until, batch, secrets } = options;
    const part: Part = { log, secrets, names: others.map(({ name }) => name), workshop, head, until, batch };
    const pool = new ThreadPool({ threads: 1, inSqlite: true });
    try {
      const parts = await Promise.allSettled([
        foldAnew(workshop, { ...options, projections: longest, head }),
        pool.run<PartOutcome>(new URL('./rebuild.js', import.meta.url), 'foldPart', [part]).then(outcomeOf),
      ]);
      return bothOf(parts);
    } finally {
      await pool.close();
    }
  });
}

/** Folding it takes longer than all others together (reports/performance.md#views). */
const isLongest = ({ name }: Projection) => name === findingsProjection.name;

interface Outcome {
  position: bigint;
  events: number;
}

/** @throws what any of them failed by: of two events at fault the earlier one, as one thread would meet it */
function bothOf(parts: PromiseSettledResult<Outcome>[]): Outcome {
  const errors = parts.flatMap((part) => (part.status === 'rejected' ? [part.reason] : []));
  const poisons = errors.filter((error) => error instanceof PoisonedEvent);
  if (errors.length > poisons.length) throw errors.find((error) => !(error instanceof PoisonedEvent));
  if (poisons.length > 0) throw poisons.reduce((first, one) => (one.position < first.position ? one : first));
  return (parts[0] as PromiseFulfilledResult<Outcome>).value;
}

/** The part of a log that another thread folds. */
interface Part {
  /** Folder of the SQLite log. */
  log: string;
  secrets?: readonly string[];
  /** Names of its views. */
  names: string[];
  workshop: string;
  head: bigint;
  until?: bigint | Date;
  batch?: number;
}
/** Between threads an error keeps its message alone. */
type PartOutcome = Outcome | { poison: ConstructorParameters<typeof PoisonedEvent> };

function outcomeOf(outcome: PartOutcome): Outcome {
  if ('poison' in outcome) throw new PoisonedEvent(...outcome.poison);
  return outcome;
}

/** Run on a thread of its own. */
export async function foldPart({ log, secrets, names, workshop, ...options }: Part): Promise<PartOutcome> {
  const reader = openSqliteEventReader({ directory: log, secrets, upcast });
  const projections = PROJECTIONS.filter(({ name }) => names.includes(name));
  try {
    return await foldAnew(workshop, { ...options, reader, projections });
  } catch (error) {
    if (!(error instanceof PoisonedEvent)) throw error;
    const { position, stream, type, reason, forAll } = error;
    return { poison: [{ position, stream, type }, reason, forAll] };
  } finally {
    await reader.close();
  }
}

interface Folding extends Omit<RebuildOptions, 'directory' | 'log'> {
  /** Head of the log when the rebuild began: all views end there. */
  head: bigint;
}

/** @param singlyAfter from where on each event has a transaction of its own */
async function foldAnew(workshop: string, options: Folding, singlyAfter?: bigint): Promise<Outcome> {
  const skips = await Skips.read(options.reader);
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
  for (const projection of options.projections) remove(join(workshop, fileName(projection)));
  // A row is refused when it is written, maybe long after its event: one by one they show which it was.
  return foldAnew(workshop, options, whole);
}

async function foldInto(views: ViewFile[], options: Folding, skips: Skips, singlyAfter?: bigint) {
  const { reader, head, until, batch = BATCH_EVENTS, onProgress } = options;
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
    const poison = poisonForAll(event, isKnownEvent);
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

/** All that a view holds but its checkpoint, one line per row, in an order of its own: equal views have equal lines. */
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
