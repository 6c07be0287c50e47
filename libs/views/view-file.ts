/**
 * A read model in a SQLite file of its own: a pure fold of the log, disposable, rebuilt when its file is gone, damaged
 * or of an older version. Checkpoint and effect are one transaction.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import type { EventReader, RecordedEvent, Subscription } from '#event-store';

export type Connection = Database.Database;

/** What a view is: its tables, the events it folds, and the fold. */
export interface Projection {
  name: string;
  /** Raised with every change of tables or fold: a file of another version is rebuilt. */
  version: number;
  schema: string;
  types: readonly string[];
  /** Prepares its statements and returns the fold of one event. */
  fold(db: Connection): (event: RecordedEvent) => void;
}

/** Events in one transaction while catching up, and the time a transaction stays open at most. */
const BATCH_EVENTS = 1000;
const BATCH_MILLISECONDS = 25;

export interface ViewHealth {
  position: string;
  caughtUp: boolean;
  failure?: string;
}

export class ViewFile {
  readonly db: Connection;
  private readonly fold: (event: RecordedEvent) => void;
  private readonly saveCheckpoint: (position: bigint) => void;
  private subscription: Subscription | undefined;
  private checkpoint: bigint;
  private pending = 0;
  private timer: NodeJS.Timeout | undefined;
  private waiters: { position: bigint; wake(): void }[] = [];
  private caughtUp = false;
  private failure: Error | undefined;

  constructor(projection: Projection, directory: string, store: EventReader) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.db = openFile(join(directory, `${projection.name}.db`), projection);
    const [saved] = this.db.prepare('SELECT position FROM checkpoint').raw().get() as [string];
    this.checkpoint = BigInt(saved);
    const save = this.db.prepare('UPDATE checkpoint SET position = ?');
    this.saveCheckpoint = (position) => save.run(String(position));
    this.fold = projection.fold(this.db);
    this.subscription = store.subscribe(
      { after: this.checkpoint, types: projection.types },
      {
        onEvent: (event) => this.take(event),
        onCheckpoint: (position) => this.reach(position),
        onCaughtUp: () => {
          this.caughtUp = true;
        },
        onDropped: (error) => this.drop(error),
      },
    );
  }

  /** Resolves true once the view holds everything up to the position, false when it does not within the time. */
  async waitFor(position: bigint, timeoutMs: number): Promise<boolean> {
    if (this.checkpoint >= position) return true;
    if (this.failure || timeoutMs <= 0) return false;
    return new Promise((resolve) => {
      const settle = (reached: boolean) => {
        clearTimeout(timer);
        this.waiters = this.waiters.filter((one) => one !== waiter);
        resolve(reached);
      };
      const timer = setTimeout(() => settle(false), timeoutMs);
      const waiter = { position, wake: () => settle(this.checkpoint >= position) };
      this.waiters.push(waiter);
    });
  }

  health(): ViewHealth {
    return {
      position: String(this.checkpoint),
      caughtUp: this.caughtUp,
      ...(this.failure && { failure: this.failure.message }),
    };
  }

  async close(): Promise<void> {
    await this.subscription?.close();
    this.commit();
    this.db.close();
  }

  private take(event: RecordedEvent): void {
    if (this.pending++ === 0) {
      this.db.exec('BEGIN');
      this.timer = setTimeout(() => this.commit(), BATCH_MILLISECONDS);
    }
    this.fold(event);
    this.checkpoint = event.position;
    if (this.pending >= BATCH_EVENTS) this.commit();
    this.wake();
  }

  private reach(position: bigint): void {
    this.checkpoint = position;
    this.wake();
  }

  private wake(): void {
    for (const waiter of [...this.waiters]) if (waiter.position <= this.checkpoint) waiter.wake();
  }

  /** Readers share the connection, so they see what is not committed yet; a crash loses only what is folded again. */
  private commit(): void {
    clearTimeout(this.timer);
    if (this.pending === 0) return;
    this.saveCheckpoint(this.checkpoint);
    this.db.exec('COMMIT');
    this.pending = 0;
  }

  /** The fold stops at an event that it cannot take: never a silent skip. */
  private drop(error: Error): void {
    this.failure = error;
    clearTimeout(this.timer);
    if (this.pending > 0) this.db.exec('ROLLBACK');
    this.pending = 0;
    for (const waiter of [...this.waiters]) waiter.wake();
  }
}

function openFile(file: string, projection: Projection): Connection {
  try {
    return open(file, projection);
  } catch {
    // Damaged or of another version: nothing is lost with it.
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    return open(file, projection);
  }
}

function open(file: string, { version, schema }: Projection): Connection {
  const db = new Database(file);
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000');
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
