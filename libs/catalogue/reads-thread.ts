/** The thread of `ViewReads`: it answers one question after the other. */
import { existsSync, statSync } from 'node:fs';
import { EvidenceReads } from '#calibration/queries-evidence';
import { Findings } from '#findings/queries';
import { Transferred } from '#kit/threads/protocol';
import { encode, encodeLines } from '#kit/views/encode';
import { openReadOnly } from '#kit/views/files';
import type { Connection } from '#kit/views/projection';
import type { Question, Read, ReadModels } from '#kit/views/reads';
import { LotsView } from '#lots/view';
import { Telemetry } from '#records/queries-calls';
import { checkHygiene } from '#records/queries-hygiene';
import { Ledger } from '#records/queries-ledger';
import { ANSWERING } from './reads.js';

/** What answers, over views by their names. */
export function readModels(view: (name: string) => { readonly db: Connection }): ReadModels {
  const findings = new Findings(view('findings'));
  return {
    findings,
    hygiene: {
      check: (now, models) => checkHygiene({ findings: view('findings'), telemetry: view('telemetry') }, now, models),
    },
    ledger: new Ledger(view('ledger'), findings),
    telemetry: new Telemetry(view('telemetry'), findings),
    evidence: new EvidenceReads(view('evidence')),
    lots: new LotsView(view('lots')),
  };
}
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
    if (Object.hasOwn(ANSWERING.errors, name)) return { error: { name, message } };
    const gone = Object.values(files).find((file) => !existsSync(file));
    if (gone !== undefined) return { gone };
    throw error;
  } finally {
    for (const db of reading.values()) if (db.inTransaction) db.exec('ROLLBACK');
  }
}
