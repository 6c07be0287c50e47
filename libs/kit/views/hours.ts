/**
 * By hour of the time that a view's rows bear: their first and last position. Clocks step back, so that rows are not in the order
 * of their times; a window of time is a range of positions nevertheless, which every index of a listing ends with.
 */
import type { Conditions } from './page.js';
import type { Tables } from './tables.js';

export const HOURS_TABLE = `
  CREATE TABLE hours (hour TEXT PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL) WITHOUT ROWID`;

/** The hour of a time: ISO 8601 in UTC. */
const hourOf = (time: string) => time.slice(0, 13);

/** Written at a flush. */
export function hoursIn(tables: Tables): { add(at: string, position: number): void } {
  const widen = tables.prepare(
    `INSERT INTO hours VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last)`,
  );
  const seen = new Map<string, { first: number; last: number }>();
  tables.beforeFlush(() => {
    for (const [hour, { first, last }] of seen) widen.run(hour, first, last);
    seen.clear();
  });
  return {
    add(at, position) {
      const known = seen.get(hourOf(at));
      if (known) known.last = position;
      else seen.set(hourOf(at), { first: position, last: position });
    },
  };
}

/** Positions outside of which no row bears a time of the window. @param from, to ISO 8601: at or after, and before */
export function withinHours(conditions: Conditions, { from, to }: { from?: string; to?: string }): void {
  if (from === undefined && to === undefined) return;
  const hours = [hourOf(from ?? ''), hourOf(to ?? '~')];
  const end = (which: string) => `(SELECT ${which} FROM hours WHERE hour >= ? AND hour <= ?)`;
  conditions.where(`position BETWEEN ${end('min(first)')} AND ${end('max(last)')}`, ...hours, ...hours);
}
