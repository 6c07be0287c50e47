/**
 * A read model in a SQLite file of its own: a pure fold of the log, disposable, rebuilt when its file is gone, damaged
 * or made by another fold. Checkpoint and effect are one transaction.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import type { RecordedEvent } from '#event-store';
import { type Connection, PoisonedEvent, type Projection } from './projection.js';
import { Writer } from './rows.js';

export interface ViewHealth {
  name: string;
  version: number;
  /** Everything up to here is in the view. */
  position: string;
  caughtUp: boolean;
  /** A changed projection is being rebuilt: the old one's file answers, as far as it goes. */
  rebuilding?: { servedPosition: string };
  /** Why it has stopped, with position and type of the event. */
  failure?: string;
}

interface OldFile {
  file: string;
  db: Connection;
  position: string;
}

export class ViewFile {
  private readonly file: string;
  private readonly building: Connection;
  /** File of an older fold over the same tables, served until this one has caught up. */
  private old: OldFile | undefined;
  private writer!: Writer;
  private fold!: (event: RecordedEvent) => void;
  private readonly types: ReadonlySet<string>;
  private readonly save;
  private checkpoint: bigint;
  private saved: bigint;
  private inTransaction = false;
  /** The latest event that was folded. */
  private latest: RecordedEvent | undefined;
  /** Why a flush for a reader gave the transaction up: told to whoever folds. */
  private lost: Error | undefined;
  private waiters: { position: bigint; wake(): void }[] = [];
  private caughtUp = false;
  private stoppedBy: Error | undefined;
  /** The files of other versions are gone. */
  private alone = false;

  constructor(
    readonly projection: Projection,
    private readonly directory: string,
  ) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.file = join(directory, fileName(projection));
    this.building = openFile(this.file, projection);
    this.checkpoint = this.saved = readCheckpoint(this.building);
    this.save = this.building.prepare('UPDATE checkpoint SET position = ?');
    this.types = new Set(projection.types);
    this.prepare();
    this.old = openOld(directory, projection);
  }

  get name(): string {
    return this.projection.name;
  }

  /**
   * The connection that answers. Readers see what the fold has not committed yet; a crash loses only what is folded
   * again. @throws where the disk does not take what was gathered
   */
  get db(): Connection {
    if (this.old) return this.old.db;
    this.forReader(() => this.writer.flush());
    return this.building;
  }

  /** The file that answers, with all in it that was folded: for another thread to read. @throws as `db` does */
  committed(): string {
    if (this.old) return this.old.file;
    this.forReader(() => this.write());
    return this.file;
  }

  get position(): bigint {
    return this.checkpoint;
  }

  get stopped(): Error | undefined {
    return this.stoppedBy;
  }

  /** How far the older fold's file goes that answers while the new one is being built; undefined where none does. */
  get served(): string | undefined {
    return this.old?.position;
  }

  /** Folds one event. @throws PoisonedEvent; other errors are the disk's. Either way the open transaction is given up. */
  take(event: RecordedEvent): void {
    this.throwLost();
    this.latest = event;
    try {
      this.begin();
      if (this.types.has(event.type)) this.fold(event);
    } catch (error) {
      this.rollback();
      throw this.blamed(error);
    }
    this.reach(event.position);
  }

  /** Nothing at or before the position is left to fold, unless a transaction was lost that whoever folds is still to be told of. */
  reach(position: bigint): void {
    if (this.lost || position <= this.checkpoint) return;
    this.checkpoint = position;
    for (const waiter of [...this.waiters]) if (waiter.position <= position) waiter.wake();
  }

  /**
   * What was not committed is folded again.
   * @throws where the disk does not take it; PoisonedEvent for the latest event where it or one gathered before it is no row
   */
  commit(): void {
    this.throwLost();
    if (!this.inTransaction && this.checkpoint - this.saved < IDLE_CHECKPOINT) return;
    try {
      this.write();
    } catch (error) {
      this.rollback();
      throw this.blamed(error);
    }
  }

  /** The view holds the log: the old file has served. */
  finish(): void {
    this.commit();
    this.caughtUp = true;
    this.old?.db.close();
    this.old = undefined;
    if (!this.alone) removeOthers(this.directory, this.projection);
    this.alone = true;
  }

  stop(error: Error): void {
    this.stoppedBy = error;
    for (const waiter of [...this.waiters]) waiter.wake();
  }

  resume(): void {
    this.stoppedBy = undefined;
  }

  /** Resolves true once the view holds everything up to the position, false when it does not within the time. */
  async waitFor(position: bigint, timeoutMs: number): Promise<boolean> {
    if (this.checkpoint >= position) return this.answers();
    if (this.stoppedBy || timeoutMs <= 0) return false;
    return new Promise((resolve) => {
      const settle = () => {
        clearTimeout(timer);
        this.waiters = this.waiters.filter((one) => one !== waiter);
        resolve(this.checkpoint >= position && this.answers());
      };
      const timer = setTimeout(settle, timeoutMs);
      const waiter = { position, wake: settle };
      this.waiters.push(waiter);
    });
  }

  private answers(): boolean {
    try {
      return this.db !== undefined;
    } catch {
      return false;
    }
  }

  health(): ViewHealth {
    return {
      name: this.name,
      version: this.projection.version,
      position: String(this.checkpoint),
      caughtUp: this.caughtUp,
      ...(this.old && { rebuilding: { servedPosition: this.old.position } }),
      ...(this.stoppedBy && { failure: this.stoppedBy.message }),
    };
  }

  close(): void {
    for (const waiter of [...this.waiters]) waiter.wake();
    try {
      this.commit();
    } catch {
      // A full disk: the next start folds it again.
    }
    this.old?.db.close();
    this.building.close();
  }

  private begin(): void {
    if (this.inTransaction) return;
    this.building.exec('BEGIN');
    this.inTransaction = true;
  }

  private write(): void {
    this.begin();
    this.writer.flush();
    this.save.run(String(this.checkpoint));
    this.building.exec('COMMIT');
    this.inTransaction = false;
    this.saved = this.checkpoint;
  }

  /** Whoever folds is told of a failure too: what was gathered is to be folded again. */
  private forReader(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.rollback();
      this.lost = this.blamed(error);
      throw this.lost;
    }
  }

  private rollback(): void {
    if (this.inTransaction) {
      try {
        this.building.exec('ROLLBACK');
      } catch {
        // SQLite has given the transaction up itself.
      }
    }
    this.inTransaction = false;
    this.checkpoint = this.saved;
    this.prepare();
  }

  private prepare(): void {
    this.writer = new Writer(this.building);
    this.fold = this.projection.fold(this.building, this.writer);
  }

  /** What the disk does is no event's fault. */
  private blamed(error: unknown): Error {
    if (isDiskTrouble(error) || !this.latest) return error as Error;
    const { position, stream, type } = this.latest;
    return new PoisonedEvent(position, stream, type, (error as Error).message);
  }

  private throwLost(): void {
    const { lost } = this;
    this.lost = undefined;
    if (lost) throw lost;
  }
}

