/** What the rows of a SQLite log do not show one by one: that none is gone, and that its pages and indices are whole. */

import { streams } from '#domain/streams';
import type { LogDamage } from '../damage.js';
import { acceptedHoles } from '../events-lost.js';
import { readMark } from '../high-water-mark.js';
import { LogCorrupt } from '../port.js';
import type { LogSeals } from '../seal.js';
import { guarded, logFile, openLogReadOnly } from './database.js';
import { type Break, breaksIn } from './order.js';
import { COLUMNS, dataOf, faultIn, type Row } from './row.js';

/** Faults of pages and indices that are told one by one. */
const MAX_FAULTS = 100;

const somewhere = (position: bigint | null, problem: string): LogDamage => ({
  ...{ position: String(position ?? 0), stream: null, revision: null, type: null, problem },
});

/** @param seals of the log, begun @throws StoreUnavailable, LogCorrupt where the newest acknowledged event cannot be told */
export function faultsOf(directory: string, seals: LogSeals): LogDamage[] {
  const file = logFile(directory);
  const db = openLogReadOnly(directory);
  const found: LogDamage[] = [];
  const orDamaged = (work: () => void) => {
    try {
      guarded(file, work);
    } catch (error) {
      if (!(error instanceof LogCorrupt)) throw error;
      found.push(somewhere(null, `a page of the file cannot be read: ${error.message}`));
    }
  };
  const stream = (name: string, from: number, limit: number): Row[] =>
    db
      .prepare(`SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?`)
      .raw()
      .all(name, from, limit) as Row[];
  try {
    orDamaged(() => {
      const own = stream(streams.log(), 0, -1).filter((row) => faultIn(row, seals) === undefined);
      const accepted = acceptedHoles(own.map((row) => ({ type: row[4], data: JSON.parse(dataOf(row)) })));
      found.push(...breaksIn(db, seals, accepted).map(({ position, hole }) => somewhere(position, sentenceOf(hole))));
    });
    orDamaged(() => {
      const checked = db.prepare(`PRAGMA integrity_check(${MAX_FAULTS})`).raw().all() as [string][];
      for (const [text] of checked) if (text !== 'ok') found.push(somewhere(null, `the file is damaged: ${text}`));
    });
    const marked = readMark(directory);
    orDamaged(() => {
      if (!marked) return;
      const { position, revision, id } = marked;
      const [newest] = stream(marked.stream, Number(revision), 1);
      if (newest?.[3] === id && BigInt(newest[2]) === revision) return;
      const problem = 'the newest event that was acknowledged is gone';
      found.push({ ...somewhere(position, problem), stream: marked.stream, revision: Number(revision) });
    });
    return found;
  } finally {
    db.close();
  }
}

const sentenceOf = ({ from, to }: Break['hole']) =>
  from === to
    ? `it does not follow the event before it: what stood at ${from} is gone`
    : `it does not follow the event before it: what stood at ${from} to ${to} is gone`;
