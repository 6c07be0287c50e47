/**
 * Reads of the views on a thread of their own. A read opens the files for itself: nothing of a file that was made anew
 * meanwhile is kept.
 */

import { EvidenceReads } from '#calibration/queries-evidence';
import { Ledger } from '#claims/queries';
import { Findings } from '#findings/queries';
import { Transferred } from '#kit/threads/protocol';
import { LotsView } from '#lots/queries';
import { Telemetry } from '#telemetry/queries';
import { type Coding, encode } from './encode.js';
import { openReadOnly } from './files.js';
import type { Connection } from './projection.js';

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
}

/** An error that is the answer, as threads lose an error's class. */
export type Read = { value: unknown } | { error: { name: string; message: string } };

export function read({ files, model, method, args, codings }: Question): Read | Transferred<Read> {
  const open = new Map<string, Connection>();
  const models = readModels((name) => ({
    get db() {
      const known = open.get(name);
      if (known) return known;
      const db = openReadOnly(files[name]);
      open.set(name, db);
      // What one answer says of a view is of one moment.
      db.exec('BEGIN');
      return db;
    },
  }));
  try {
    const value: unknown = (models[model] as unknown as Record<string, (...args: unknown[]) => unknown>)[method](
      ...args,
    );
    if (codings === undefined) return { value };
    const encoded = encode(value, codings);
    return new Transferred({ value: encoded }, [encoded.bytes.buffer]);
  } catch (error) {
    const { name, message } = error as Error;
    if (ANSWERS.has(name)) return { error: { name, message } };
    throw error;
  } finally {
    for (const db of open.values()) {
      db.exec('ROLLBACK');
      db.close();
    }
  }
}
const ANSWERS: ReadonlySet<string> = new Set(['BadCursor', 'TooManyBuckets']);
