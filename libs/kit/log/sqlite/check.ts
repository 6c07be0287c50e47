/**
 * Checks during its use, in a thread of its own, that a log's bytes are those that were written, and whatever else is asked
 * of it.
 */

import { streams } from '#domain/streams';
import { ThreadPool } from '#kit/threads/pool';
import { acceptedHoles } from '../events-lost.js';
import { readMark } from '../high-water-mark.js';
import { LogCorrupt, type RecordedEvent, UnreadableEvent } from '../port.js';
import { LogSeals, type Unsealed } from '../seal.js';
import type { LogCheckState, LogDamage } from './damage.js';
import { guarded, logFile, openLogReadOnly } from './database.js';
import { holesOf } from './holes.js';
import { isAcceptedDamage } from './opening.js';
import { LogReader, WINDOW } from './reader.js';
import { isFormerForm, type Reading, type Row, readRow } from './row.js';
import { beginSeals, copiesIn, secretsOf } from './seals.js';

/** All up to `checked` has been looked at; `head` is where the log ended when the check began. */
export interface LogCheckStep {
  checked: number;
  head: number;
  damage: LogDamage[];
  /** Rows that are no events. */
  unsealed: Unsealed[];
}

/** The log that is looked at. */
export interface CheckedLog {
  directory: string;
  /** Of the seals; left out: the one that lies beside the log. */
  secrets?: readonly string[];
  /** Stream whose events name those that an operator has let pass. */
  letPass?: string;
}

/**
 * Looks through the log: each event's checksum and JSON, that no checksum goes back to the former form, that no event
 * stands below position 1, that the indices lead to each, and that none is gone. Events that an operator has let pass are
 * passed over. Each step reads one window and leaves no snapshot open.
 * @throws StoreUnavailable, LogSecretMissing, LogCorrupt where not even the log's end can be read
 */
export function* checkSteps({ directory, secrets, letPass }: CheckedLog): Generator<LogCheckStep> {
  const db = openLogReadOnly(directory);
  let unsealed: Unsealed[] = [];
  const seals = new LogSeals(secretsOf(directory, secrets), { onFound: (found) => unsealed.push(found) });
  const reading = { seals, isCopy: copiesIn(db) };
  const reader = new LogReader(db, logFile(directory), reading);
  try {
    guarded(reader.file, () => beginSeals(db, seals));
    const rowsBetween = reader.between({});
    const indexed = [
      'INDEXED BY sqlite_autoindex_events_1 WHERE stream = ?2 AND revision = ?3 AND position = ?1',
      'INDEXED BY events_by_id WHERE id = ?4 AND position = ?1',
    ].map((how) => reader.db.prepare(`SELECT ?1, ?2, ?3, ?4 FROM events ${how}`).raw());
    /** No row yet has a checksum that covers its time. */
    let formerForms = true;
    const problemOf = (row: Row): string | undefined => {
      try {
        if (!readRow(row, reading)) return undefined;
      } catch (error) {
        return (error as UnreadableEvent).reason;
      }
      const [position, stream, revision, id, , , , sum] = row;
      formerForms &&= isFormerForm(sum);
      if (!formerForms && isFormerForm(sum))
        return 'its checksum leaves out its time, though earlier ones cover theirs';
      const found = indexed.every((index) => index.get(position, stream, revision, id) !== undefined);
      return found ? undefined : 'an index of the log does not lead to it';
    };
    const damageOf = (rows: Row[]): LogDamage[] =>
      rows.flatMap((row) => {
        const problem = problemOf(row);
        if (problem === undefined || isAcceptedDamage(reader.db, reading, letPass, row)) return [];
        const [position, stream, revision, , type] = row;
        return { position: String(position), stream, revision, type, problem };
      });
    /** If a page of the file is damaged, halves are looked at until it is known which events it took. */
    const damageIn = (after: number, upTo: number): LogDamage[] => {
      try {
        return damageOf(rowsBetween(after, upTo));
      } catch (error) {
        if (!isCorrupt(error)) throw error;
        const half = Math.floor((after + upTo) / 2);
        if (half > after) return [...damageIn(after, half), ...damageIn(half, upTo)];
        const problem = 'its page in the file cannot be read';
        return [{ position: String(upTo), stream: null, revision: null, type: null, problem }];
      }
    };
    /** Rows that a stream shows and the log's order does not. A first page that is damaged is told by its own events. */
    const damageBelow = (): LogDamage[] => {
      try {
        return damageOf(rowsBetween(Number.NEGATIVE_INFINITY, 0));
      } catch (error) {
        if (!isCorrupt(error)) throw error;
        return [];
      }
    };
    const head = reader.lastRow();
    const below = damageBelow();
    const step = (checked: number, damage: LogDamage[]): LogCheckStep => {
      const found = unsealed;
      unsealed = [];
      return { checked, head, damage, unsealed: found };
    };
    if (below.length > 0) yield step(0, below);
    for (let checked = 0; checked < head; ) {
      const upTo = Math.min(checked + WINDOW, head);
      const damage = damageIn(checked, upTo);
      // A row whose place another hand chose may be far.
      checked = upTo < head ? Math.max(upTo, reader.next(upTo) - 1) : upTo;
      yield step(checked, damage);
    }
    const beyond = damageOf(reader.beyond());
    if (beyond.length + unsealed.length > 0) yield step(head, beyond);
    const lost = lostFrom(directory, reader, reading);
    if (lost.length > 0) yield step(head, lost);
  } finally {
    reader.close();
  }
}

