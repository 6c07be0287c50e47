/** Events of keys and workspaces, and how their owners are named elsewhere. */
import { limits } from '#config/limits';
import { type EventIn, event, type StreamRule } from '#domain/catalogue-entry';
import { described } from '#domain/schemas';
import { aDigest, aKey, aKeyLife, anId, at, aWorkspace, operator } from '#domain/shapes';
import { streams } from '#domain/streams';
import { hasUnseen } from '#science/spectra/names';

const keyStream: StreamRule<{ key: { id: string } } | { key_id: string }> = {
  name: 'key-{key id}',
  is: (stream, data) => stream === streams.key('key' in data ? data.key.id : data.key_id),
};

const life = described(aKeyLife, 'how long and how it may be used ([key life](#key-life))');

/** Events of keys. */
export const keyEvents = {
  KeyCreated: event(2, keyStream, 'an operator created a key; this reserves its name for good', {
    key: described(aKey, 'the key ([key](#key))'),
    secret_sha256: described(aDigest, "SHA-256 of the key's secret, hex"),
    life,
    operator,
    at,
  }),
  KeyChanged: event(
    1,
    keyStream,
    'an operator paused or resumed it, or changed its end, its rate, its contact or what it reads',
    { key_id: described(anId, 'the key'), life, operator, at },
  ),
  KeyRevocationBegan: event(
    1,
    keyStream,
    'an operator revokes it: on a log that replicas share, none lets it in from here on; what they have in hand is stored before KeyRevoked',
    { key_id: described(anId, 'the key'), operator, at },
  ),
  KeyRevoked: event(1, keyStream, 'an operator revoked it', { key_id: described(anId, 'the key'), operator, at }),
};

export type KeyCreated = EventIn<typeof keyEvents, 'KeyCreated'>;
export type KeyChanged = EventIn<typeof keyEvents, 'KeyChanged'>;
export type KeyRevoked = EventIn<typeof keyEvents, 'KeyRevoked'>;
export type KeyRevocationBegan = EventIn<typeof keyEvents, 'KeyRevocationBegan'>;
export type KeyEvent = KeyCreated | KeyChanged | KeyRevocationBegan | KeyRevoked;

/** How long and how a key may be used. */
export type KeyLife = KeyCreated['data']['life'];

/** Of a key that was created before keys had one. */
export const WITHOUT_END: KeyLife = {
  expires_at: null,
  rate: null,
  contact: null,
  paused: false,
  reads_population: false,
};

/** A key as other events speak of it. */
export type KeyFacts = KeyCreated['data']['key'];
/** Traffic on a test key is reported apart. */
export type KeyKind = KeyFacts['kind'];

/** Beginnings of keys by kind. */
export const KEY_MARKS: Record<KeyKind, string> = { production: 'mvs_live', test: 'mvs_test' };

export const shownPrefix = ({ id, kind }: Pick<KeyFacts, 'id' | 'kind'>): string => `${KEY_MARKS[kind]}_${id}`;

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

/** Beginning of workspaces' tokens. */
export const WORKSPACE_MARK = 'mvs_lots';

export const tokenPrefix = (id: string): string => `${WORKSPACE_MARK}_${id}`;

/** Memory, turns and rates are shared under this name: a key may have the name of a workspace, and so its id. */
export const workspaceAsSender = (id: string): string => `workspace ${id}`;

/** Names of keys, populations and workspaces as they are kept; undefined where there is none: empty, too long, not printable. */
export function cleanName(name: string): string | undefined {
  const clean = name.normalize('NFC').trim();
  return clean !== '' && clean.length <= limits.nameCharacters && !hasUnseen(clean) ? clean : undefined;
}
