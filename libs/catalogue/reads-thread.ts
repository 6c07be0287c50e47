/**
 * Reads of the views on a thread of their own. A read opens the files for itself: nothing of a file that was made anew
 * meanwhile is kept.
 */
import { existsSync } from 'node:fs';
import { EvidenceReads } from '#calibration/queries-evidence';
import { Ledger } from '#claims/queries';
import { Findings } from '#findings/queries';
import { Transferred } from '#kit/threads/protocol';
import { type Coding, encode } from '#kit/views/encode';
import { openReadOnly } from '#kit/views/files';
import type { Connection } from '#kit/views/projection';
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
}

/** Its answer, which may be an error; or the file that is no longer there. */
export type Read =
  | { value: unknown }
  | { error: { name: 'BadCursor' | 'TooManyBuckets'; message: string } }
  | { gone: string };

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
    const asked = models[model] as unknown as Record<string, (...args: unknown[]) => unknown>;
    const value = asked[method](...args);
    if (codings === undefined) return { value };
    const encoded = encode(value, codings);
    return new Transferred({ value: encoded }, [encoded.bytes.buffer]);
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'BadCursor' || name === 'TooManyBuckets') return { error: { name, message } };
    const gone = Object.values(files).find((file) => !existsSync(file));
    if (gone !== undefined) return { gone };
    throw error;
  } finally {
    for (const db of open.values()) {
      db.exec('ROLLBACK');
      db.close();
    }
  }
}
