/**
 * A read model in a SQLite file of its own: a pure fold of the log, disposable, rebuilt when its file is gone, damaged
 * or made by another fold. Checkpoint and effect are one transaction.
 */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'libsql';
import { type Static, Type } from 'typebox';
import { makeFolder, privateDatabase } from '#config/folder';
import type { EventReader, RecordedEvent } from '#kit/log/port';
import {
  fileName,
  isDiskTrouble,
  markOf,
  missing,
  type OldFile,
  openFile,
  openOld,
  readCheckpoint,
  readMark,
  remove,
  removeOthers,
} from './files.js';
import { type Connection, PoisonedEvent, type Projection } from './projection.js';
import { Tables } from './tables.js';

export const viewHealth = Type.Object(
  {
    name: Type.String({ description: 'the view' }),
    version: Type.Integer({ description: 'version of its fold' }),
    position: Type.String({ description: 'position up to which it holds every event' }),
    caughtUp: Type.Boolean({ description: 'whether it has reached the log’s end since the start' }),
    rebuilding: Type.Optional(
      Type.Object(
        { servedPosition: Type.String({ description: 'position of the old file, which answers meanwhile' }) },
        { $id: 'Rebuilding' },
      ),
    ),
    failure: Type.Optional(Type.String({ description: 'why it has stopped' })),
  },
  { $id: 'View' },
);
export type ViewHealth = Static<typeof viewHealth>;
export const viewList = Type.Object({ views: Type.Array(viewHealth) }, { $id: 'ViewList' });

export class ViewFile {
  private readonly file: string;
  private building!: Connection;
  /** Of the file that is open. */
  private inode = 0;
  /** File of an older fold over the same tables, served until this one has caught up. */
  private old: OldFile | undefined;
  private tables!: Tables;
  private fold!: (event: RecordedEvent) => void;
  private readonly types: ReadonlySet<string>;
  private save!: Database.Statement<[string, string | null]>;
  private checkpoint = 0n;
  private saved = 0n;
  private inTransaction = false;
  /** The latest event that was folded. */
  private latest: RecordedEvent | undefined;
  /** The error that made a flush for a reader give the transaction up; thrown at the next fold. */
  private lost: Error | undefined;
  private waiters: { position: bigint; settle(): void }[] = [];
  private caughtUp = false;
  private stoppedBy: Error | undefined;
  /** True once the files of other versions are deleted. */
  private alone = false;
  /** True while it is unknown if the files belong to the log. */
  private doubted: boolean;

  /** @param log that it is a view of: then `confirm` comes before anything is folded or answered */
  constructor(
    readonly projection: Projection,
    private readonly directory: string,
    private readonly log?: EventReader,
  ) {
    makeFolder(directory, 0o700);
    this.file = join(directory, fileName(projection));
    this.types = new Set(projection.types);
    this.doubted = log !== undefined;
    this.open();
    this.old = openOld(directory, projection);
  }

  private open(): void {
    this.building = openFile(this.file, this.projection);
    this.inode = inodeOf(this.file);
    this.checkpoint = this.saved = readCheckpoint(this.building);
    this.save = this.building.prepare('UPDATE checkpoint SET position = ?, event = coalesce(?, event)');
    this.prepare();
  }

  /**
   * Makes sure that the files are views of the log, by the latest event that each of them holds; a file of another log
   * is deleted. Until then no position counts as reached.
   * @returns why the view begins again
   */
  async confirm(): Promise<string | undefined> {
    if (!this.log || !this.doubted) return undefined;
    const mark = readMark(this.building);
    const why = mark && (await missing(this.log, mark));
    const oldMark = this.old && readMark(this.old.db);
    if (oldMark && (await missing(this.log, oldMark))) {
      this.old?.db.close();
      this.old = undefined;
    }
    if (why) {
      this.building.close();
      remove(this.file);
      this.open();
    }
    // Nothing was folded between the mark and the checkpoint, which may stand in a part of the log that is gone.
    else this.checkpoint = this.saved = BigInt(mark?.position ?? 0);
    this.doubted = false;
    this.wake();
    return why;
  }

  /**
   * Begins again with an empty file where another hand took the file, or its folder, away. What is open would go on, and be read
   * by nobody.
   * @returns true where it did; then everything is to be folded again
   * @throws where the disk takes no file: nothing has changed then
   */
  restoreIfGone(): boolean {
    if (inodeOf(this.file) === this.inode) return false;
    makeFolder(this.directory, 0o700);
    remove(this.file);
    privateDatabase(this.file);
    this.old?.db.close();
    this.old = undefined;
    this.building.close();
    Object.assign(this, { inTransaction: false, lost: undefined, latest: undefined, caughtUp: false, alone: false });
    this.open();
    return true;
  }

