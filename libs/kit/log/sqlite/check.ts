/** Checks a SQLite log during its use: that its bytes are those that were written, and that none is gone. */
import { streams } from '#domain/streams';
import { type LogCheckStep, type LogPass, paced } from '../check.js';
import type { LogDamage } from '../damage.js';
import { acceptedHoles } from '../events-lost.js';
import { readMark } from '../high-water-mark.js';
import { LogCorrupt, type RecordedEvent, UnreadableEvent } from '../port.js';
import { LogSeals, type Unsealed } from '../seal.js';
import { guarded, logFile, openLogReadOnly } from './database.js';
import { holesOf } from './holes.js';
import { isAcceptedDamage } from './opening.js';
import { LogReader, WINDOW } from './reader.js';
import { isFormerForm, type Reading, type Row, readRow } from './row.js';
import { beginSeals, copiesIn, secretsOf } from './seals.js';

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
 * skipped. Each step reads one window and leaves no snapshot open.
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
      // A row whose place another writer chose may be far.
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

/** Run by the log check's thread. */
export function checkRows(log: CheckedLog, stop: Int32Array, report: (step: LogCheckStep) => void): void {
  const goOn = paced(stop);
  for (const step of checkSteps(log)) {
    report(step);
    if (!goOn()) return;
  }
}

/** For `LogCheck`. */
export const bytesPass = (log: CheckedLog): LogPass => ({
  module: new URL('./check.js', import.meta.url),
  exportName: 'checkRows',
  of: log,
});
