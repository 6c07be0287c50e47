import { status } from '@grpc/grpc-js';
import Database from 'libsql';

/** Events commit where they are prepared; every record is 128 "bytes" long, so that a place can fall inside one. */
export interface Place {
  commit: bigint;
  prepare: bigint;
}
export interface StoredEvent {
  id: string;
  stream: string;
  revision: bigint;
  type: string;
  json: boolean;
  data: Buffer;
  metadata: Buffer;
  createdAt: Date;
  place: Place;
}
export interface ProposedEvent {
  id: string;
  type: string;
  json: boolean;
  data: Buffer;
  metadata: Buffer;
}
export type Expected = bigint | 'any' | 'no_stream' | 'stream_exists';

export class VersionMismatch extends Error {
  constructor(readonly actual: bigint | 'no_stream') {
    super('wrong expected version');
  }
}
export class StreamWasDeleted extends Error {
  constructor(readonly stream: string) {
    super(`Event stream '${stream}' is deleted.`);
  }
}

export const RECORD = 128n;
const TOMBSTONE = 9223372036854775807n;
/** Everything is there to be read. */
const ALL = TOMBSTONE;
const PAGE = 200;

type Row = {
  pos: bigint;
  stream: string;
  rev: bigint;
  id: string;
  type: string;
  json: bigint;
  data: Buffer;
  metadata: Buffer;
  created: bigint;
};
const smaller = (a: bigint, b: bigint) => (a < b ? a : b);
const toEvent = (row: Row): StoredEvent => ({
  id: row.id,
  stream: row.stream,
  revision: row.rev,
  type: row.type,
  json: row.json === 1n,
  data: Buffer.from(row.data),
  metadata: Buffer.from(row.metadata),
  createdAt: new Date(Number(row.created)),
  place: { commit: row.pos * RECORD, prepare: row.pos * RECORD },
});

export type DoubleLog = ReturnType<typeof openDoubleLog>;

/**
 * The double's memory: one SQLite file, so that a killed double finds everything it acknowledged. `upTo` is the number of
 * the last record that may be read: in a cluster, the last that most nodes have.
 */
