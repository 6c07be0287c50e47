/** Keys and workspaces as listings answer them. */
import { type Static, Type } from 'typebox';
import { one, orNull } from '#domain/schemas';
import { string, time } from '#kit/views/shapes';

export const keyRow = Type.Object({
  name: string('unique'),
  prefix: string('what DELETE takes, whole or its beginning'),
  kind: string('production or test'),
  population: string('whose ladder decides'),
  status: one('active', 'revoked'),
  created_at: time(),
  created_by: string('operator'),
  revoked_at: orNull(time()),
  revoked_by: orNull(string('operator')),
});
export type KeyRow = Static<typeof keyRow>;

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