  get name(): string {
    return this.projection.name;
  }

  /**
   * The connection that answers. Readers also see rows that are not committed yet; a crash loses only rows that are
   * folded again. @throws where the disk does not take the gathered rows
   */
  get db(): Connection {
    if (this.old) return this.old.db;
    this.forReader(() => this.tables.flush());
    return this.building;
  }

  /** The file that answers, with all folded rows in it: for another thread to read. @throws as `db` does */
  committed(): string {
    if (this.old) return this.old.file;
    if (this.inTransaction) this.forReader(() => this.write());
    return this.file;
  }

  get position(): bigint {
    return this.checkpoint;
  }

  get stopped(): Error | undefined {
    return this.stoppedBy;
  }

  /** Position of the older fold's file that answers while the new one is built; undefined where there is none. */
  get served(): string | undefined {
    return this.doubted ? undefined : this.old?.position;
  }

  /** Folds one event. @throws PoisonedEvent; other errors are the disk's. Both give the open transaction up. */
  take(event: RecordedEvent): void {
    this.throwLost();
    this.latest = event;
    try {
      this.begin();
      if (this.types.has(event.type)) this.fold(event);
    } catch (error) {
      throw this.rollback(error);
    }
    this.reach(event.position);
  }

  /** True if everything up to the position is folded. False while a lost transaction is still to be reported. */
  reach(position: bigint): void {
    if (this.lost || position <= this.checkpoint) return;
    this.checkpoint = position;
    this.wake();
  }

  private wake(): void {
    for (const waiter of [...this.waiters]) if (waiter.position <= this.checkpoint) waiter.settle();
  }

  /**
   * Rows that were not committed are folded again.
   * @throws where the disk does not take it; PoisonedEvent for the latest event where it or one gathered before it is no row
   */
  commit(): void {
    this.throwLost();
    if (!this.inTransaction && this.checkpoint - this.saved < IDLE_CHECKPOINT) return;
    try {
      this.write();
    } catch (error) {
      throw this.rollback(error);
    }
  }

  /** The view holds the whole log: the old file is no longer needed. */
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
    for (const waiter of [...this.waiters]) waiter.settle();
  }

  resume(): void {
    this.stoppedBy = undefined;
  }

  /** Resolves true once the view holds everything up to the position, false when it does not within the time. */
  async waitFor(position: bigint, timeoutMs: number): Promise<boolean> {
    if (!this.doubted && this.checkpoint >= position) return this.answers();
    if (this.stoppedBy || timeoutMs <= 0) return false;
    return new Promise((resolve) => {
      const settle = () => {
        clearTimeout(timer);
        this.waiters = this.waiters.filter((one) => one !== waiter);
        resolve(!this.doubted && this.checkpoint >= position && this.answers());
      };
      const timer = setTimeout(settle, timeoutMs);
      const waiter = { position, settle };
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
    for (const waiter of [...this.waiters]) waiter.settle();
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
    this.tables.flush();
    this.save.run(String(this.checkpoint), this.latest ? markOf(this.latest) : null);
    this.building.exec('COMMIT');
    this.inTransaction = false;
    this.saved = this.checkpoint;
  }

  /** The fold hears of a failure too: the gathered events are to be folded again. */
  private forReader(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.lost = this.rollback(error);
      throw this.lost;
    }
  }

  /** @returns the error, put down to the latest event where an event caused it */
  private rollback(error: unknown): Error {
    const blamed =
      isDiskTrouble(error) || !this.latest ? error : new PoisonedEvent(this.latest, (error as Error).message);
    if (this.inTransaction) {
      try {
        this.building.exec('ROLLBACK');
      } catch {
        // SQLite has given up the transaction itself.
      }
    }
    this.inTransaction = false;
    this.checkpoint = this.saved;
    // Not written into the file: it does not describe it.
    this.latest = undefined;
    this.prepare();
    return blamed as Error;
  }

  private prepare(): void {
    this.tables = new Tables(this.building);
    this.fold = this.projection.fold(this.tables);
  }

  private throwLost(): void {
    const { lost } = this;
    this.lost = undefined;
    if (lost) throw lost;
  }
}

/** 0 where there is no file. */
const inodeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.ino ?? 0;

/** Positions that may pass without an effect before the checkpoint alone is worth a transaction. */
const IDLE_CHECKPOINT = 1000n;
