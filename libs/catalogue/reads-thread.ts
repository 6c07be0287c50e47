/** The thread of `ViewReads`: it answers one question after the other. */
import { existsSync, statSync } from 'node:fs';
import { EvidenceReads } from '#evidence/queries-evidence';
import { Findings } from '#findings/queries';
import { Transferred } from '#kit/threads/protocol';
import { type Coding, encode, encodeLines } from '#kit/views/encode';
import { openReadOnly } from '#kit/views/files';
import type { Connection } from '#kit/views/projection';
import { Ledger } from '#ledger/queries';
import { LotsView } from '#lots/queries';
import { Telemetry } from '#telemetry/queries';

/** What answers, over views by their names. */
export function readModels(view: (name: string) => { readonly db: Connection }) {
  const findings = new Findings(view('findings'));
  return {
    findings,
    ledger: new Ledger(view('ledger'), findings),
    telemetry: new Telemetry(view('telemetry'), findings),
    evidence: new EvidenceReads(view('evidence')),
    lots: new LotsView(view('lots')),
  };
}
export type ReadModels = ReturnType<typeof readModels>;

export interface Question {
  /** By the view's name: the file that answers. */
  files: Record<string, string>;
  model: keyof ReadModels;
  method: string;
  args: unknown[];
  /** The answer as JSON, in the first of these where it is long. Left out: as it is. */
  codings?: readonly Coding[];
  /** A page, as lines. */
  lines?: boolean;
}

/** Its answer, which may be an error; or the file that is no longer there. */
export type Read =
  | { value: unknown }
  | { error: { name: 'BadCursor' | 'TooManyBuckets'; message: string } }
  | { gone: string };

/** A view's file as it was opened; one that was made anew since has another inode. */
interface Opened {
  file: string;
  inode: number;
  db: Connection;
}
/** By view. They are kept: SQLite frees a closed connection's files at a garbage collection, and not before. */
const opened = new Map<string, Opened>();

function connectionTo(name: string, file: string): Connection {
  const { ino: inode } = statSync(file);
  const known = opened.get(name);
  if (known?.file === file && known.inode === inode) return known.db;
  known?.db.close();
  opened.delete(name);
  const db = openReadOnly(file);
  opened.set(name, { file, inode, db });
  return db;
}

export function read({ files, model, method, args, codings, lines }: Question): Read | Transferred<Read> {
  const reading = new Map<string, Connection>();
  const models = readModels((name) => ({
    get db() {
      const known = reading.get(name);
      if (known) return known;
      const db = connectionTo(name, files[name]);
      // What one answer says of a view is of one moment.
      db.exec('BEGIN');
      reading.set(name, db);
      return db;
    },
  }));
  try {
    const asked = models[model] as unknown as Record<string, (...args: unknown[]) => unknown>;
    const value = asked[method](...args);
    if (codings === undefined) return { value };
    const encoded = lines ? encodeLines(value as never, codings) : encode(value, codings);
    return new Transferred({ value: encoded }, [encoded.bytes.buffer]);
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'BadCursor' || name === 'TooManyBuckets') return { error: { name, message } };
    const gone = Object.values(files).find((file) => !existsSync(file));
    if (gone !== undefined) return { gone };
    throw error;
  } finally {
    for (const db of reading.values()) if (db.inTransaction) db.exec('ROLLBACK');
  }
}
