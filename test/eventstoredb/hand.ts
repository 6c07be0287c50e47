import type Database from 'libsql';
import type { ForgedRow, OtherHand } from '#kit/log/conformance/forgery';

/** Writes into the double's file beside it. */
export function handIn(db: Database.Database): OtherHand {
  const read = db.prepare('SELECT * FROM events WHERE stream = ? AND rev = ?');
  const insert = db.prepare(
    'INSERT INTO events (stream, rev, id, type, json, data, metadata, created) VALUES (?, ?, ?, ?, 1, ?, ?, ?)',
  );
  const update = db.prepare('UPDATE events SET id = ?, type = ?, data = ?, metadata = ? WHERE stream = ? AND rev = ?');
  const kept = ({ metadata, version, recordedAt }: ForgedRow) => {
    const time = new Date(recordedAt).toISOString();
    return Buffer.from(JSON.stringify({ ...JSON.parse(metadata ?? '{}'), schemaVersion: version, recordedAt: time }));
  };
  const remove = db.prepare('DELETE FROM events WHERE stream = ? AND rev = ?');
  return {
    read(stream, revision) {
      const row = read.get(stream, revision) as { id: string; type: string; data: Buffer; metadata: Buffer };
      const { schemaVersion, recordedAt, $correlationId, ...rest } = JSON.parse(row.metadata.toString());
      const metadata = JSON.stringify({ ...rest, $correlationId });
      const time = new Date(recordedAt).getTime();
      const { id, type } = row;
      return {
        stream,
        revision,
        id,
        type,
        version: schemaVersion,
        recordedAt: time,
        metadata,
        data: row.data.toString(),
      };
    },
    write(row) {
      const { stream, revision, id, type, data } = row;
      insert.run(stream, revision, id, type, Buffer.from(data), kept(row), Date.now());
    },
    change(row) {
      const { stream, revision, id, type, data } = row;
      update.run(id, type, Buffer.from(data), kept(row), stream, revision);
    },
    remove: (stream, revision) => void remove.run(stream, revision),
  };
}
