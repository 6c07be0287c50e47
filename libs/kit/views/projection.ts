import type Database from 'libsql';
import { type RecordedEvent, UnreadableEvent } from '#kit/log/port';
import type { Stored } from '#kit/log/stored-events';
import type { Tables } from './tables.js';

export type Connection = Database.Database;

const statements = new WeakMap<Connection, Map<string, Database.Statement>>();

/** A statement that is asked again and again, kept with its connection: to prepare one takes longer than a row. Its rows are lists. */
export function prepared(db: Connection, sql: string): Database.Statement {
  const known = statements.get(db) ?? new Map<string, Database.Statement>();
  statements.set(db, known);
  const statement = known.get(sql) ?? db.prepare(sql).raw();
  known.set(sql, statement);
  return statement;
}

/** As a bound: every position is at or before it. */
export const LATEST = Number.MAX_SAFE_INTEGER - 1;

/** A view: its tables, and the pure fold that fills them from events of its types. */
export interface Projection<Event extends { type: string } = RecordedEvent> {
  name: string;
  /** Raised with every change of the fold; a change of the tables is noticed by itself. Either rebuilds the file. */
  version: number;
  schema: string;
  /** Types that the fold takes; others only move its checkpoint. */
  types: readonly Event['type'][];
  /**
   * Prepares its statements and returns the fold of one event. Called again whenever a transaction was given up, so what
   * the closure holds besides the tables must be read from them. Rows that gather are written before each commit and
   * each answer.
   */
  fold(tables: Tables): (event: Stored<Event>) => void;
}

/** A projection for the runner, which hands a fold no event of another type. */
export const projection = <Event extends { type: string }>(typed: Projection<Event>) => typed as unknown as Projection;

type Place = Pick<RecordedEvent, 'position' | 'stream' | 'type'>;

/** An event that a projection cannot take. Only an operator skips it (`ViewSkipped`). */
export class PoisonedEvent extends Error {
  override readonly name = 'PoisonedEvent';
  readonly position: bigint;
  readonly stream: string;
  readonly type: string;

  constructor(
    { position, stream, type }: Place,
    readonly reason: string,
    /** No view can take it, whatever its fold. */
    readonly forAll = false,
  ) {
    super(`stopped at position ${position} (${type} in stream ${stream}): ${reason}`);
    this.position = position;
    this.stream = stream;
    this.type = type;
  }
}

/** True if this program knows an event's type in its version. */
export type IsKnown = (event: Pick<RecordedEvent, 'type' | 'version'>) => boolean;

/** The fault of an event that no view can take; undefined if a fold may try. */
export function poisonForAll(event: RecordedEvent | UnreadableEvent, isKnown: IsKnown): PoisonedEvent | undefined {
  if (event instanceof UnreadableEvent) return new PoisonedEvent(event, event.message, true);
  if (isKnown(event)) return undefined;
  return new PoisonedEvent(event, `unknown type or version ${event.version}`, true);
}
