/** What is told of workspaces and lots. */
import { type Page, pageOf, readCursor } from '../page.js';
import type { Connection } from '../projection.js';

export interface WorkspaceRow {
  name: string;
  prefix: string;
  status: 'active' | 'revoked';
  created_at: string;
  created_by: string;
  revoked_at: string | null;
  revoked_by: string | null;
  last_used_at: string | null;
}

interface PageQuery {
  limit: number;
  /** As the page before gave it. */
  cursor?: string;
}

export class LotsView {
  constructor(private readonly view: { readonly db: Connection }) {}

  /** In the order of their creation. @throws BadCursor */
  workspaces({ limit, cursor }: PageQuery): Page<WorkspaceRow> {
    const after = cursor === undefined ? 0 : readCursor(cursor);
    const rows = this.view.db
      .prepare(
        `SELECT position, name, prefix, created_at, created_by, revoked_at, revoked_by, used_at FROM workspaces
         WHERE position > ? ORDER BY position LIMIT ?`,
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

  /** Ids of the workspaces whose shown prefix begins so: two at most, as two are one too many. */
  workspacesByPrefix(prefix: string): string[] {
    const rows = this.view.db
      .prepare('SELECT id FROM workspaces WHERE substr(prefix, 1, ?) = ? LIMIT 2')
      .raw()
      .all(prefix.length, prefix) as [string][];
    return rows.map(([id]) => id);
  }
}
