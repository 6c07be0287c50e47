/**
 * Where a log ends: rows that another writer put behind it, at whatever places, are no part of it. The service gives every
 * place but those of such rows, so that its next event stands at the first free one.
 */
import type { Connection } from './database.js';
import { judgeRow, LAST_PLACE, type Reading, ROW, type Row } from './row.js';

/** Rows that are looked at in one step, and their places. */
const LOOK = 16;
const PLACES = 1000;

export type Judging = Pick<Reading, 'seals' | 'isCopy'>;

/** Follows the end of a log, in time that does not depend on how many rows of another writer stand behind it. */
export class LogEnd {
  readonly #down;
  readonly #places;
  /** Place of the last event, and the first free one after it; nothing before the first question. */
  #last: number | undefined;
  #free = 1;

  constructor(
    db: Connection,
    private readonly judging: Judging,
  ) {
    this.#down = db
      .prepare(`SELECT ${ROW} FROM events WHERE position > ? AND position <= ? ORDER BY position DESC LIMIT ?`)
      .raw();
    this.#places = db.prepare('SELECT position FROM events WHERE position >= ? ORDER BY position LIMIT ?').raw();
  }

  /** Place of the last row that is an event, damaged or not; 0 where there is none. */
  last(): number {
    if (this.#last === undefined) this.reach(this.#lastIn(0, LAST_PLACE) ?? 0);
    const before = this.#free;
    this.#free = this.#freeFrom(before);
    if (this.#free > before) this.#last = this.#lastIn(this.#last!, this.#free - 1) ?? this.#last;
    return this.#last!;
  }

  /** The event at a place was appended. */
  reach(position: number): void {
    if (position <= (this.#last ?? -1)) return;
    this.#last = position;
    this.#free = position + 1;
  }

  #lastIn(after: number, upTo: number): number | undefined {
    for (let many = 1; ; many = LOOK) {
      const rows = this.#down.all(after, upTo, many) as Row[];
      const found = rows.find((row) => judgeRow(row, this.judging).problem === undefined);
      if (found || rows.length < many) return found && Number(found[0]);
      upTo = Number(rows[rows.length - 1][0]) - 1;
    }
  }

  #freeFrom(place: number): number {
    for (let free = place; ; ) {
      const rows = this.#places.all(free, PLACES) as [number][];
      for (const [position] of rows) {
        if (position !== free) return free;
        free++;
      }
      if (rows.length < PLACES) return free;
    }
  }
}

/**
 * The last place that was given, whether or not its event is still there: SQLite keeps it, but for what another writer's row
 * made of it.
 */
export function lastGiven(db: Connection, judging: Judging): number {
  const last = new LogEnd(db, judging).last();
  const kept = "(SELECT seq FROM sqlite_sequence WHERE name = 'events')";
  const [found] = db.prepare(`SELECT ${kept} WHERE ${kept} <= ${LAST_PLACE}`).raw().all() as [number][];
  if (!found || found[0] <= last) return last;
  const [row] = db.prepare(`SELECT ${ROW} FROM events WHERE position = ?`).raw().all(found[0]) as Row[];
  return row && judgeRow(row, judging).problem !== undefined ? last : found[0];
}
