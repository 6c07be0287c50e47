/** Workspaces and their lots. */
import { tokenPrefix, type WorkspaceEvent } from '#domain';
import type { RecordedEvent } from '#event-store';
import type { Connection, Projection } from '../projection.js';

const SCHEMA = `
  CREATE TABLE workspaces (
    position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, prefix TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL, created_by TEXT NOT NULL, revoked_at TEXT, revoked_by TEXT, used_at TEXT
  )`;

export const lotsProjection: Projection = {
  name: 'lots',
  version: 1,
  schema: SCHEMA,
  types: ['WorkspaceCreated', 'WorkspaceRevoked'] satisfies WorkspaceEvent['type'][],
  fold,
};

function fold(db: Connection): (event: RecordedEvent) => void {
  const create = db.prepare('INSERT INTO workspaces VALUES (?, ?, ?, ?, ?, ?, NULL, NULL, NULL)');
  const revoke = db.prepare('UPDATE workspaces SET revoked_at = ?, revoked_by = ? WHERE id = ?');
  return (recorded) => {
    const event = recorded as unknown as WorkspaceEvent;
    const { workspace, operator, at } = event.data;
    switch (event.type) {
      case 'WorkspaceCreated':
        create.run(Number(recorded.position), workspace.id, workspace.name, tokenPrefix(workspace.id), at, operator);
        break;
      case 'WorkspaceRevoked':
        revoke.run(at, operator, workspace.id);
        break;
    }
  };
}
