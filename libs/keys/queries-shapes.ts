/** Keys and workspaces as listings answer them. */
import { type Static, Type } from 'typebox';
import { one, orNull } from '#domain/schemas';
import { integer, string, time } from '#kit/views/shapes';

export const KEY_STATES = ['active', 'paused', 'expired', 'revoked'] as const;

/** What events say of a key; its state follows from it and from the time. */
const keyFacts = {
  name: string('unique'),
  prefix: string('what DELETE takes, whole or its beginning'),
  kind: string('production or test'),
  population: string('whose ladder decides'),
  created_at: time(),
  created_by: string('operator'),
  expires_at: orNull(time('from then on it is refused')),
  rate: orNull(integer('requests a second; null: MVS_MAX_RATE')),
  contact: orNull(string('whom to ask about it')),
  paused: Type.Boolean({ description: 'refused until it is resumed' }),
  reads_population: Type.Boolean({ description: 'it also reads claims that other keys of its population made' }),
  revoked_at: orNull(time()),
  revoked_by: orNull(string('operator')),
};
export type KeyFactsRow = Static<ReturnType<typeof Type.Object<typeof keyFacts>>>;

export const key = Type.Object(
  {
    ...keyFacts,
    status: Type.With(one(...KEY_STATES), { description: 'what it is now; every state but active is refused' }),
    last_used_at: orNull(time('of its latest claim, replay or refused claim')),
  },
  { $id: 'Key' },
);
export type Key = Static<typeof key>;

const { name, prefix, status, expires_at, rate, contact, paused, reads_population } = key.properties;
export const changedKey = Type.Object(
  { name, prefix, status, expires_at, rate, contact, paused, reads_population },
  { $id: 'ChangedKey' },
);
export type ChangedKey = Static<typeof changedKey>;

const tokenPrefix = Type.String({ description: 'as listings show it', pattern: '^mvs_lots_[0-9a-f]{16}$' });

export const workspaceRow = Type.Object(
  {
    name: string('its name'),
    prefix: tokenPrefix,
    status: one('active', 'revoked'),
    created_at: time(),
    created_by: string('operator'),
    revoked_at: orNull(time()),
    revoked_by: orNull(string('operator')),
    last_used_at: orNull(time('when its token last opened anything, reads and repeats too, to the hour')),
  },
  { $id: 'Workspace' },
);
export type WorkspaceRow = Static<typeof workspaceRow>;

export const revokedWorkspace = Type.Object(
  {
    name: string('its name'),
    prefix: tokenPrefix,
    status: one('revoked'),
    revoked_at: time(),
    revoked_by: string('operator'),
  },
  { $id: 'RevokedWorkspace' },
);
export type RevokedWorkspace = Static<typeof revokedWorkspace>;
