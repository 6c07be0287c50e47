import { type EventIn, event, type StreamRule } from '../catalogue-entry.js';
import { never } from '../decider.js';
import { described } from '../members.js';
import { aDigest, at, aWorkspace, operator } from '../shapes.js';
import { streams } from '../streams.js';
import { activeCredential, type CredentialKind, endedCredential } from './credential.js';

const workspaceStream: StreamRule<{ workspace: { id: string } }> = {
  name: 'workspace-{workspace id}',
  is: (stream, { workspace }) => stream === streams.workspace(workspace.id),
};

/** Events of workspaces. */
export const workspaceEvents = {
  WorkspaceCreated: event(
    1,
    workspaceStream,
    'an operator created a workspace of the lot product; this reserves its name for good',
    {
      workspace: described(aWorkspace, 'the workspace ([workspace](#workspace))'),
      secret_sha256: described(aDigest, "SHA-256 of its token's secret, hex"),
      operator,
      at,
    },
  ),
  WorkspaceUsed: event(1, workspaceStream, 'its token opened something: at most one an hour', {
    workspace: described(aWorkspace, 'the workspace ([workspace](#workspace))'),
    at,
  }),
  WorkspaceRevoked: event(1, workspaceStream, 'an operator revoked its token', {
    workspace: described(aWorkspace, 'the workspace ([workspace](#workspace))'),
    operator,
    at,
  }),
};

export type WorkspaceCreated = EventIn<typeof workspaceEvents, 'WorkspaceCreated'>;
export type WorkspaceRevoked = EventIn<typeof workspaceEvents, 'WorkspaceRevoked'>;
/** Its token opened something, if only a read: at most one an hour, so that reads do not fill the log. */
export type WorkspaceUsed = EventIn<typeof workspaceEvents, 'WorkspaceUsed'>;
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