/** Events that are gone: their places, and the newest that was acknowledged. Pages that cannot be read are told before. */
function lostFrom(directory: string, reader: LogReader, reading: Reading): LogDamage[] {
  const readable = (row: Row): RecordedEvent[] => {
    try {
      return [readRow(row, reading) ?? []].flat();
    } catch {
      return [];
    }
  };
  const rows = reader.stream(streams.log(), 'forwards', undefined, Number.MAX_SAFE_INTEGER);
  const damage: LogDamage[] = [];
  try {
    for (const { from, to } of holesOf(directory, acceptedHoles(rows.flatMap(readable)), reading.seals).holes) {
      const problem =
        from === to ? 'the event that stood here is gone' : `the events that stood here to ${to} are gone`;
      damage.push({ position: String(from), stream: null, revision: null, type: null, problem });
    }
  } catch (error) {
    if (!isCorrupt(error)) throw error;
  }
  const marked = readMark(directory);
  if (!marked) return damage;
  const { position, stream, revision, id } = marked;
  // Where its row is damaged, that is told already.
  const [found] = reader.stream(stream, 'forwards', revision, 1);
  if (found?.[3] === id && BigInt(found[2]) === revision) return damage;
  const at = { position: String(position), stream, revision: Number(revision), type: null };
  return [...damage, { ...at, problem: 'the newest event that was acknowledged is gone' }];
}

const isCorrupt = (error: unknown): boolean =>
  error instanceof LogCorrupt || (error as { code?: string }).code === 'SQLITE_CORRUPT';

/** A look at more than bytes: ends early where it is to stop. */
export type LogLook = (
  log: Pick<CheckedLog, 'directory' | 'secrets'>,
  stop: Int32Array,
  report: (damage: LogDamage[]) => void,
) => Promise<void>;

export interface LogCheckOptions extends CheckedLog {
  /** Module and name of a `LogLook`, which the thread goes on with. */
  further?: { module: URL; exportName: string };
  onDamage(damage: LogDamage): void;
  onUnsealed(found: Unsealed): void;
  /** Once, unless it is closed before. */
  onEnd(state: LogCheckState): void;
}

/** Damage that is listed one by one; all is counted. */
const MAX_LISTED = 100;
/** Pauses for each moment of work, and at least: most of the time the disk and the processor are the service's. */
const PAUSE_SHARE = 9;
const MIN_PAUSE_MS = 10;

/**
 * Called between pieces of work, it pauses in proportion to the last one and answers whether to go on.
 * @param stop the first number ends it as soon as it is not 0
 */
export function paced(stop: Int32Array): () => boolean {
  let began = performance.now();
  return () => {
    const pause = Math.max(MIN_PAUSE_MS, PAUSE_SHARE * (performance.now() - began));
    const goOn = Atomics.wait(stop, 0, 0, pause) === 'timed-out';
    began = performance.now();
    return goOn;
  };
}

/** The thread's first work: each step is reported. */
export function lookThrough(log: CheckedLog, stop: Int32Array, report: (step: LogCheckStep) => void): void {
  const goOn = paced(stop);
  for (const step of checkSteps(log)) {
    report(step);
    if (!goOn()) return;
  }
}

/** One look through the log, from `start` on. */
export class LogCheck {
  state: LogCheckState = { status: 'running', checked: null, head: null, damaged: 0, damage: [] };
  private readonly stop = new Int32Array(new SharedArrayBuffer(4));
  private readonly pool = new ThreadPool({ threads: 1 });
  private running: Promise<void> | undefined;

  constructor(private readonly options: LogCheckOptions) {}

  start(): void {
    this.running = this.look()
      .catch((error: Error) => this.fail(error.message))
      .then(() => this.end());
  }

  private async look(): Promise<void> {
    const { directory, secrets, letPass, further } = this.options;
    await this.pool.run<void>(
      new URL('./check.js', import.meta.url),
      'lookThrough',
      [{ directory, secrets, letPass }, this.stop],
      {
        onProgress: (step) => {
          const { checked, head, damage, unsealed } = step as LogCheckStep;
          for (const found of unsealed) this.options.onUnsealed(found);
          this.state = { ...this.state, checked: String(checked), head: String(head) };
          this.take(damage);
        },
      },
    );
    if (!further || this.stop[0] !== 0) return;
    await this.pool.run<void>(further.module, further.exportName, [{ directory, secrets }, this.stop], {
      onProgress: (damage) => this.take(damage as LogDamage[]),
    });
  }

  /** The thread ends by itself, after the step that it is at: it holds the log's file. */
  async close(): Promise<void> {
    Atomics.store(this.stop, 0, 1);
    Atomics.notify(this.stop, 0);
    await this.running;
  }

  private take(damage: LogDamage[]): void {
    const listed = damage.slice(0, MAX_LISTED - this.state.damage.length);
    this.state = {
      ...this.state,
      status: damage.length > 0 ? 'damaged' : this.state.status,
      damaged: this.state.damaged + damage.length,
      damage: [...this.state.damage, ...listed],
    };
    for (const one of listed) this.options.onDamage(one);
  }

  private fail(reason: string): void {
    this.state = { ...this.state, status: 'failed', reason };
  }

  private async end(): Promise<void> {
    await this.pool.close();
    if (this.stop[0] !== 0) return;
    if (this.state.status === 'running') this.state = { ...this.state, status: 'sound' };
    this.options.onEnd(this.state);
  }
}
