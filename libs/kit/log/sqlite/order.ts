/** The order of a SQLite log: each seal covers the one before it, so that what was taken out or moved leaves a break. */
import { setImmediate } from 'node:timers/promises';
import type { Hole } from '../events-lost.js';
import { LogSeals } from '../seal.js';
import { type Connection, guarded, LAST_PLACE, logFile, nameOf, openLogReadOnly } from './database.js';
import { COLUMNS, faultIn, type Row } from './row.js';

/** Places that are looked at in one step, and rows behind a break. */
const STEP = 20_000n;
const LOOK = 16;
const [FIRST, LAST] = [BigInt(-LAST_PLACE), BigInt(LAST_PLACE)];

/** An event that does not follow the one before it: what stood between them is gone. */
export interface Break {
  /** Of the event. */
  position: bigint;
  /** Places between them; where others were moved into them, that of the event itself. */
  hole: Hole;
}

/** Events behind the one place and up to the other; of all, where they are left out. */
export interface Places {
  after?: bigint;
  upTo?: bigint;
}

/** Module of the function below, for a thread. */
export const ORDER = new URL('./order.js', import.meta.url);

/** @param accepted holes that an operator has accepted */
export async function holesOf(
  directory: string,
  secrets: readonly string[],
  accepted: readonly Hole[],
  { after = FIRST, upTo = LAST }: Places = {},
): Promise<Hole[]> {
  const db = openLogReadOnly(directory);
  const holes: Hole[] = [];
  try {
    for (let from = after; from < upTo; await setImmediate()) {
      // A thread that is told to end does so between two steps.
      guarded(logFile(directory), () => {
        const seals = new LogSeals(secrets).begin(nameOf(db));
        // The next row may be far: another hand chose its place.
        const next = db.prepare('SELECT min(position) FROM events WHERE position > ?').raw();
        const [[first]] = next.all(Number(from)) as [number | null][];
        const to = first === null || BigInt(first) + STEP > upTo ? upTo : BigInt(first) + STEP;
        holes.push(...breaksIn(db, seals, accepted, { after: from, upTo: to }).map(({ hole }) => hole));
        from = to;
      });
    }
    return holes;
  } finally {
    db.close();
  }
}

/** @param seals of the log, begun */
export function breaksIn(
  db: Connection,
  seals: LogSeals,
  accepted: readonly Hole[],
  { after = FIRST, upTo = LAST }: Places = {},
): Break[] {
  const suspects = db
    .prepare(
      `SELECT ${COLUMNS.replaceAll(/\w+/g, 'one.$&')} FROM events one LEFT JOIN events last ON last.position = one.position - 1
       WHERE one.position > ? AND one.position <= ? AND one.before IS NOT coalesce(last.seal, '') ORDER BY one.position`,
    )
    .raw();
  const down = db
    .prepare(`SELECT ${COLUMNS} FROM events WHERE position < ? ORDER BY position DESC LIMIT ${LOOK}`)
    .raw();
  const breaks: Break[] = [];
  for (const row of suspects.all(Number(after), Number(upTo)) as Row[]) {
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
