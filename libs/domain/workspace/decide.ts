import { cleanName } from '../api-key/decide.js';
import { type Decider, type Decision, never } from '../decider.js';
import { evolveWorkspace, noWorkspace, type WorkspaceEvent, type WorkspaceState } from './events.js';

export type WorkspaceCommand =
  | {
      type: 'create';
      name: string;
      /** `keyId(sha256, name)`: as of keys, one append reserves the name and creates the workspace. */
      id: string;
      secretSha256: string;
      operator: string;
      at: string;
    }
  | { type: 'use'; at: string }
  | { type: 'revoke'; operator: string; at: string };
export type WorkspaceRefusal = 'name_taken' | 'invalid_name' | 'unknown_workspace';

/** A use is recorded so long (ms) after the one before: an hour. */
const USED_ANEW_AFTER_MS = 3_600_000;

/** Whether a use at this time (ISO 8601) is one to record. */
function isUsedAnew(state: WorkspaceState, at: string): state is Extract<WorkspaceState, { status: 'active' }> {
  if (state.status !== 'active') return false;
  return state.usedAt === undefined || Date.parse(at) - Date.parse(state.usedAt) >= USED_ANEW_AFTER_MS;
}

/** A name stays taken after revocation; revoking twice is nothing new. */
export function decideWorkspace(
  state: WorkspaceState,
  command: WorkspaceCommand,
): Decision<WorkspaceEvent, WorkspaceRefusal> {
  switch (command.type) {
    case 'create': {
      const { id, secretSha256, operator, at } = command;
      const name = cleanName(command.name);
      if (name === undefined) return { refusal: 'invalid_name' };
      if (state.status !== 'absent') return { refusal: 'name_taken' };
      const data = { workspace: { id, name }, secret_sha256: secretSha256, operator, at };
      return { events: [{ type: 'WorkspaceCreated', version: 1, data }] };
    }
    case 'use': {
      if (!isUsedAnew(state, command.at)) return { events: [] };
      return { events: [{ type: 'WorkspaceUsed', version: 1, data: { workspace: state.workspace, at: command.at } }] };
    }
    case 'revoke': {
      if (state.status === 'absent') return { refusal: 'unknown_workspace' };
      if (state.status === 'revoked') return { events: [] };
      const { operator, at } = command;
      return {
        events: [{ type: 'WorkspaceRevoked', version: 1, data: { workspace: state.workspace, operator, at } }],
      };
    }
    default:
      return never(command);
  }
}

export const workspaceDecider: Decider<WorkspaceState, WorkspaceCommand, WorkspaceEvent, WorkspaceRefusal> = {
  initial: noWorkspace,
  evolve: evolveWorkspace,
  decide: decideWorkspace,
};

/** What a listing shows of a token. */
export const tokenPrefix = (id: string): string => `mvs_lots_${id}`;

/** The full token, shown once. `secret`: 256 random bits in base64url. */
export const formatToken = (id: string, secret: string): string => `${tokenPrefix(id)}_${secret}`;

/** By whom memory, turns and rates are shared: a key may have the name of a workspace, and so its id. */
export const workspaceAsSender = (id: string): string => `workspace ${id}`;

/** Takes a presented token apart; undefined where it is none. */
export function parseToken(presented: string): { id: string; secret: string } | undefined {
  const match = /^mvs_lots_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/.exec(presented);
  return match ? { id: match[1], secret: match[2] } : undefined;
}
