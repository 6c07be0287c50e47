/** Whether a log's bytes are those that were written: looked through beside its use, in a thread of its own. */
import { Worker } from 'node:worker_threads';
import { LogCorrupt, UnreadableEvent } from '../port.js';
import { letPassIn, logFile, openLogReadOnly } from './database.js';
import { LogReader, WINDOW } from './reader.js';
import { type Row, readRow } from './row.js';

/** An event that is not as it was written. What cannot be told of it is null. */
export interface LogDamage {
  position: string;
  stream: string | null;
  revision: number | null;
  type: string | null;
  problem: string;
}

/** All up to `checked` has been looked at; `head` is where the log ended when the check began. */
export interface LogCheckStep {
  checked: number;
  head: number;
  damage: LogDamage[];
}

/**
 * Looks through the log: each event's checksum and JSON, and that the indices lead to it. Events that an operator has let
 * pass are passed over. Each step reads one window and leaves no snapshot open.
 * @param letPass stream whose events name those
 * @throws StoreUnavailable, LogCorrupt where not even the log's end can be read
 */
export function* checkSteps(directory: string, letPass?: string): Generator<LogCheckStep> {
  const reader = new LogReader(openLogReadOnly(directory), logFile(directory));
  try {
    const rowsBetween = reader.between({});
    const indexed = [
      'INDEXED BY sqlite_autoindex_events_1 WHERE stream = ?2 AND revision = ?3 AND position = ?1',
      'INDEXED BY events_by_id WHERE id = ?4 AND position = ?1',
    ].map((how) => reader.db.prepare(`SELECT ?1, ?2, ?3, ?4 FROM events ${how}`).raw());
    const problemOf = (row: Row): string | undefined => {
      try {
        readRow(row);
      } catch (error) {
        return (error as UnreadableEvent).reason;
      }
      const [position, stream, revision, id] = row;
      const found = indexed.every((index) => index.get(position, stream, revision, id) !== undefined);
      return found ? undefined : 'an index of the log does not lead to it';
    };
    /** Where a page of the file is damaged, halves are looked at until it is known which events it took. */
    const damageIn = (after: number, upTo: number): LogDamage[] => {
      try {
        return rowsBetween(after, upTo).flatMap((row) => {
          const problem = problemOf(row);
          if (problem === undefined || letPassIn(reader.db, letPass, row)) return [];
          const [position, stream, revision, , type] = row;
          return { position: String(position), stream, revision, type, problem };
        });
      } catch (error) {
        const corrupt = error instanceof LogCorrupt || (error as { code?: string }).code === 'SQLITE_CORRUPT';
        if (!corrupt) throw error;
        const half = Math.floor((after + upTo) / 2);
        if (half > after) return [...damageIn(after, half), ...damageIn(half, upTo)];
        const problem = 'its page in the file cannot be read';
        return [{ position: String(upTo), stream: null, revision: null, type: null, problem }];
      }
    };
    const head = reader.head();
    for (let checked = 0; checked < head; ) {
      const upTo = Math.min(checked + WINDOW, head);
      const damage = damageIn(checked, upTo);
      checked = upTo;
      yield { checked, head, damage };
    }
  } finally {
    reader.close();
  }
}

export interface LogCheckState {
  /** `damaged` as soon as damage is found; `failed` where the check itself could not go on. */
  status: 'running' | 'sound' | 'damaged' | 'failed';
  /** Positions looked at, of those up to `head`; null before the first window. */
  checked: string | null;
  head: string | null;
  /** Events that are not as they were written, and the first of them. */
  damaged: number;
  damage: LogDamage[];
  reason?: string;
}

export interface LogCheckOptions {
  directory: string;
  letPass?: string;
  onDamage(damage: LogDamage): void;
  /** Once, unless it is closed before. */
  onEnd(state: LogCheckState): void;
}

/** Damage that is told one by one; all is counted. */
const MOST_TOLD = 100;

export type LogCheckMessage = LogCheckStep | { failed: string };

/** One look through the log, from `start` on. */
export class LogCheck {
  state: LogCheckState = { status: 'running', checked: null, head: null, damaged: 0, damage: [] };
  private thread: Worker | undefined;
  private closed = false;

  constructor(private readonly options: LogCheckOptions) {}

  start(): void {
    const { directory, letPass } = this.options;
    const thread = new Worker(new URL('./check-thread.js', import.meta.url), { workerData: { directory, letPass } });
    thread.unref();
    thread.on('message', (message: LogCheckMessage) => this.take(message));
    thread.on('error', (error) => this.fail(error.message));
    thread.on('exit', () => this.end());
    this.thread = thread;
  }

  async close(): Promise<void> {
    this.closed = true;
    const { thread } = this;
    if (!thread) return;
    thread.ref();
    const exited = new Promise((resolve) => thread.once('exit', resolve));
    thread.postMessage('close');
    await exited;
  }

  private take(message: LogCheckMessage): void {
    if ('failed' in message) {
      this.fail(message.failed);
      return;
    }
    const { checked, head, damage } = message;
    const told = damage.slice(0, MOST_TOLD - this.state.damage.length);
    this.state = {
      status: damage.length > 0 ? 'damaged' : this.state.status,
      checked: String(checked),
      head: String(head),
      damaged: this.state.damaged + damage.length,
      damage: [...this.state.damage, ...told],
    };
    for (const one of told) this.options.onDamage(one);
  }

  private fail(reason: string): void {
    if (!this.closed) this.state = { ...this.state, status: 'failed', reason };
  }

  private end(): void {
    this.thread = undefined;
    if (this.closed) return;
    if (this.state.status === 'running') this.state = { ...this.state, status: 'sound' };
    this.options.onEnd(this.state);
  }
}