/** Of the write-ahead log before it goes into the file: fewer writes of the same pages than SQLite's own 4 MiB. */
const WAL_BYTES = 1 << 24;
/** Positions that may pass without an effect before the checkpoint alone is worth a transaction. */
const IDLE_CHECKPOINT = 1000n;

/** The state of the disk, not the event: worth another try. */
const isDiskTrouble = (error: unknown): boolean =>
  /^SQLITE_(FULL|IOERR|READONLY|BUSY|CANTOPEN|LOCKED|NOMEM)/.test(String((error as { code?: unknown })?.code));

/** Names of the tables and their columns: a file of another fold over the same ones answers the same queries. */
const layoutOf = ({ schema }: Projection): string =>
  createHash('sha256').update(schema.replace(/\s+/g, ' ')).digest('hex').slice(0, 8);

export const fileName = (projection: Projection): string =>
  `${projection.name}.${projection.version}.${layoutOf(projection)}.db`;

export const readCheckpoint = (db: Connection): bigint =>
  BigInt((db.prepare('SELECT position FROM checkpoint').raw().get() as [string])[0]);

/** A file that another connection may write to meanwhile. */
export const openReadOnly = (file: string): Connection =>
  new Database(`file:${encodeURI(file).replace(/[?#]/g, encodeURIComponent)}?mode=ro`, {
    timeout: 2,
  } as Database.Options);

function remove(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}

/** Files of other versions of this projection. */
function others(directory: string, projection: Projection): string[] {
  const own = fileName(projection);
  return readdirSync(directory).filter(
    (name) => name.startsWith(`${projection.name}.`) && name.endsWith('.db') && name !== own,
  );
}

function removeOthers(directory: string, projection: Projection): void {
  for (const name of others(directory, projection)) remove(join(directory, name));
}

function openOld(directory: string, projection: Projection): OldFile | undefined {
  const layout = `.${layoutOf(projection)}.db`;
  for (const name of others(directory, projection).filter((one) => one.endsWith(layout))) {
    try {
      const file = join(directory, name);
      const db = new Database(file);
      return { file, db, position: String(readCheckpoint(db)) };
    } catch {
      // Damaged: there is nothing to serve from it.
    }
  }
  return undefined;
}

function openFile(file: string, projection: Projection): Connection {
  try {
    return open(file, projection);
  } catch (error) {
    if (isDiskTrouble(error)) throw error;
    // Damaged: nothing is lost with it.
    remove(file);
    return open(file, projection);
  }
}

function open(file: string, { version, schema, pageBytes = 4096 }: Projection): Connection {
  const db = new Database(file);
  try {
    // The size of pages is a new file's alone, and set before its journal.
    db.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL`);
    db.exec(`PRAGMA wal_autocheckpoint = ${WAL_BYTES / pageBytes}`);
    const [found] = db.prepare('PRAGMA user_version').raw().get() as [number];
    if (found === version) return db;
    if (found !== 0) throw new Error('another version');
    db.exec(
      `BEGIN; ${schema}; CREATE TABLE checkpoint (position TEXT NOT NULL); INSERT INTO checkpoint VALUES ('0');
       PRAGMA user_version = ${version}; COMMIT`,
    );
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
