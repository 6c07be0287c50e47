/** The check of a SQLite log at its opening. */
import { existsSync, statSync } from 'node:fs';
import { LogCorrupt } from '../port.js';
import type { LogSeals } from '../seal.js';
import { type Connection, corrupt, guarded, logFile, openLog } from './database.js';
import { judgeRow, type Reading, ROW, type Row, readRow } from './row.js';
import { beginSeals, copiesIn } from './seals.js';

/** A whole check reads about 1-2 GB/s; a larger log is checked at its tail only, where a crash could have hurt it. */
const WHOLE_CHECK_BYTES = 1 << 30;
const TAIL_CHECK_EVENTS = 1000;

/**
 * Looks at a log's structure and its end, and lets the seals begin.
 * @throws LogCorrupt where the log is not what was written, but for events that an operator has let pass; LogSecretMissing
 */
export function checkLog(directory: string, created: boolean, seals: LogSeals, letPass?: string): void {
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
      beginSeals(db, seals);
      const reading = { seals, isCopy: copiesIn(db) };
      const tail = db.prepare(`SELECT ${ROW} FROM events ORDER BY position DESC LIMIT ${TAIL_CHECK_EVENTS}`).raw();
      for (const row of tail.all() as Row[]) {
        try {
          readRow(row, reading);
        } catch (error) {
          if (!isAcceptedDamage(db, reading, letPass, row)) throw corrupt(file, (error as Error).message);
        }
      }
    });
  } finally {
    db.close();
  }
}

/**
 * True if an operator has let an event pass.
 * @param letPass stream whose events name such
 */
export function isAcceptedDamage(db: Connection, reading: Reading, letPass: string | undefined, row: Row): boolean {
  if (letPass === undefined) return false;
  const [position, stream] = row;
  const named = db
    .prepare(
      `SELECT ${ROW} FROM events WHERE stream = ? AND json_valid(data) AND data ->> 'position' = ? AND data ->> 'stream' = ?`,
    )
    .raw();
  return (named.all(letPass, String(position), stream) as Row[]).some(
    (one) => judgeRow(one, reading).problem === undefined,
  );
}
