import type { EventFilter } from '../port.js';
import { type Connection, guarded, LAST_PLACE } from './database.js';
import { COLUMNS, type Row } from './row.js';

/** Positions looked at in one step, so that no step holds up the event loop whatever a filter skips. */
export const WINDOW = 256;

export interface Window {
  rows: Row[];
  /** All up to here has been looked at. */
  scannedTo: number;
  /** Nothing was stored beyond when the window was read. */
  atEnd: boolean;
}

/** A log's reading connection. Every statement is read to its end, so that no snapshot outlives a call. */
export class LogReader {
  readonly #head;
  readonly #next;
  readonly #lastUpTo;
  readonly #forwards;
  readonly #backwards;

  constructor(
    readonly db: Connection,
    readonly file: string,
  ) {
    this.#head = db.prepare(`SELECT coalesce(max(position), 0) FROM events WHERE position <= ${LAST_PLACE}`).raw();
    this.#next = db.prepare('SELECT min(position) FROM events WHERE position > ?').raw();
    this.#lastUpTo = db.prepare('SELECT coalesce(max(position), 0) FROM events WHERE position <= ?').raw();
    const stream = (comparison: string, order: string) =>
      db
        .prepare(
          `SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision ${comparison} ? ORDER BY revision ${order} LIMIT ?`,
        )
        .raw();
    this.#forwards = stream('>=', 'ASC');
    this.#backwards = stream('<=', 'DESC');
  }

  /** Place of the last row. */
  head(): number {
    return guarded(this.file, () => (this.#head.all() as [number][])[0][0]);
  }

  /** Place of the first row after a position. */
  next(after: number): number {
    return guarded(this.file, () => (this.#next.all(after) as [number][])[0][0]);
  }

  /** Place of the last row up to a position, 0 where there is none. */
  lastUpTo(position: number): number {
    return guarded(this.file, () => (this.#lastUpTo.all(position) as [number][])[0][0]);
  }

  stream(name: string, direction: 'forwards' | 'backwards', from: bigint | undefined, limit: number): Row[] {
    const [statement, start] =
      direction === 'forwards' ? [this.#forwards, from ?? 0n] : [this.#backwards, from ?? Number.MAX_SAFE_INTEGER];
    return guarded(this.file, () => statement.all(name, Number(start), limit) as Row[]);
  }

  /** Prepares a walk through the log in windows. */
  windows(filter: EventFilter): (after: number) => Window {
    const between = this.between(filter);
    return (after) => {
      const head = this.head();
      const scannedTo = Math.max(after, Math.min(after + WINDOW, head));
      const rows = between(after, scannedTo);
      // Where nothing stands at all, the next row may be far: another writer chose its place.
      const beyond = rows.length === 0 && scannedTo < head ? Math.max(scannedTo, this.next(after) - 1) : scannedTo;
      return { rows, scannedTo: beyond, atEnd: beyond >= head };
    };
  }

  /** The rows after one position up to another that pass the filter. */
  between({ streamPrefixes, types }: EventFilter): (after: number, upTo: number) => Row[] {
    const conditions = ['position > ? AND position <= ?'];
    const values: (string | number)[] = [];
    if (streamPrefixes) {
      const any = streamPrefixes.map(() => 'substr(stream, 1, ?) = ?');
      conditions.push(`(${any.join(' OR ') || 'FALSE'})`);
      for (const prefix of streamPrefixes) values.push([...prefix].length, prefix);
    }
    if (types) {
      conditions.push(`type IN (${types.map(() => '?').join(', ')})`);
      values.push(...types);
    }
    const statement = guarded(this.file, () =>
      this.db.prepare(`SELECT ${COLUMNS} FROM events WHERE ${conditions.join(' AND ')} ORDER BY position`).raw(),
    );
    return (after, upTo) => guarded(this.file, () => statement.all(after, upTo, ...values) as Row[]);
  }

  /** Brings everything into the one file, so that a copy of it is whole. Not done where another process is reading. */
  foldWriteAheadLog(): void {
    try {
      this.db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').raw().all();
    } catch {
      // A full disk: the next start does it.
    }
  }

  close(): void {
    this.db.close();
  }
}