export function openDoubleLog(file: string) {
  const db = new Database(file);
  db.defaultSafeIntegers(true);
  db.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
  db.exec(`CREATE TABLE IF NOT EXISTS events(pos INTEGER PRIMARY KEY AUTOINCREMENT, stream TEXT NOT NULL, rev INTEGER NOT NULL, id TEXT NOT NULL,
    type TEXT NOT NULL, json INTEGER NOT NULL, data BLOB NOT NULL, metadata BLOB NOT NULL, created INTEGER NOT NULL, UNIQUE(stream, rev))`);
  const insert = db.prepare(
    'INSERT INTO events(stream, rev, id, type, json, data, metadata, created) VALUES (?,?,?,?,?,?,?,?)',
  );
  const last = db.prepare('SELECT * FROM events WHERE stream = ? AND pos <= ? ORDER BY rev DESC LIMIT 1');
  const at = db.prepare('SELECT * FROM events WHERE stream = ? AND rev = ?');
  const known = db.prepare('SELECT * FROM events WHERE stream = ? AND id = ? ORDER BY rev DESC LIMIT 1');
  const after = db.prepare(`SELECT * FROM events WHERE pos > ? AND pos <= ? ORDER BY pos LIMIT ${PAGE}`);
  const before = db.prepare(`SELECT * FROM events WHERE pos < ? AND pos <= ? ORDER BY pos DESC LIMIT ${PAGE}`);
  const forwards = db.prepare('SELECT * FROM events WHERE stream = ? AND rev >= ? AND pos <= ? ORDER BY rev LIMIT ?');
  const backwards = db.prepare(
    'SELECT * FROM events WHERE stream = ? AND rev <= ? AND pos <= ? ORDER BY rev DESC LIMIT ?',
  );
  const head = db.prepare('SELECT max(pos) AS pos FROM events');
  const cut = db.prepare('DELETE FROM events WHERE pos > ?');
  const listeners = new Set<() => void>();

  const write = (stream: string, rev: bigint, { id, type, json, data, metadata }: ProposedEvent) =>
    insert.run(stream, rev, id, type, json ? 1 : 0, data, metadata, BigInt(Date.now()));
  const lastOf = (stream: string, upTo = ALL) => last.get(stream, upTo) as Row | undefined;
  const headOf = () => (head.get() as { pos: bigint | null }).pos ?? 0n;
  const isTombstone = (row?: Row) => row?.rev === TOMBSTONE;
  /** Revisions below this one were deleted softly. */
  const truncatedBefore = (stream: string): bigint => {
    const metadata = lastOf(`$$${stream}`);
    return metadata && !isTombstone(metadata) ? BigInt(JSON.parse(Buffer.from(metadata.data).toString()).$tb ?? 0) : 0n;
  };
  const settings = (stream: string, type: string, data: object) => {
    const previous = lastOf(stream);
    write(stream, (previous?.rev ?? -1n) + 1n, {
      id: crypto.randomUUID(),
      type,
      json: true,
      data: Buffer.from(JSON.stringify(data)),
      metadata: Buffer.alloc(0),
    });
  };
  const wake = () => {
    for (const listener of listeners) listener();
  };
  const inTransaction = <T>(work: () => T): T => {
    db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      db.exec('COMMIT');
      wake();
      return result;
    } catch (error) {
      db.exec('ROLLBACK');
      throw error;
    }
  };
  const answer = (row: Row | undefined) => ({
    revision: row?.rev ?? -1n,
    place: row ? toEvent(row).place : { commit: 0n, prepare: 0n },
  });

  // A fresh node's $all begins with streams of its own.
  if (headOf() === 0n) inTransaction(() => settings('$user-admin', '$UserCreated', { loginName: 'admin' }));

  function append(stream: string, events: readonly ProposedEvent[], expected: Expected) {
    const tail = lastOf(stream);
    if (isTombstone(tail)) throw new StreamWasDeleted(stream);
    const gone = tail !== undefined && tail.rev < truncatedBefore(stream);
    const actual = tail && !gone ? tail.rev : 'no_stream';
    if (events.length === 0) return answer(tail);
    if (expected === 'any' || expected === 'stream_exists') {
      const first = known.get(stream, events[0].id) as Row | undefined;
      if (first) return repeated(stream, events, first.rev, actual);
      if (expected === 'stream_exists' && actual === 'no_stream') throw new VersionMismatch(actual);
    } else {
      const wanted = expected === 'no_stream' ? -1n : expected;
      if (wanted !== (actual === 'no_stream' ? -1n : actual)) return repeated(stream, events, wanted + 1n, actual);
    }
    let revision = tail?.rev ?? -1n;
    for (const event of events) write(stream, ++revision, event);
    return answer(at.get(stream, revision) as Row);
  }

  /** The same ids where they would have been written are the same append; a part of them is a wrong version. */
  function repeated(stream: string, events: readonly ProposedEvent[], first: bigint, actual: bigint | 'no_stream') {
    const rows = events.map((_, i) => at.get(stream, first + BigInt(i)) as Row | undefined);
    if (!rows.every((row, i) => row?.id === events[i].id)) throw new VersionMismatch(actual);
    return answer(rows.at(-1));
  }

  const posOf = (place: Place | 'start' | 'end', whenEnd: bigint): bigint => {
    if (place === 'start') return 0n;
    if (place === 'end') return whenEnd;
    if (place.commit % RECORD !== 0n || place.prepare !== place.commit)
      throw Object.assign(new Error('Unexpected ReadAllResult: Error'), { code: status.UNKNOWN });
    return place.commit / RECORD;
  };

  return {
    append: async (stream: string, events: readonly ProposedEvent[], expected: Expected) =>
      inTransaction(() => append(stream, events, expected)),

    async softDelete(stream: string, expected: Expected): Promise<void> {
      inTransaction(() => {
        const tail = lastOf(stream);
        if (!tail || (typeof expected === 'bigint' && expected !== tail.rev))
          throw new VersionMismatch(tail?.rev ?? 'no_stream');
        settings(`$$${stream}`, '$metadata', { $tb: Number(tail.rev + 1n) });
      });
    },

    async tombstone(stream: string, _expected: Expected): Promise<void> {
      inTransaction(() =>
        write(stream, TOMBSTONE, {
          id: crypto.randomUUID(),
          type: '$streamDeleted',
          json: true,
          data: Buffer.from('{}'),
          metadata: Buffer.alloc(0),
        }),
      );
    },

    /** `undefined`: no such stream. */
    async readStream(
      stream: string,
      from: bigint | 'start' | 'end',
      back: boolean,
      count: bigint,
      upTo = ALL,
    ): Promise<StoredEvent[] | undefined> {
      const tail = lastOf(stream, upTo);
      if (isTombstone(tail)) throw new StreamWasDeleted(stream);
      const first = truncatedBefore(stream);
      if (!tail || tail.rev < first) return undefined;
      const start = from === 'start' ? 0n : from === 'end' ? tail.rev : from;
      const limit = count > 1_000_000n ? 1_000_000n : count;
      const rows = back
        ? backwards.all(stream, start, upTo, limit)
        : forwards.all(stream, start > first ? start : first, upTo, limit);
      return (rows as Row[]).filter((row) => row.rev >= first).map(toEvent);
    },

    /** Forwards inclusive of its place, backwards exclusive. */
    async *readAll(place: Place | 'start' | 'end', back: boolean, upTo = ALL): AsyncGenerator<StoredEvent> {
      let pos = back ? posOf(place, TOMBSTONE) : posOf(place, TOMBSTONE) - 1n;
      for (;;) {
        const rows = (back ? before : after).all(pos, upTo) as Row[];
        if (rows.length === 0) return;
        for (const row of rows) yield toEvent(row);
        pos = rows[rows.length - 1].pos;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },

    /** From the place on, exclusive; a place beyond the end gives live events only. Returns how to stop. */
    subscribe(
      place: Place | 'start' | 'end',
      handlers: {
        onEvent(event: StoredEvent, live: boolean): void;
        /** A page of history has been read, from this place on. */
        onPage(from: Place): void;
        onCaughtUp(): void;
      },
      upTo = () => ALL,
    ): () => void {
      const newest = smaller(headOf(), upTo());
      let pos = posOf(place, newest);
      if (pos > newest) pos = newest;
      let stopped = false;
      let running = false;
      let caughtUp = false;
      const follow = () => {
        if (running || stopped) return;
        running = true;
        const page = () => {
          if (stopped) return;
          const rows = after.all(pos, upTo()) as Row[];
          for (const row of rows) {
            if (stopped) return;
            pos = row.pos;
            handlers.onEvent(toEvent(row), caughtUp);
          }
          if (rows.length > 0 && !caughtUp) handlers.onPage(toEvent(rows[0]).place);
          if (rows.length > 0) {
            setImmediate(page);
            return;
          }
          running = false;
          if (!caughtUp) {
            caughtUp = true;
            handlers.onCaughtUp();
          }
        };
        setImmediate(page);
      };
      listeners.add(follow);
      follow();
      return () => {
        stopped = true;
        listeners.delete(follow);
      };
    },

    head: headOf,
    /** Number of the record that a stream ends with, 0 where there is none. */
    endOf: (stream: string) => lastOf(stream)?.pos ?? 0n,
    revisionOf: (stream: string) => lastOf(stream)?.rev ?? ('no_stream' as const),
    /** Forgets what was not on most nodes. */
    truncate: (after: bigint) => void cut.run(after),
    /** More may be read now. */
    wake,
    close: () => db.close(),
  };
}
