/** A table of answers belongs to one run at a time. */
import Database from 'libsql';
import { UsageError } from './exit.js';

/**
 * Takes a table for this process until `release` or death: the operating system frees the lock of a dead owner, so that none is
 * left to clear away. The lock is the file `<table>.lock` beside it.
 * @throws UsageError where another run has it, or where the file is something else
 */
export function lockTable(table: string): { release(): void } {
  const file = `${table}.lock`;
  let db: Database.Database | undefined;
  try {
    db = new Database(file);
    db.exec('CREATE TABLE IF NOT EXISTS owner (pid INTEGER, since TEXT); BEGIN IMMEDIATE');
    db.exec('DELETE FROM owner');
    db.prepare('INSERT INTO owner VALUES (?, ?)').run(process.pid, new Date().toISOString());
    // Committed so that another run can read whose it is, and taken again at once.
    db.exec('COMMIT; BEGIN IMMEDIATE');
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    const refusal =
      code === 'SQLITE_BUSY' ? inUse(table, db) : new UsageError(`--out: ${file} cannot be used: ${message}`);
    db?.close();
    throw refusal;
  }
  const held = db;
  return { release: () => held.close() };
}

function inUse(table: string, db?: Database.Database): UsageError {
  let owner: unknown;
  try {
    owner = db?.prepare('SELECT pid, since FROM owner').raw().get();
  } catch {
    // It is just being taken.
  }
  const [pid, since] = (owner ?? []) as [number?, string?];
  const who = pid === undefined ? 'another run' : `the run of process ${pid} since ${since}`;
  return new UsageError(`--out: ${table} is in use by ${who}: wait for it, stop it, or choose another table`);
}
