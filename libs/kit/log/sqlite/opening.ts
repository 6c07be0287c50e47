/** The check of a SQLite log at its opening, and the beginning of its seals. */
import { existsSync, statSync } from 'node:fs';
import { streams } from '#domain/streams';
import { LogCorrupt, LogSecretMissing } from '../port.js';
import { decisionsIn, type LogSeals } from '../seal.js';
import { type Connection, corrupt, guarded, LAST_PLACE, logFile, nameOf, openLog, strangePart } from './database.js';
import { COLUMNS, dataOf, faultIn, type Row } from './row.js';

/** A whole check takes some 150 ms for so much; a larger log is checked by the check after the start alone. */
const WHOLE_CHECK_BYTES = 1 << 27;
const PAGE = 256;

/**
 * Looks at a log's structure and lets its seals begin.
 * @throws LogCorrupt, LogUnsealed, LogSecretMissing
 */
export function checkLog(directory: string, created: boolean, seals: LogSeals): void {
  const file = logFile(directory);
  const size = existsSync(file) ? statSync(file).size : 0;
  if (created && size === 0) {
    throw new LogCorrupt(
      `the event log ${file} is empty or gone: put a copy of the directory back, or move the directory away to start again`,
    );
  }
  const db = openLog(directory);
  try {
    guarded(file, () => {
      if (size <= WHOLE_CHECK_BYTES) {
        const found = db.prepare('PRAGMA quick_check(1)').raw().all() as [string][];
        if (found[0]?.[0] !== 'ok') throw corrupt(file, found[0]?.[0] ?? 'the check gave no answer');
      }
      const strange = strangePart(db);
      if (strange !== undefined) throw corrupt(file, `${strange} is not as the service makes it`);
      const far = db.prepare(`SELECT 1 FROM events WHERE position > ${LAST_PLACE} LIMIT 1`).raw();
      if (far.all().length > 0)
        throw new LogCorrupt(
          `another hand wrote a row into the event log ${file} behind the last place there is: take it away with: ` +
            `sqlite3 ${file} "DELETE FROM events WHERE position > ${LAST_PLACE}; ` +
            "UPDATE sqlite_sequence SET seq = (SELECT max(position) FROM events) WHERE name = 'events'\"",
        );
      beginSeals(db, file, seals);
    });
  } finally {
    db.close();
  }
}

/** Gives the seals the log's name and what operators decided. @throws LogSecretMissing, LogCorrupt */
export function beginSeals(db: Connection, file: string, seals: LogSeals): void {
  seals.begin(nameOf(db));
  const newest = newestEvent(db, seals);
  if (newest === undefined) {
    const ids = db
      .prepare('SELECT DISTINCT substr(seal, 1, 8) FROM events LIMIT 64')
      .raw()
      .all()
      .map((row) => (row as [string])[0]);
    const named = ids.filter((id) => /^[0-9a-f]{8}$/.test(id));
    if (named.length > 0 && !named.some((id) => seals.ids.includes(id))) throw new LogSecretMissing(named);
    if (ids.length > 0)
      throw new LogCorrupt(`no row of the event log ${file} has a seal that fits: put a copy of the directory back`);
  }
  const story = db.prepare(`SELECT ${COLUMNS} FROM events WHERE stream = ? ORDER BY revision`).raw();
  const own = (story.all(streams.log()) as Row[]).filter((row) => faultIn(row, seals) === undefined);
  seals.begin(nameOf(db), decisionsIn(own.map((row) => ({ type: row[4], data: JSON.parse(dataOf(row)) }))));
}

/** The last row that is an event, which the next one's seal covers; undefined where there is none. */
export function newestEvent(db: Connection, seals: LogSeals): Row | undefined {
  const ids = seals.ids.map((id) => `'${id}'`).join();
  const sealed = db
    .prepare(
      `SELECT ${COLUMNS} FROM events WHERE position < ? AND substr(seal, 1, 8) IN (${ids}) ORDER BY position DESC LIMIT ${PAGE}`,
    )
    .raw();
  for (let before = LAST_PLACE; ; ) {
    const rows = sealed.all(before) as Row[];
    const found = rows.find((row) => faultIn(row, seals) === undefined);
    if (found || rows.length < PAGE) return found;
    before = rows[rows.length - 1][0];
  }
}
