import type { EncodedEvent } from '../encode.js';
import { StoreUnavailable } from '../port.js';
import type { LogSeals } from '../seal.js';
import { type Connection, guarded, LAST_PLACE, logFile, openLog } from './database.js';
import { newestEvent } from './opening.js';
import { packed } from './packed.js';
import { COLUMNS } from './row.js';

/** Revision that an exact expectation names; -1 is "no stream". */
export type Expected = number | 'any' | 'stream_exists';

export interface AppendRequest {
  stream: string;
  expected: Expected;
  events: EncodedEvent[];
}

/**
 * The place of the append's last event, also where it had been stored before; `actual` (-1: no stream) if the expectation
 * was wrong.
 */
export type AppendOutcome = { revision: number; position: number } | { actual: number };

/** More than one group takes. */
const MAX_PLACES = 1_000_000;

/** Writes groups of appends, one transaction (one flush of the disk) a group. */
export class LogWriter {
  readonly #file: string;
  readonly #db: Connection;
  readonly #last;
  readonly #insert;
  readonly #from;
  readonly #byId;
  readonly #head;
  readonly #behind;
  readonly #begin;
  readonly #commit;
  /** Seal of the newest event. */
  #before: string;
  /** The last place that was given. */
  #given = 0;

  constructor(
    directory: string,
    private readonly seals: LogSeals,
  ) {
    this.#file = logFile(directory);
    const db = openLog(directory);
    this.#db = db;
    this.#before = newestEvent(db, seals)?.[10] ?? '';
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#last = db
      .prepare('SELECT revision, position FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1')
      .raw();
    this.#from = db
      .prepare('SELECT id, revision, position FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?')
      .raw();
    this.#byId = db.prepare('SELECT revision FROM events WHERE id = ? AND stream = ? ORDER BY position LIMIT 1').raw();
    // No place is given twice, whatever was taken out at the end.
    const given = "(SELECT seq FROM sqlite_sequence WHERE name = 'events')";
    this.#head = db.prepare(`SELECT max(coalesce(max(position), 0), coalesce(${given}, 0)) FROM events`).raw();
    this.#behind = db.prepare(`SELECT count(*) FROM events WHERE position > ? AND position <= ${LAST_PLACE}`).raw();
    this.#insert = db.prepare(`INSERT INTO events (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  }

  /** Returns when all that the outcomes promise is on disk; throws when nothing of the group is promised. */
  appendGroup(requests: readonly AppendRequest[], now: number): AppendOutcome[] {
    return guarded(this.#file, () => {
      const before = this.#before;
      this.#begin.run();
      try {
        const [head] = this.#head.get() as [number];
        if (head >= LAST_PLACE - MAX_PLACES)
          throw new StoreUnavailable(
            `another hand wrote into the event log ${this.#file} behind the last place there is`,
          );
        this.#given = head;
        const outcomes = requests.map((request) => this.#append(request, now));
        const [stored] = this.#behind.get(head) as [number];
        // A trigger that another hand put into the file can let rows vanish.
        if (stored !== this.#given - head)
          throw new StoreUnavailable(
            `the event log ${this.#file} kept ${stored} of ${this.#given - head} rows that were written: another hand changed the file`,
          );
        this.#commit.run();
        return outcomes;
      } catch (error) {
        this.#before = before;
        if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
        throw error;
      }
    });
  }

  #append({ stream, expected, events }: AppendRequest, now: number): AppendOutcome {
    const last = this.#last.get(stream) as [number, number] | undefined;
    const current = last ? last[0] : -1;
    if (typeof expected === 'number' ? expected !== current : events.length > 0) {
      const first = this.#firstAppendAt(stream, expected, current, events);
      if (first !== 'new') return first;
    }
    if (expected === 'stream_exists' && current < 0) return { actual: current };
    let [revision, position] = last ?? [-1, 0];
    for (const { recordedAt = now, ...event } of events) {
      const row = { ...event, stream, revision: ++revision, recordedAt, before: this.#before };
      const { id, type, version, metadata, data, before } = row;
      const seal = this.seals.seal(row);
      position = ++this.#given;
      this.#insert.run(position, stream, revision, id, type, version, recordedAt, metadata, packed(data), before, seal);
      this.#before = seal;
    }
    return { revision, position };
  }

  /**
   * Finds the append if it was made before. With an exact expectation its events would be the first after that revision;
   * else they are looked for by the first one's id.
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
    const stored = this.#from.all(stream, start, events.length) as [string, number, number][];
    const same = stored.length === events.length && stored.every(([id], i) => id === events[i].id);
    if (!same) return { actual: current };
    const [, revision, position] = stored[stored.length - 1];
    return { revision, position };
  }
}
