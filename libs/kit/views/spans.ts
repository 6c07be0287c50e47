/**
 * By ten minutes of the time that a view's rows bear: their first and last position. Clocks step back, so that rows are not in the
 * order of their times; a window of time is a range of positions nevertheless, which every index of a listing ends with. Rows of the
 * range that are outside of the window are read for nothing: those of ten minutes, of a key with its rows all over the file.
 */
import type { Conditions } from './page.js';
import type { Tables } from './tables.js';

export const SPANS_TABLE = `
  CREATE TABLE spans (span TEXT PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL) WITHOUT ROWID`;

/** Ten minutes: the first letters of a time, ISO 8601 in UTC. */
const spanOf = (time: string) => time.slice(0, 15);

/** Written at a flush. */
export function spansIn(tables: Tables): { add(at: string, position: number): void } {
  const widen = tables.prepare(
    `INSERT INTO spans VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last)`,
  );
  const seen = new Map<string, { first: number; last: number }>();
  tables.beforeFlush(() => {
    for (const [span, { first, last }] of seen) widen.run(span, first, last);
    seen.clear();
  });
  return {
    add(at, position) {
      const known = seen.get(spanOf(at));
      if (known) known.last = position;
      else seen.set(spanOf(at), { first: position, last: position });
    },
  };
}

/** Positions outside of which no row bears a time of the window. @param from, to ISO 8601: at or after, and before */
export function withinSpans(conditions: Conditions, { from, to }: { from?: string; to?: string }): void {
  if (from === undefined && to === undefined) return;
  // A window that ends where ten minutes begin has nothing of them.
  const end = to?.endsWith('0:00.000Z') ? spanOf(to) : (to ?? '~');
  const bound = (which: string) => `(SELECT ${which} FROM spans WHERE span >= ? AND span < ?)`;
  const spans = [spanOf(from ?? ''), end];
  conditions.where(`position BETWEEN ${bound('min(first)')} AND ${bound('max(last)')}`, ...spans, ...spans);
}
