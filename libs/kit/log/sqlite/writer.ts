import type { EncodedEvent } from '../encode.js';
import { type Connection, guarded, logFile, openLog } from './database.js';
import { checksum } from './row.js';

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
export type AppendOutcome = { revision: number; position: number; again?: true } | { actual: number };

/** Writes groups of appends, one transaction (one flush of the disk) a group. */
export class LogWriter {
  readonly #file: string;
  readonly #db: Connection;
  readonly #last;
  readonly #insert;
  readonly #from;
  readonly #byId;
  readonly #begin;
  readonly #commit;

  constructor(directory: string) {
    this.#file = logFile(directory);
    const db = openLog(directory);
    this.#db = db;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#last = db
      .prepare('SELECT revision, position FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1')
      .raw();
    this.#from = db
      .prepare('SELECT id, revision, position FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?')
      .raw();
    this.#byId = db.prepare('SELECT revision FROM events WHERE id = ? AND stream = ? ORDER BY position LIMIT 1').raw();
    this.#insert = db.prepare(
      'INSERT INTO events (stream, revision, id, type, version, recorded_at, checksum, metadata, data) ' +
        'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
  }

  /** Returns when all that the outcomes promise is on disk; throws when nothing of the group is promised. */
  appendGroup(requests: readonly AppendRequest[], now: number): AppendOutcome[] {
    return guarded(this.#file, () => {
      this.#begin.run();
      try {
        const outcomes = requests.map((request) => this.#append(request, now));
        this.#commit.run();
        return outcomes;
      } catch (error) {
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
    let position = last ? last[1] : 0;
    let revision = current;
    for (const { id, type, version, metadata, data, recordedAt = now } of events) {
      revision++;
      const sum = checksum({ stream, revision, id, type, version, metadata, data, recordedAt });
      const written = this.#insert.run(stream, revision, id, type, version, recordedAt, sum, metadata, data);
      position = Number(written.lastInsertRowid);
    }
    return { revision, position };
  }

  /**
   * Finds the append if it was made before. With an exact expectation its events would stand right after that revision;
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
    return { revision, position, again: true };
  }
}
