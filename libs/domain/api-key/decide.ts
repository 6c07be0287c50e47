import { hasUnseen } from '#spectra';
import { type Decider, type Decision, never, type Sha256Hex } from '../decider.js';
import { MAX_NAME_CHARACTERS } from '../shapes.js';
import { evolveKey, type KeyEvent, type KeyFacts, type KeyKind, type KeyState, noKey } from './events.js';

export interface CreateKey {
  type: 'create';
  name: string;
  kind: KeyKind;
  /** Default: the key's own name, so that nothing is pooled by accident. A replacement names the old key's. */
  population?: string;
  /** `keyId(sha256, name)` */
  id: string;
  secretSha256: string;
  operator: string;
  at: string;
}
export interface RevokeKey {
  type: 'revoke';
  operator: string;
  at: string;
}
export type KeyCommand = CreateKey | RevokeKey;
export type KeyRefusal = 'name_taken' | 'invalid_name' | 'invalid_population' | 'unknown_key';

/** A name stays taken after revocation; revoking twice is nothing new. */
export function decideKey(state: KeyState, command: KeyCommand): Decision<KeyEvent, KeyRefusal> {
  switch (command.type) {
    case 'create': {
      const name = cleanName(command.name);
      if (name === undefined) return { refusal: 'invalid_name' };
      const population = command.population === undefined ? name : cleanName(command.population);
      if (population === undefined) return { refusal: 'invalid_population' };
      if (state.status !== 'absent') return { refusal: 'name_taken' };
      const { id, kind, secretSha256, operator, at } = command;
      const key = { id, name, kind, population };
      return { events: [{ type: 'KeyCreated', version: 1, data: { key, secret_sha256: secretSha256, operator, at } }] };
    }
    case 'revoke': {
      if (state.status === 'absent') return { refusal: 'unknown_key' };
      if (state.status === 'revoked') return { events: [] };
      const { operator, at } = command;
      return { events: [{ type: 'KeyRevoked', version: 1, data: { key_id: state.key.id, operator, at } }] };
    }
    default:
      return never(command);
  }
}

export const keyDecider: Decider<KeyState, KeyCommand, KeyEvent, KeyRefusal> = {
  initial: noKey,
  evolve: evolveKey,
  decide: decideKey,
};

/** Names of keys and populations as they are kept; undefined where there is none: empty, too long, not printable. */
export function cleanName(name: string): string | undefined {
  const clean = name.normalize('NFC').trim();
  return clean !== '' && clean.length <= MAX_NAME_CHARACTERS && !hasUnseen(clean) ? clean : undefined;
}

/**
 * A key's public id, 16 hex digits: the head of its name's hash. The key's stream bears it, so that one append both
 * reserves the name and creates the key.
 */
export const keyId = (sha256: Sha256Hex, name: string): string => sha256(cleanName(name) ?? name).slice(0, 16);

const MARKS: Record<KeyKind, string> = { production: 'live', test: 'test' };

/** What a listing shows of a key. */
export const shownPrefix = ({ id, kind }: Pick<KeyFacts, 'id' | 'kind'>): string => `mvs_${MARKS[kind]}_${id}`;

/** The full key, shown once. `secret`: 256 random bits in base64url. */
export const formatKey = (key: Pick<KeyFacts, 'id' | 'kind'>, secret: string): string =>
  `${shownPrefix(key)}_${secret}`;

/** Takes a presented key apart; undefined where it is none. */
export function parseKey(presented: string): { id: string; kind: KeyKind; secret: string } | undefined {
  const match = /^mvs_(live|test)_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/.exec(presented);
  if (!match) return undefined;
  return { kind: match[1] === 'live' ? 'production' : 'test', id: match[2], secret: match[3] };
}
