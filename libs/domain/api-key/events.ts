import { type Happened, never } from '../decider.js';

/** Traffic on a test key is reported apart. */
export type KeyKind = 'production' | 'test';

/** A key as other events speak of it. */
export interface KeyFacts {
  id: string;
  name: string;
  kind: KeyKind;
  population: string;
}

export type KeyCreated = Happened<
  'KeyCreated',
  1,
  { key: KeyFacts; secret_sha256: string; operator: string; at: string }
>;
export type KeyRevoked = Happened<'KeyRevoked', 1, { key_id: string; operator: string; at: string }>;
export type KeyEvent = KeyCreated | KeyRevoked;

export type KeyState =
  | { status: 'absent' }
  | { status: 'active'; key: KeyFacts; secretSha256: string; createdAt: string; createdBy: string }
  | { status: 'revoked'; key: KeyFacts; createdAt: string; createdBy: string; revokedAt: string; revokedBy: string };

export const noKey: KeyState = { status: 'absent' };

export function evolveKey(state: KeyState, event: KeyEvent): KeyState {
  switch (event.type) {
    case 'KeyCreated': {
      const { key, secret_sha256, operator, at } = event.data;
      return { status: 'active', key, secretSha256: secret_sha256, createdAt: at, createdBy: operator };
    }
    case 'KeyRevoked': {
      if (state.status !== 'active') return state;
      const { key, createdAt, createdBy } = state;
      const { at, operator } = event.data;
      return { status: 'revoked', key, createdAt, createdBy, revokedAt: at, revokedBy: operator };
    }
    default:
      return never(event);
  }
}
