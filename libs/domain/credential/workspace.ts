import type { EventOf } from '../catalogue.js';
import { never } from '../decider.js';
import { streams } from '../streams.js';
import { activeCredential, type CredentialKind, endedCredential } from './credential.js';

export type WorkspaceCreated = EventOf<'WorkspaceCreated'>;
export type WorkspaceRevoked = EventOf<'WorkspaceRevoked'>;
/** Its token opened something, if only a read: at most one an hour, so that reads do not fill the log. */
export type WorkspaceUsed = EventOf<'WorkspaceUsed'>;
export type WorkspaceEvent = WorkspaceCreated | WorkspaceUsed | WorkspaceRevoked;

/** The owner of lots. */
export type WorkspaceFacts = WorkspaceCreated['data']['workspace'];

const MARK = 'mvs_lots';

export const tokenPrefix = (id: string): string => `${MARK}_${id}`;

/** Memory, turns and rates are shared under this name: a key may have the name of a workspace, and so its id. */
export const workspaceAsSender = (id: string): string => `workspace ${id}`;

/** The token of a workspace: it opens the lot product and nothing else. */
export const workspaces: CredentialKind<WorkspaceFacts, { name: string }, WorkspaceEvent> = {
  marks: [MARK],
  prefixOf: ({ id }) => tokenPrefix(id),
  stream: streams.workspace,
  evolve(state, event) {
    switch (event.type) {
      case 'WorkspaceCreated':
        return activeCredential(event.data.workspace, event.data);
      case 'WorkspaceUsed':
        return state.status === 'active' ? { ...state, usedAt: event.data.at } : state;
      case 'WorkspaceRevoked':
        return endedCredential(state, event.data);
      default:
        return never(event);
    }
  },
  ownerOf: (id, name) => ({ id, name }),
  created: (workspace, creation) => ({ type: 'WorkspaceCreated', version: 1, data: { workspace, ...creation } }),
  used: (workspace, at) => ({ type: 'WorkspaceUsed', version: 1, data: { workspace, at } }),
  revoked: (workspace, act) => ({ type: 'WorkspaceRevoked', version: 1, data: { workspace, ...act } }),
};
