/** The SQLite files that hold views: their names, their log's mark, how they are opened. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { type Static, Type } from 'typebox';
import { privateDatabase } from '#config/folder';
import { type EventReader, type RecordedEvent, UnreadableEvent } from '#kit/log/port';
import type { Connection, Projection } from './projection.js';

/** Pages of the write-ahead log before it goes into the file, 16 MiB: fewer writes of the same ones than SQLite's own 4 MiB. */
const WAL_PAGES = 4096;

/** File of an older fold over the same tables. */
export interface OldFile {
  file: string;
  db: Connection;
  position: string;
}

/** The state of the disk, not the event: worth another try. */
export const isDiskTrouble = (error: unknown): boolean =>
  /^SQLITE_(FULL|IOERR|READONLY|BUSY|CANTOPEN|LOCKED|NOMEM)/.test(String((error as { code?: unknown })?.code));

/** `event` marks the log: the latest event that was folded, null before the first. */
const CHECKPOINT = 'CREATE TABLE checkpoint (position TEXT NOT NULL, event TEXT)';

/** Names of the tables and their columns: a file of another fold over the same ones answers the same queries. */
const layoutOf = ({ schema }: Projection): string =>
  createHash('sha256').update(`${schema};${CHECKPOINT}`.replace(/\s+/g, ' ')).digest('hex').slice(0, 8);

export const fileName = (projection: Projection): string =>
  `${projection.name}.${projection.version}.${layoutOf(projection)}.db`;

export const readCheckpoint = (db: Connection): bigint =>
  BigInt((db.prepare('SELECT position FROM checkpoint').raw().get() as [string])[0]);

const whole = Type.String({ pattern: '^[0-9]{1,18}$' });
/** Identity of the latest event that a file holds. */
export const mark = Type.Object({ stream: Type.String(), revision: whole, id: Type.String(), position: whole });
type Mark = Static<typeof mark>;

export const markOf = ({ stream, revision, id, position }: RecordedEvent): string =>
  JSON.stringify({ stream, revision: String(revision), id, position: String(position) } satisfies Mark);

export function readMark(db: Connection): Mark | undefined {
  const [event] = db.prepare('SELECT event FROM checkpoint').raw().get() as [string | null];
  return event === null ? undefined : JSON.parse(event);
}

/** Tells, in words, if the log does not hold an event at its place: a copy keeps streams and ids, not positions. */
export async function missing(log: EventReader, { stream, revision, id, position }: Mark): Promise<string | undefined> {
  const found = await log.readStream(stream, { from: BigInt(revision), limit: 1 }).catch((error) => {
    if (error instanceof UnreadableEvent) return [error];
    throw error;
  });
  if (found[0]?.id === id && String(found[0].position) === position) return undefined;
  return `the log does not hold the view's latest event (revision ${revision} of stream ${stream}) at position ${position}`;
}

/** A file that another connection may write to meanwhile. */
export const openReadOnly = (file: string): Connection =>
  new Database(`file:${encodeURI(file).replace(/[?#]/g, encodeURIComponent)}?mode=ro`, {
    timeout: 2,
  } as Database.Options);

/**
 * Copies a view as it is now into a folder, by one read of its file, whatever is written to it meanwhile.
 * @returns the position that the copy goes on from; undefined where there is no such view
 */
export function copyView(directory: string, projection: Projection, into: string): bigint | undefined {
  const file = join(directory, fileName(projection));
  if (!existsSync(file)) return undefined;
  const copy = privateDatabase(join(into, fileName(projection)));
  withFile(file, (db) => db.prepare('VACUUM INTO ?').run(copy));
  return withFile(copy, readCheckpoint);
}

function withFile<T>(file: string, work: (db: Connection) => T): T {
  const db = openReadOnly(file);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

export function remove(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}

/** Files of other versions of this projection. */
function others(directory: string, projection: Projection): string[] {
  const own = fileName(projection);
  return readdirSync(directory).filter(
    (name) => name.startsWith(`${projection.name}.`) && name.endsWith('.db') && name !== own,
  );
}

export function removeOthers(directory: string, projection: Projection): void {
  for (const name of others(directory, projection)) remove(join(directory, name));
}

export function openOld(directory: string, projection: Projection): OldFile | undefined {
  const layout = `.${layoutOf(projection)}.db`;
  for (const name of others(directory, projection).filter((one) => one.endsWith(layout))) {
    try {
      const file = join(directory, name);
      const db = new Database(privateDatabase(file));
      return { file, db, position: String(readCheckpoint(db)) };
    } catch {
      // Damaged: there is nothing to serve from it.
    }
  }
  return undefined;
}

export function openFile(file: string, projection: Projection): Connection {
  try {
    return open(file, projection);
  } catch (error) {
    if (isDiskTrouble(error)) throw error;
    // Damaged: nothing is lost with it.
    remove(file);
    return open(file, projection);
  }
}

function open(file: string, { version, schema }: Projection): Connection {
  const db = new Database(privateDatabase(file));
  try {
    db.exec(`PRAGMA synchronous = NORMAL; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = ${WAL_PAGES}`);
    const [found] = db.prepare('PRAGMA user_version').raw().get() as [number];
    if (found === version) return db;
    if (found !== 0) throw new Error('another version');
    db.exec(
      `BEGIN; ${schema}; ${CHECKPOINT}; INSERT INTO checkpoint VALUES ('0', NULL);
       PRAGMA user_version = ${version}; COMMIT`,
    );
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
