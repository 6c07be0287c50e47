import type { EventOf } from '../catalogue.js';
import { never } from '../decider.js';

export type WorkspaceCreated = EventOf<'WorkspaceCreated'>;
export type WorkspaceRevoked = EventOf<'WorkspaceRevoked'>;
/** Its token opened something, if only a read: at most one in `USED_ANEW_AFTER_MS`, so that reads do not fill the log. */
export type WorkspaceUsed = EventOf<'WorkspaceUsed'>;
export type WorkspaceEvent = WorkspaceCreated | WorkspaceUsed | WorkspaceRevoked;

/** Who owns lots. Its token opens the lot product and nothing else. */
export type WorkspaceFacts = WorkspaceCreated['data']['workspace'];

export type WorkspaceState =
  | { status: 'absent' }
  | { status: 'active'; workspace: WorkspaceFacts; secretSha256: string; usedAt?: string }
  | { status: 'revoked'; workspace: WorkspaceFacts; revokedAt: string; revokedBy: string };

export const noWorkspace: WorkspaceState = { status: 'absent' };

export function evolveWorkspace(state: WorkspaceState, event: WorkspaceEvent): WorkspaceState {
  switch (event.type) {
    case 'WorkspaceCreated':
      return { status: 'active', workspace: event.data.workspace, secretSha256: event.data.secret_sha256 };
    case 'WorkspaceUsed':
      return state.status === 'active' ? { ...state, usedAt: event.data.at } : state;
    case 'WorkspaceRevoked': {
      if (state.status !== 'active') return state;
      const { at, operator } = event.data;
      return { status: 'revoked', workspace: state.workspace, revokedAt: at, revokedBy: operator };
    }
    default:
      return never(event);
  }
}
