/** Workspaces and their lots: the table of what listings show, its fold and its questions. Vectors stay in the log. */
import { tokenPrefix, type WorkspaceEvent } from '#keys/events';
import type { WorkspaceRow } from '#keys/queries-shapes';
import type { Stored } from '#kit/log/stored-events';
import type { Paging } from '#kit/views/listings';
import { type Page, pageOf, readCursor } from '#kit/views/page';
import { type Connection, projection } from '#kit/views/projection';
import type { Tables } from '#kit/views/tables';
import type { SessionType } from '#science/lots/model';
import type { LotEvent } from './events.js';
import type { LotActivity, LotCheckSummary, LotSummary } from './queries-shapes.js';

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

/** What a workspace holds under a lot model: lots, those marked as unlike the bars' own, and the marked ones' checks, oldest first. */
export interface LotHistory {
  lots: number;
  marked: number;
  checks: { position: number; lot_id: string; check_id: string; returned: number }[];
}

/** Checks of a lot that are listed with it: the latest. */
const MAX_CHECKS = 100;

declare module '#kit/views/reads' {
  interface ReadModels {
    lots: LotsView;
  }
}

export class LotsView {
  constructor(private readonly view: { readonly db: Connection }) {}

  /** In the order of their creation. @throws BadCursor */
  workspaces({ limit, cursor }: Paging): Page<WorkspaceRow> {
    const after = cursor === undefined ? 0 : readCursor(cursor);
    const rows = this.view.db
      .prepare(
        `SELECT position, name, prefix, created_at, created_by, revoked_at, revoked_by,
         (SELECT at FROM uses WHERE workspace_id = id) FROM workspaces WHERE position > ? ORDER BY position LIMIT ?`,
      )
      .raw()
      .all(after, limit + 1) as [number, string, string, string, string, string | null, string | null, string | null][];
    return pageOf(
      rows,
      limit,
      ([, name, prefix, created_at, created_by, revoked_at, revoked_by, last_used_at]): WorkspaceRow => ({
        name,
        prefix,
        status: revoked_at === null ? 'active' : 'revoked',
        created_at,
        created_by,
        revoked_at,
        revoked_by,
        last_used_at,
      }),
    );
  }

  workspaceNames(): string[] {
    return (this.view.db.prepare('SELECT name FROM workspaces').raw().all() as [string][]).map(([name]) => name);
  }

  /** Ids of the workspaces whose shown prefix begins so: two at most, because two are one too many. */
  workspacesByPrefix(prefix: string): string[] {
    const rows = this.view.db
      .prepare('SELECT id FROM workspaces WHERE substr(prefix, 1, ?) = ? LIMIT 2')
      .raw()
      .all(prefix.length, prefix) as [string][];
    return rows.map(([id]) => id);
  }

  /**
   * Lots of a workspace, newest first.
   * @throws BadCursor
   */
  lots(workspaceId: string, { limit, cursor }: Paging): Page<LotSummary> {
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : readCursor(cursor);
    const rows = this.view.db
      .prepare(
        `SELECT position, lot_id, name, stones, session_type, at, usual, retired_at,
         (SELECT count(*) FROM checks c WHERE c.workspace_id = lots.workspace_id AND c.lot_id = lots.lot_id)
         FROM lots WHERE workspace_id = ? AND position < ? ORDER BY position DESC LIMIT ?`,
      )
      .raw()
      .all(workspaceId, before, limit + 1) as [
      ...[number, string, string, number, SessionType, string],
      ...[number | null, string | null, number],
    ][];
    return pageOf(
      rows,
      limit,
      ([, lot_id, name, stones, session_type, enrolled_at, usual, retired_at, checks]): LotSummary => ({
        ...{ lot_id, name, stones, session_type, enrolled_at, retired_at, checks },
        usual: usual === null ? null : usual === 1,
        status: retired_at === null ? 'active' : 'retired',
      }),
    );
  }

  /** @param model digest of the lot model */
  history(workspaceId: string, model: string): LotHistory {
    const [lots, marked] = this.view.db
      .prepare('SELECT count(*), count(*) FILTER (WHERE usual = 0) FROM lots WHERE workspace_id = ? AND model = ?')
      .raw()
      .get(workspaceId, model) as [number, number];
    const checks = this.view.db
      .prepare(
        `SELECT c.position, c.lot_id, c.check_id, c.returned FROM checks c
         JOIN lots l ON l.workspace_id = c.workspace_id AND l.lot_id = c.lot_id
         WHERE c.workspace_id = ? AND l.model = ? AND l.usual = 0 ORDER BY c.position`,
      )
      .all(workspaceId, model) as LotHistory['checks'];
    return { lots, marked, checks };
  }

  /** Checks of a lot, latest first; how many there are, and the latest of them. */
  latestChecks(workspaceId: string, lotId: string): { count: number; latest: LotCheckSummary[] } {
    const [count] = this.view.db
      .prepare('SELECT count(*) FROM checks WHERE workspace_id = ? AND lot_id = ?')
      .raw()
      .get(workspaceId, lotId) as [number];
    return { count, latest: this.checks(workspaceId, lotId, { limit: MAX_CHECKS }).items };
  }

  /** Checks of a lot, latest first. @throws BadCursor */
  checks(workspaceId: string, lotId: string, { limit, cursor }: Paging): Page<LotCheckSummary> {
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : readCursor(cursor);
    const rows = this.view.db
      .prepare(
        `SELECT position, check_id, session_type, returned, confirmed, members_unaccounted, not_confirmed, at, verdict, usual
         FROM checks WHERE workspace_id = ? AND lot_id = ? AND position < ? ORDER BY position DESC LIMIT ?`,
      )
      .raw()
      .all(workspaceId, lotId, before, limit + 1) as [
      ...[number, string, SessionType, number, number, number, string],
      ...[string, string | null, number | null],
    ][];
    return pageOf(
      rows,
      limit,
      ([, check_id, session_type, returned, confirmed, members_unaccounted, open, checked_at, verdict, usual]) => ({
        ...{ check_id, session_type, verdict, checked_at },
        usual: usual === null ? null : usual === 1,
        counts: { returned, confirmed, not_confirmed: returned - confirmed, members_unaccounted },
        not_confirmed: JSON.parse(open) as string[],
      }),
    );
  }

  /** At or after `from`, before `to`, ISO 8601. */
  counts(from: string, to: string): LotActivity {
    const sums = <R extends unknown[]>(what: string, table: string, time = 'at'): R =>
      this.view.db
        .prepare(`SELECT count(*)${what} FROM ${table} WHERE ${time} >= ? AND ${time} < ?`)
        .raw()
        .get(from, to) as R;
    const [enrolled, stones] = sums<[number, number | null]>(', sum(stones)', 'lots');
    const [checked, confirmed, returned] = sums<[number, number | null, number | null]>(
      ', sum(confirmed), sum(returned)',
      'checks',
    );
    return {
      workspaces: {
        created: sums<[number]>('', 'workspaces', 'created_at')[0],
        revoked: sums<[number]>('', 'workspaces', 'revoked_at')[0],
      },
      enrolled,
      checked,
      rehearsed: sums<[number]>('', 'rehearsals')[0],
      stones: { enrolled: stones ?? 0, confirmed: confirmed ?? 0, not_confirmed: (returned ?? 0) - (confirmed ?? 0) },
    };
  }
}
