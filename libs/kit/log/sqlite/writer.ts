import type { EncodedEvent } from '../encode.js';
import { type LogSeals, withSeal } from '../seal.js';
import { type Connection, guarded, logFile, openLog } from './database.js';
import { lastGiven } from './end.js';
import { COLUMNS, checksum, judgeRow, ROW, type Row } from './row.js';
import { copiesIn } from './seals.js';

/** Revision that an exact expectation names; -1 is "no stream". */
export type Expected = number | 'any' | 'stream_exists';

export interface AppendRequest {
  stream: string;
  expected: Expected;
  events: EncodedEvent[];
}

/**
 * The place of the append's last event, with `again` if it had been stored before; `actual` (-1: no stream) if the
 * expectation was wrong.
 */
/** @property scattered the events do not follow each other: rows that are none stand between them */
export type AppendOutcome =
  | { revision: number; position: number; again?: true; scattered?: boolean }
  | { actual: number };

/** Rows that are looked at in one step where the last one is no event. */
const LOOK = 16;

/** Writes groups of appends, one transaction (one flush of the disk) a group. */
export class LogWriter {
  readonly #file: string;
  readonly #db: Connection;
  readonly #last;
  readonly #insert;
  readonly #isTaken;
  readonly #keepEnd;
  readonly #from;
  readonly #upTo;
  readonly #taken;
  readonly #reading;
  readonly #byId;
  readonly #begin;
  readonly #commit;
  /** The last place that was given. */
  #end: number;

  constructor(
    directory: string,
    private readonly seals: LogSeals,
  ) {
    this.#file = logFile(directory);
    const db = openLog(directory);
    this.#db = db;
    this.#reading = { seals, isCopy: copiesIn(db) };
    this.#end = lastGiven(db, this.#reading);
    this.#isTaken = db.prepare('SELECT 1 FROM events WHERE position = ?').raw();
    this.#keepEnd = db.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'events' AND seq > ?");
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#last = db
      .prepare('SELECT revision, position FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1')
      .raw();
    this.#from = db
      .prepare(`SELECT ${ROW} FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?`)
      .raw();
    this.#upTo = db
      .prepare(`SELECT ${ROW} FROM events WHERE stream = ? AND revision <= ? ORDER BY revision DESC LIMIT ?`)
      .raw();
    this.#taken = db.prepare('SELECT 1 FROM events WHERE stream = ? AND revision = ?').raw();
    this.#byId = db.prepare('SELECT revision FROM events WHERE id = ? AND stream = ? ORDER BY position LIMIT 1').raw();
    this.#insert = db.prepare(`INSERT INTO events (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  }

  /** Returns when all that the outcomes promise is on disk; throws when nothing of the group is promised. */
  appendGroup(requests: readonly AppendRequest[], now: number): AppendOutcome[] {
    return guarded(this.#file, () => {
      const before = this.#end;
      this.#begin.run();
      try {
        const outcomes = requests.map((request) => this.#append(request, now));
        // A row that another writer put far behind the end may go again.
        this.#keepEnd.run(this.#end, this.#end);
        this.#commit.run();
        return outcomes;
      } catch (error) {
        this.#end = before;
        if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
        throw error;
      }
    });
  }

  #append({ stream, expected, events }: AppendRequest, now: number): AppendOutcome {
    const last = this.#last.get(stream) as [number, number] | undefined;
    const current = last ? last[0] : -1;
    /** The revision after which it goes on: what is no event stands in nobody's way, at whatever revision. */
    let base = current;
    if (typeof expected === 'number' ? expected !== current : events.length > 0) {
      const first = this.#firstAppendAt(stream, expected, current, events);
      if (first !== 'new') return first;
      base = typeof expected === 'number' ? expected : this.#lastEvent(stream);
    }
    if (expected === 'stream_exists' && base < 0) return { actual: base };
    let position = last ? last[1] : 0;
    let revision = base;
    const before = this.#end;
    for (const { filler, recordedAt = now, ...event } of events) {
      revision = base === current ? revision + 1 : this.#freeAfter(stream, revision);
      const row = { ...event, stream, revision, recordedAt };
      const { id, type, version, data } = row;
      const metadata = filler ? row.metadata : withSeal(row.metadata, this.seals.seal(row));
      const sum = checksum({ ...row, metadata });
      position = this.#freePlace();
      this.#insert.run(position, stream, revision, id, type, version, recordedAt, sum, metadata, data);
    }
    const scattered = revision - base > events.length || position - before > events.length;
    return { revision, position, ...(scattered && { scattered }) };
  }

  /**
   * Finds the append if it was made before. With an exact expectation its events would be the first after that revision;
   * else they are looked for by the first one's id. Rows that are no events stand in nobody's way.
   */
  #firstAppendAt(stream: string, expected: Expected, current: number, events: EncodedEvent[]): AppendOutcome | 'new' {
    let start: number;
    if (typeof expected === 'number') {
      if (expected > current || events.length === 0) return { actual: current };
      start = expected + 1;
    } else {
      if (current < 0) return 'new';
      const known = this.#byId.get(events[0].id, stream) as [number] | undefined;
      if (!known) return 'new';
      start = known[0];
    }
    const stored = this.#eventsFrom(stream, start, events.length);
    const [newest] = stored.slice(-1);
    // Nothing that anybody reads was appended since the revision that was seen.
    if (newest === undefined) return 'new';
    const same = stored.length === events.length && stored.every(([, , , id], i) => id === events[i].id);
    if (!same) return { actual: current };
    const [position, , revision] = newest;
    return { revision, position: Number(position), again: true };
  }

  /** The rows of the next so many events. */
  #eventsFrom(stream: string, start: number, many: number): Row[] {
    const found: Row[] = [];
    for (let from = start; ; ) {
      const rows = this.#from.all(stream, from, many) as Row[];
      found.push(...rows.filter((row) => this.#isEvent(row)));
      if (found.length >= many || rows.length < many) return found.slice(0, many);
      from = rows[rows.length - 1][2] + 1;
    }
  }

  /** Revision of the last event, -1 where there is none. */
  #lastEvent(stream: string): number {
    for (let upTo = Number.MAX_SAFE_INTEGER, many = 1; ; many = LOOK) {
      const rows = this.#upTo.all(stream, upTo, many) as Row[];
      const found = rows.find((row) => this.#isEvent(row));
      if (found || rows.length < many) return found?.[2] ?? -1;
      upTo = rows[rows.length - 1][2] - 1;
    }
  }

  /** The next place at which no row stands, which is given with it. */
  #freePlace(): number {
    do this.#end++;
    while (this.#isTaken.get(this.#end));
    return this.#end;
  }

  /** The next revision at which no row stands. */
  #freeAfter(stream: string, revision: number): number {
    let free = revision + 1;
    while (this.#taken.get(stream, free)) free++;
    return free;
  }

  #isEvent(row: Row): boolean {
    return judgeRow(row, this.#reading).problem === undefined;
  }
}
