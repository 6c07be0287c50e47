import { type Static, Type } from 'typebox';
import type { Connection } from './projection.js';

/** A page of a listing: what is appended later does not shift the pages that follow. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** The cursor was not given by a page. */
export class BadCursor extends Error {
  override readonly name = 'BadCursor';
}

/**
 * Cuts a page of `limit` out of up to one row more; a row's first column is its position.
 * @param sortedBy what the rows are sorted by before their positions, where there is that
 */
export function pageOf<R extends [number, ...unknown[]], T>(
  rows: R[],
  limit: number,
  read: (row: R) => T,
  sortedBy?: (row: R) => number,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown[shown.length - 1] : undefined;
  return { items: shown.map(read), next_cursor: last ? writeCursor(last[0], sortedBy?.(last)) : null };
}

const writeCursor = (position: number, value?: number): string =>
  Buffer.from(value === undefined ? `p${position}` : `v${value}p${position}`).toString('base64url');

/** @throws BadCursor */
export function readCursor(cursor: string): number {
  const match = /^p([0-9]{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (!match) throw new BadCursor('the cursor is none that a page gave');
  return Number(match[1]);
}

/**
 * Reads the cursor of a page that is sorted by a value before the position.
 * @throws BadCursor
 */
export function readSortedCursor(cursor: string): [value: number, position: number] {
  const match = /^v(-?[0-9.]+(?:e[+-]?[0-9]+)?)p([0-9]{1,15})$/.exec(
    Buffer.from(cursor, 'base64url').toString('latin1'),
  );
  const [value, position] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || !Number.isFinite(value)) throw new BadCursor('the cursor is none that a page of this order gave');
  return [value, position];
}

/** Rows are counted up to here: what a count costs stays bounded. */
export const COUNTED_UP_TO = 10_000;

export const total = Type.Object(
  {
    total: Type.Integer({ description: 'how many; 10,000 at most' }),
    total_exact: Type.Boolean({ description: 'false: there are more than 10,000' }),
  },
  { $id: 'Total' },
);
export type Total = Static<typeof total>;

/** With how many items there are on all pages, where that was asked. */
export type CountedPage<T> = Page<T> & Partial<Total>;

/**
 * Number of rows.
 * @param from the part behind FROM, conditions too
 */
export function totalOf({ db }: { db: Connection }, from: string, ...values: (string | number)[]): Total {
  const [found] = db
    .prepare(`SELECT count(*) FROM (SELECT 1 FROM ${from} LIMIT ${COUNTED_UP_TO + 1})`)
    .raw()
    .get(...values) as [number];
  return { total: Math.min(found, COUNTED_UP_TO), total_exact: found <= COUNTED_UP_TO };
}

/** Conditions of a query, joined by AND. */
export class Conditions {
  private texts: string[] = [];
  values: (string | number)[] = [];

  where(condition: string, ...values: (string | number)[]): void {
    this.texts.push(condition);
    this.values.push(...values);
  }

  /** `column = ?` where the value is given. */
  equal(column: string, value: string | number | undefined): void {
    if (value !== undefined) this.where(`${column} = ?`, value);
  }

  /** These and the others. */
  and(others: Conditions): this {
    this.texts = [...this.texts, ...others.texts];
    this.values = [...this.values, ...others.values];
    return this;
  }

  toString(): string {
    return this.texts.length > 0 ? `WHERE ${this.texts.join(' AND ')}` : '';
  }
}
