import type Database from 'libsql';
import type { ForgedRow, OtherHand } from '../../test/forgery.js';
import { unpacked } from '../packed.js';

/** Writes into the file of a log beside its owner. */
export function handIn(db: Database.Database): OtherHand {
  const columns = 'stream, revision, id, type, version, recorded_at AS recordedAt, metadata, data, before, seal';
  const read = db.prepare(`SELECT ${columns} FROM events WHERE stream = ? AND revision = ?`);
  const insert = db.prepare(
    'INSERT INTO events (position, stream, revision, id, type, version, recorded_at, metadata, data, before, seal) ' +
      'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  // The next place, one behind the end, and a far one.
  const last = db.prepare('SELECT coalesce(max(position), 0) FROM events').raw();
  let rows = 0;
  const place = () => (last.get() as [number])[0] + [1, 3, 1_000_000][rows++ % 3];
  const update = db.prepare(
    'UPDATE events SET id = ?, type = ?, version = ?, recorded_at = ?, metadata = ?, data = ?, seal = ? ' +
      'WHERE stream = ? AND revision = ?',
  );
  const remove = db.prepare('DELETE FROM events WHERE stream = ? AND revision = ?');
  return {
    read(stream, revision) {
      const row = read.get(stream, revision) as ForgedRow;
      return { ...row, data: unpacked(row.data) };
    },
    write(row) {
      const { stream, revision, id, type, version, recordedAt, metadata, data, before = '', seal } = row;
      insert.run(place(), stream, revision, id, type, version, recordedAt, metadata, data, before, seal ?? '');
    },
    change(row) {
      const { stream, revision, id, type, version, recordedAt, metadata, data, seal } = row;
      update.run(id, type, version, recordedAt, metadata, data, seal ?? '', stream, revision);
    },
    remove: (stream, revision) => void remove.run(stream, revision),
  };
}
