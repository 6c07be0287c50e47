import type Database from 'libsql';
import type { ForgedRow, OtherHand } from '../../conformance/forgery.js';
import { checksum } from '../row.js';

/** Writes into the file of a log beside its owner. */
export function handIn(db: Database.Database): OtherHand {
  const columns = 'stream, revision, id, type, version, recorded_at AS recordedAt, metadata, data';
  const read = db.prepare(`SELECT ${columns} FROM events WHERE stream = ? AND revision = ?`);
  const insert = db.prepare(
    'INSERT INTO events (position, stream, revision, id, type, version, recorded_at, metadata, data, checksum) ' +
      'VALUES (CAST(? AS INTEGER), ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  // The next place, one behind the end, far ones and the last that SQLite knows; each row has another one.
  const last = db.prepare('SELECT coalesce(max(position), 0) FROM events WHERE position < 1e9').raw();
  let rows = 0;
  const place = () => {
    const far = rows++;
    const [end] = last.get() as [number];
    return [String(end + 1), String(end + 3), String(1e12 + far), String(2n ** 63n - 1n - 4096n * BigInt(far))][
      far % 4
    ];
  };
  const update = db.prepare(
    'UPDATE events SET id = ?, type = ?, version = ?, recorded_at = ?, metadata = ?, data = ?, checksum = ? ' +
      'WHERE stream = ? AND revision = ?',
  );
  const remove = db.prepare('DELETE FROM events WHERE stream = ? AND revision = ?');
  return {
    read: (stream, revision) => read.get(stream, revision) as ForgedRow,
    write(row) {
      const { stream, revision, id, type, version, recordedAt, metadata, data } = row;
      insert.run(place(), stream, revision, id, type, version, recordedAt, metadata, data, checksum(row));
    },
    change(row) {
      const { stream, revision, id, type, version, recordedAt, metadata, data } = row;
      update.run(id, type, version, recordedAt, metadata, data, checksum(row), stream, revision);
    },
    remove: (stream, revision) => void remove.run(stream, revision),
  };
}
