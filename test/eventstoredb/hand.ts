import type Database from 'libsql';
import type { ForgedRow, OtherHand } from '#kit/log/test/forgery';

/** Writes into the double's file beside it. */
export function handIn(db: Database.Database): OtherHand {
  const read = db.prepare('SELECT * FROM events WHERE stream = ? AND rev = ?');
  const insert = db.prepare(
    'INSERT INTO events (stream, rev, id, type, json, data, metadata, created) VALUES (?, ?, ?, ?, 1, ?, ?, ?)',
  );
  const update = db.prepare('UPDATE events SET id = ?, type = ?, data = ?, metadata = ? WHERE stream = ? AND rev = ?');
  const kept = ({ metadata, version, recordedAt, seal }: ForgedRow) => {
    const own = {
      schemaVersion: version,
      recordedAt: new Date(recordedAt).toISOString(),
      ...(seal !== null && { seal }),
    };
    return Buffer.from(JSON.stringify({ ...JSON.parse(metadata ?? '{}'), ...own }));
  };
  const remove = db.prepare('DELETE FROM events WHERE stream = ? AND rev = ?');
  return {
    read(stream, revision) {
      const row = read.get(stream, revision) as { id: string; type: string; data: Buffer; metadata: Buffer };
      const { schemaVersion, recordedAt, $correlationId, seal = null, ...rest } = JSON.parse(row.metadata.toString());
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
        seal,
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
