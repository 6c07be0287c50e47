/** Workspaces and their lots: what listings show. Vectors stay in the log. */

import { tokenPrefix, type WorkspaceEvent } from '#keys/events';
import type { Stored } from '#kit/log/stored-events';
import { projection } from '#kit/views/projection';
import type { Tables } from '#kit/views/tables';
import type { LotEvent } from './events.js';

const SCHEMA = `
  CREATE TABLE workspaces (
    position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, prefix TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL, created_by TEXT NOT NULL, revoked_at TEXT, revoked_by TEXT
  );
  CREATE TABLE uses (workspace_id TEXT PRIMARY KEY, at TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE lots (
    position INTEGER PRIMARY KEY, workspace_id TEXT NOT NULL, lot_id TEXT NOT NULL, name TEXT NOT NULL, at TEXT NOT NULL,
    stones INTEGER NOT NULL, session_type TEXT NOT NULL, usual INTEGER, retired_at TEXT, model TEXT NOT NULL
  );
  CREATE INDEX lots_by_workspace ON lots (workspace_id, position);
  CREATE INDEX lots_by_time ON lots (at);
  CREATE TABLE checks (
    position INTEGER PRIMARY KEY, workspace_id TEXT NOT NULL, lot_id TEXT NOT NULL, check_id TEXT NOT NULL, at TEXT NOT NULL,
    session_type TEXT NOT NULL, returned INTEGER NOT NULL, confirmed INTEGER NOT NULL, not_confirmed TEXT NOT NULL,
    members_unaccounted INTEGER NOT NULL, verdict TEXT, usual INTEGER
  );
  CREATE INDEX checks_by_lot ON checks (workspace_id, lot_id, position);
  CREATE INDEX checks_by_time ON checks (at);
  CREATE TABLE rehearsals (
    position INTEGER PRIMARY KEY, workspace_id TEXT NOT NULL, lot_id TEXT NOT NULL, at TEXT NOT NULL
  );
  CREATE INDEX rehearsals_by_time ON rehearsals (at)`;

type LotsEvent = WorkspaceEvent | Exclude<LotEvent, { type: 'LotNameTaken' }>;

export const lotsProjection = projection<LotsEvent>({
  name: 'lots',
  version: 4,
  schema: SCHEMA,
  types: [
    ...(['WorkspaceCreated', 'WorkspaceUsed', 'WorkspaceRevoked', 'LotEnrolled', 'LotRenamed'] as const),
    ...(['LotSessionCorrected', 'LotRetired', 'LotChecked', 'LotRehearsed'] as const),
  ],
  fold,
});

/** SQLite has no truth values. */
const flagOf = (fit: { usual: boolean } | null): number | null => (fit === null ? null : Number(fit.usual));

function fold(tables: Tables): (event: Stored<LotsEvent>) => void {
  const create = tables.prepare('INSERT INTO workspaces VALUES (?, ?, ?, ?, ?, ?, NULL, NULL)');
  const revoke = tables.prepare('UPDATE workspaces SET revoked_at = ?, revoked_by = ? WHERE id = ?');
  const use = tables.prepare('INSERT INTO uses VALUES (?, ?) ON CONFLICT DO UPDATE SET at = max(at, excluded.at)');
  const enrol = tables.prepare('INSERT INTO lots VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)');
  const rename = tables.prepare('UPDATE lots SET name = ? WHERE workspace_id = ? AND lot_id = ?');
  const correct = tables.prepare('UPDATE lots SET session_type = ?, usual = ? WHERE workspace_id = ? AND lot_id = ?');
  const retire = tables.prepare('UPDATE lots SET retired_at = ? WHERE workspace_id = ? AND lot_id = ?');
  const check = tables.prepare('INSERT INTO checks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const rehearse = tables.prepare('INSERT INTO rehearsals VALUES (?, ?, ?, ?)');
  return (event) => {
    const position = Number(event.position);
    const { id, name } = event.data.workspace;
    const { at } = event.data;
    switch (event.type) {
      case 'WorkspaceCreated':
        create.run(position, id, name, tokenPrefix(id), at, event.data.operator);
        return;
      case 'WorkspaceRevoked':
        revoke.run(at, event.data.operator, id);
        return;
      case 'WorkspaceUsed':
        break;
      case 'LotEnrolled': {
        const { lot_id, name: called, stones, session_type, fit, model } = event.data;
        enrol.run(position, id, lot_id, called, at, stones.length, session_type, flagOf(fit), model);
        break;
      }
      case 'LotRenamed':
        rename.run(event.data.name, id, event.data.lot_id);
        break;
      case 'LotSessionCorrected':
        correct.run(event.data.session_type, flagOf(event.data.fit), id, event.data.lot_id);
        break;
      case 'LotRetired':
        retire.run(at, id, event.data.lot_id);
        break;
      case 'LotChecked': {
        const { lot_id, check_id, result } = event.data;
        const { returned, confirmed, members_unaccounted } = result.counts;
        const open = result.stones.filter((stone) => !stone.confirmed).map(({ stone }) => stone);
        const { session_type } = result;
        check.run(
          ...[position, id, lot_id, check_id, at, session_type, returned, confirmed],
          ...[JSON.stringify(open), members_unaccounted, result.verdict, flagOf(result.fit)],
        );
        break;
      }
      case 'LotRehearsed':
        rehearse.run(position, id, event.data.lot_id, at);
        break;
    }
    use.run(id, at);
  };
}
