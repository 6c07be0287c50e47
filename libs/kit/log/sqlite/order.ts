/** The order of a SQLite log: each seal covers the one before it, so that what was taken out or moved leaves a break. */
import type { Hole } from '../events-lost.js';
import type { LogSeals } from '../seal.js';
import { type Connection, guarded, LAST_PLACE, logFile, openLogReadOnly } from './database.js';
import { COLUMNS, faultIn, type Row } from './row.js';

/** Rows that are looked at in one step. */
const LOOK = 16;

/** An event that does not follow the one before it: what stood between them is gone. */
export interface Break {
  /** Of the event. */
  position: bigint;
  /** Places between them; where others were moved into them, that of the event itself. */
  hole: Hole;
}

/** @param accepted holes that an operator has accepted @param seals of the log, begun */
export function breaksOf(directory: string, seals: LogSeals, accepted: readonly Hole[]): Break[] {
  const db = openLogReadOnly(directory);
  try {
    return guarded(logFile(directory), () => breaksIn(db, seals, accepted));
  } finally {
    db.close();
  }
}

export function breaksIn(db: Connection, seals: LogSeals, accepted: readonly Hole[]): Break[] {
  const suspects = db
    .prepare(
      `SELECT ${COLUMNS.replaceAll(/\w+/g, 'one.$&')} FROM events one LEFT JOIN events last ON last.position = one.position - 1
       WHERE one.position <= ${LAST_PLACE} AND one.before IS NOT coalesce(last.seal, '') ORDER BY one.position`,
    )
    .raw();
  const down = db
    .prepare(`SELECT ${COLUMNS} FROM events WHERE position < ? ORDER BY position DESC LIMIT ${LOOK}`)
    .raw();
  const breaks: Break[] = [];
  for (const row of suspects.all() as Row[]) {
    // Damaged rows are told as such, wherever they stand.
    if (faultIn(row, seals) !== undefined) continue;
    const after = predecessorOf(row, seals, (upTo) => down.all(upTo) as Row[]);
    if (after === undefined) continue;
    const [position] = row;
    const hole = {
      from: BigInt(Math.min(after + 1, position)),
      to: BigInt(after + 1 < position ? position - 1 : position),
    };
    const isKnown = accepted.some(({ from, to }) => from <= hole.from && hole.to <= to);
    if (!isKnown) breaks.push({ position: BigInt(position), hole });
  }
  return breaks;
}

/** @returns undefined where the event follows the one before it, else that one's position, 0 where there is none */
function predecessorOf([position, , , , , , , , , before]: Row, seals: LogSeals, down: (upTo: number) => Row[]) {
  for (let upTo = position; ; ) {
    const rows = down(upTo);
    for (const row of rows) {
      if (row[10] === before) return undefined;
      if (faultIn(row, seals) === undefined) return row[0];
      upTo = row[0];
    }
    if (rows.length < LOOK) return before === '' ? undefined : 0;
  }
}
