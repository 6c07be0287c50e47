/** Places of an SQLite log at which an event stood that is gone. The log gives every place once and leaves none out. */
import { type Hole, MAX_HOLES } from '../events-lost.js';
import { type Connection, guarded, logFile, openLog, openLogReadOnly } from './database.js';
import { type Judging, lastGiven } from './end.js';
import { copiesIn } from './seals.js';

/** Places read at a time. */
const PAGE = 10_000;
/**
 * Places that are left out for good when events were lost: more than a second's appends, as so many may have been
 * acknowledged after the newest of which is known.
 */
const LEFT_OUT = 100_000;

export interface Holes {
  /** Where the log ends: the last place that was given, whether or not its event is still there. */
  end: bigint;
  /** Events that are gone. */
  missing: number;
  /** Their places in order, at most `MAX_HOLES`: the last one then spans what is left. */
  holes: Hole[];
}

/**
 * @param accepted holes that an operator has accepted, in order, apart from each other
 * @param seals of the log: rows that they do not fit leave no hole before them
 */
export function holesOf(directory: string, accepted: readonly Hole[], seals?: Judging['seals']): Holes {
  const db = openLogReadOnly(directory);
  try {
    return guarded(logFile(directory), () => holesIn(db, accepted, { seals, isCopy: copiesIn(db) }));
  } finally {
    db.close();
  }
}

function holesIn(db: Connection, accepted: readonly Hole[], judging: Judging): Holes {
  const number = (sql: string, ...values: number[]) =>
    (
      db
        .prepare(sql)
        .raw()
        .all(...values) as [number | null][]
    )[0]?.[0] ?? 0;
  const between = (from: number, to: number) =>
    number('SELECT count(*) FROM events WHERE position BETWEEN ? AND ?', from, to);
  // One snapshot: an append between two questions would look like a hole.
  db.exec('BEGIN');
  try {
    const end = lastGiven(db, judging);
    let expected = end;
    const outside = number('SELECT count(*) FROM events WHERE position < 1 OR position > ?', end);
    let present = number('SELECT count(*) FROM events') - outside;
    for (const { from, to } of accepted) {
      expected -= Number(to - from) + 1;
      present -= between(Number(from), Number(to));
    }
    const missing = Math.max(0, expected - present);
    return { end: BigInt(end), missing, holes: missing === 0 ? [] : locate(db, accepted, end) };
  } finally {
    db.exec('ROLLBACK');
  }
}

function locate(db: Connection, accepted: readonly Hole[], end: number): Hole[] {
  const page = db
    .prepare('SELECT position FROM events WHERE position > ? AND position <= ? ORDER BY position LIMIT ?')
    .raw();
  const holes: Hole[] = [];
  /** Places from one to another at which no event stands, less those that were accepted. */
  const add = (from: number, to: number) => {
    let start = BigInt(from);
    for (const hole of accepted) {
      if (hole.to < start || hole.from > to) continue;
      if (hole.from > start) holes.push({ from: start, to: hole.from - 1n });
      start = hole.to + 1n;
    }
    if (start <= to) holes.push({ from: start, to: BigInt(to) });
  };
  for (let last = 0; last < end && holes.length < MAX_HOLES; ) {
    const rows = page.all(last, end, PAGE) as [number][];
    for (const [position] of rows) {
      if (position > last + 1) add(last + 1, position - 1);
      last = position;
    }
    if (rows.length < PAGE && last < end) {
      add(last + 1, end);
      last = end;
    }
  }
  if (holes.length < MAX_HOLES) return holes;
  return [...holes.slice(0, MAX_HOLES - 1), { from: holes[MAX_HOLES - 1].from, to: BigInt(end) }];
}

/**
 * The next event of a log goes behind a place and some more.
 * @returns the last place that is left out
 */
export function leaveOut(directory: string, upTo: bigint): bigint {
  const last = Number(upTo) + LEFT_OUT;
  const db = openLog(directory);
  try {
    guarded(logFile(directory), () => {
      db.exec('BEGIN IMMEDIATE');
      const { changes } = db.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'events'").run(last);
      if (changes === 0) db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ?)").run(last);
      db.exec('COMMIT');
    });
    return BigInt(last);
  } finally {
    db.close();
  }
}
