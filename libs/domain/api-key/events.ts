import type { EventOf } from '../catalogue.js';
import { never } from '../decider.js';

export type KeyCreated = EventOf<'KeyCreated'>;
export type KeyRevoked = EventOf<'KeyRevoked'>;
export type KeyEvent = KeyCreated | KeyRevoked;

/** A key as other events speak of it. */
export type KeyFacts = KeyCreated['data']['key'];
/** Traffic on a test key is reported apart. */
export type KeyKind = KeyFacts['kind'];

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
