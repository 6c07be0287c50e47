import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { makeFolder, privateDatabase } from '#config/folder';
import { LogCorrupt, LogInUse, LogUnsealed, StoreUnavailable } from '../port.js';

export type Connection = Database.Database;

/** Logs of formats 1 to 3 have no seals, or others: `mvs events seal` makes one of today's of them. */
export const FORMAT = 4;
/** Places beyond it the service never gives: a number of JavaScript does not tell them apart. */
export const LAST_PLACE = Number.MAX_SAFE_INTEGER;

/** SQLite's own words for these do not say what may be the matter. */
const VAGUE = new Set(['SQLITE_IOERR', 'SQLITE_CANTOPEN']);

export const SCHEMA = `
  CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    stream TEXT NOT NULL,
    revision INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    version INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    metadata TEXT,
    data TEXT NOT NULL,
    before TEXT NOT NULL,
    seal TEXT NOT NULL,
    UNIQUE (stream, revision)
  );
  CREATE INDEX events_by_id ON events (id);
  CREATE TABLE log (name TEXT NOT NULL);
  PRAGMA user_version = ${FORMAT};`;

export const logFile = (directory: string) => join(directory, 'events.db');
const lockFile = (directory: string) => join(directory, 'events.lock.db');

/** Opens the log for writing, created where it is not there. Several threads of the owning process may each do so. */
export function openLog(directory: string): Connection {
  const file = logFile(directory);
  return guarded(file, () => {
    const db = new Database(privateDatabase(file));
    // FULL: a commit returns when it is on disk. Checkpoints of 16 MiB instead of 4: fewer writes of the same pages.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000');
    const format = formatOf(db);
    if (format === 0) db.exec(`BEGIN IMMEDIATE; ${SCHEMA} INSERT INTO log VALUES ('${randomUUID()}'); COMMIT`);
    else refuseFormat(file, format);
    return db;
  });
}

/** Opens a log that another process may be writing; nothing can be written through it. */
export function openLogReadOnly(directory: string): Connection {
  const file = logFile(directory);
  if (!existsSync(file)) throw new StoreUnavailable(`no event log at ${file}`);
  return guarded(file, () => {
    const db = new Database(`file:${encodeURI(file).replace(/[?#]/g, encodeURIComponent)}?mode=ro`, {
      timeout: 2,
    } as Database.Options);
    refuseFormat(file, formatOf(db));
    return db;
  });
}

export interface DirectoryLock {
  /** This directory held a log before. */
  readonly created: boolean;
  markCreated(): void;
  release(): void;
}

/**
 * Takes the data directory for this process until `release` or death: the operating system frees a dead owner's lock.
 * @throws LogInUse, StoreUnavailable
 */
export function lockDirectory(directory: string): DirectoryLock {
  let db: Connection | undefined;
  type Owner = [pid: number, since: string, created: number];
  const owner = () => db?.prepare('SELECT pid, since, created FROM owner').raw().get() as Owner | undefined;
  const orSay = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      const inUse = code === 'SQLITE_BUSY';
      const holder = inUse ? owner() : undefined;
      db?.close();
      if (inUse) {
        const who = holder ? `process ${holder[0]} since ${holder[1]}` : 'another process';
        throw new LogInUse(`the data directory ${directory} is in use by ${who}: stop it or choose another directory`);
      }
      throw new StoreUnavailable(`the data directory ${directory} cannot be written: ${message}`, 1, { cause: error });
    }
  };
  /** Committed so that a second process can read whose it is, and taken again at once. */
  const writeOwner = (db: Connection, created: boolean) => {
    db.exec('DELETE FROM owner');
    db.prepare('INSERT INTO owner VALUES (?, ?, ?)').run(process.pid, new Date().toISOString(), created ? 1 : 0);
    db.exec('COMMIT; BEGIN IMMEDIATE');
  };
  return orSay(() => {
    makeFolder(directory, 0o700);
    const held = new Database(privateDatabase(lockFile(directory)));
    db = held;
    held.exec('CREATE TABLE IF NOT EXISTS owner (pid INTEGER, since TEXT, created INTEGER); BEGIN IMMEDIATE');
    const created = owner()?.[2] === 1;
    writeOwner(held, created);
    return {
      created,
      markCreated: () => orSay(() => writeOwner(held, true)),
      release: () => {
        held.exec('ROLLBACK');
        held.close();
      },
    };
  });
}

/** Runs `work` and turns SQLite's failures into the port's. */
export function guarded<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code, libsqlError, message } = error as { code?: string; libsqlError?: boolean; message: string };
    if (code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB') throw corrupt(file, message);
    if (code?.startsWith('SQLITE_') || libsqlError || message.startsWith('ConnectionFailed')) {
      const hint = code && VAGUE.has(code) ? ' (is the disk full or read-only?)' : '';
      throw new StoreUnavailable(`the event log ${file} cannot be used: ${message}${hint}`, 1, { cause: error });
    }
    throw error;
  }
}

export function corrupt(file: string, found: string): LogCorrupt {
  return new LogCorrupt(
    `the event log ${file} is damaged (${found}): put a copy of the whole directory back, or move the file away and ` +
      `save what is readable with: sqlite3 damaged.db .recover | sqlite3 ${file}`,
  );
}

/** Parts of the file that the service did not make so, such as a trigger that lets events vanish; undefined where there is none. */
export function strangePart(db: Connection): string | undefined {
  const parts = (of: Connection) =>
    (
      of
        .prepare(
          "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view') OR tbl_name IN ('events', 'log') ORDER BY name",
        )
        .raw()
        .all() as [string, string, string | null][]
    ).map((one) => JSON.stringify(one));
  const fresh = new Database(':memory:');
  fresh.exec(SCHEMA);
  const own = parts(fresh);
  fresh.close();
  const found = parts(db);
  const strange = found.find((one) => !own.includes(one)) ?? own.find((one) => !found.includes(one));
  if (strange === undefined) return undefined;
  const [type, name] = JSON.parse(strange);
  return `the ${type} ${name}`;
}

export const nameOf = (db: Connection): string =>
  String((db.prepare('SELECT name FROM log').raw().get() as [string] | undefined)?.[0]);

export function formatOf(db: Connection): number {
  return (db.prepare('PRAGMA user_version').raw().get() as [number])[0];
}

/** @throws LogUnsealed, StoreUnavailable */
function refuseFormat(file: string, format: number): void {
  if (format >= 1 && format < FORMAT) throw new LogUnsealed(`the event log ${file}`);
  if (format !== FORMAT)
    throw new StoreUnavailable(`the event log ${file} has format ${format}, this version reads ${FORMAT}: upgrade`);
}
